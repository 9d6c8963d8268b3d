// watch_latency: how long the watch screen and `check` take from a save to the verdict, and how soon a key
// answers while a check runs. Prints medians and maxima of ten.
//
//     build/bin/watch_latency CHECKOUT LESSON    a checkout that may be written to: copy yours
//
// STREAMLINGS_ROOT/build/bin must hold the programs. Not a test: it measures this machine.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "runner/files.h"
#include "runner/terminal_session.h"

namespace {

using clock = std::chrono::steady_clock;
namespace fs = std::filesystem;

constexpr int samples = 10;

double seconds_of(const std::function<void()>& action) {
  const auto began = clock::now();
  action();
  return std::chrono::duration<double>(clock::now() - began).count();
}

void print(const char* what, std::vector<double> seconds) {
  std::sort(seconds.begin(), seconds.end());
  fmt::print("{:<44} median {:7.3f} s, longest {:7.3f} s\n", what, seconds[samples / 2], seconds.back());
}

}  // namespace

int main(int argument_count, char** arguments) {
  testing::InitGoogleTest(&argument_count, arguments);  // terminal_session reports its failures through it
  if (argument_count != 3) {
    fmt::print(stderr, "usage: watch_latency CHECKOUT LESSON\n");
    return 2;
  }
  const fs::path root = fs::absolute(arguments[1]);
  const std::string lesson = arguments[2];
  const fs::path source = root / "lessons" / lesson / (lesson.substr(3) + ".cu");
  const std::string solution = runner::content_of(root / "solutions" / lesson / source.filename()).value();
  int version = 0;
  const auto save = [&] { runner::write_whole(source, fmt::format("{}// {}\n", solution, ++version)); };
  runner::write_whole(root / ".streamlings/state.txt", fmt::format("current {}\n", lesson.substr(3)));

  std::vector<double> watched;
  std::vector<double> keys;
  save();
  {
    runner::terminal_session watch(root);
    const std::string title = fmt::format("Lesson {} ", lesson.substr(0, 2));
    watch.wait_for("PASSED");
    for (int i = 0; i < samples; ++i) {
      watched.push_back(seconds_of([&] {
        save();
        watch.wait_for("checking (");
        watch.wait_until_gone("checking (");
      }));
      EXPECT_NE(watch.text().find("PASSED"), std::string::npos) << watch.text();
    }
    for (int i = 0; i < samples; ++i) {
      watch.press("r");
      watch.wait_for("checking (");
      keys.push_back(seconds_of([&] {
        watch.press("?");
        watch.wait_for("Ctrl-Z");
      }));
      watch.press("?");
      watch.wait_for(title);
      watch.wait_until_gone("checking (");
    }
  }
  std::vector<double> checked;
  const std::string command = fmt::format("STREAMLINGS_ROOT='{}' '{}' check {} >/dev/null 2>&1",
                                          root.string(), STREAMLINGS_PROGRAM, lesson.substr(0, 2));
  for (int i = 0; i < samples; ++i) {
    save();
    checked.push_back(seconds_of([&] { EXPECT_EQ(std::system(command.c_str()), 0); }));
  }
  print("save to verdict on the watch screen", watched);
  print("`check` of the same file", checked);
  print("key to reaction while a check runs", keys);
  return testing::Test::HasFailure() ? 1 : 0;
}

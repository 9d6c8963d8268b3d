// watch_latency: how long the watch screen and `check` take from a save to the verdict, in turns, and how
// soon a key answers while a check runs. Prints medians and maxima of ten.
//
//     build/bin/watch_latency 03_async_copy
//
// In copies of the course that vanish. Not a test: it measures this machine.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "processes/files.h"
#include "runner/terminal/terminal_session.h"

namespace {

using clock = std::chrono::steady_clock;
namespace fs = std::filesystem;

constexpr int samples = 10;

double seconds_of(const std::function<void()>& action) {
  const auto began = clock::now();
  action();
  return std::chrono::duration<double>(clock::now() - began).count();
}

void print(const char* measurement, std::vector<double> seconds) {
  std::sort(seconds.begin(), seconds.end());
  fmt::print("{:<44} median {:7.3f} s, longest {:7.3f} s\n", measurement, seconds[samples / 2],
             seconds.back());
}

/// A copy of the course in which one lesson is solved anew at each save.
class solved_course {
 public:
  explicit solved_course(const std::string& lesson) : lesson_(lesson) {
    for (const char* folder : {"lessons", "solutions", "checker/lessons", "checker/device/profiles"}) {
      fs::create_directories((root() / folder).parent_path());
      fs::copy(fs::path(STREAMLINGS_SOURCE_DIR) / folder, root() / folder, fs::copy_options::recursive);
    }
    fs::create_directory_symlink(fs::path(STREAMLINGS_PROGRAM).parent_path().parent_path(), root() / "build");
    processes::write_whole(root() / ".streamlings/state.txt", "current " + lesson.substr(3) + "\n");
    save();
  }
  const fs::path& root() const { return folder_.path(); }
  void save() {
    const std::string file = lesson_ + "/" + lesson_.substr(3) + ".cu";
    const std::string solution = processes::content_of(root() / "solutions" / file).value();
    // What no other run has compiled.
    const auto stamp = clock::now().time_since_epoch().count();
    processes::write_whole(root() / "lessons" / file, fmt::format("{}// {}\n", solution, stamp));
  }

 private:
  processes::temporary_folder folder_;
  std::string lesson_;
};

}  // namespace

int main(int argument_count, char** arguments) {
  testing::InitGoogleTest(&argument_count, arguments);  // terminal_session reports its failures through it
  if (argument_count != 2) {
    fmt::print(stderr, "usage: watch_latency 03_async_copy\n");
    return 2;
  }
  const std::string lesson = arguments[1];
  solved_course watched_course(lesson);
  solved_course checked_course(lesson);
  const std::string command = fmt::format("STREAMLINGS_ROOT='{}' '{}' check {} >/dev/null 2>&1",
                                          checked_course.root().string(), STREAMLINGS_PROGRAM, lesson);
  std::vector<double> watched;
  std::vector<double> checked;
  std::vector<double> keys;
  runner::terminal_session watch(watched_course.root());
  watch.wait_for("PASSED");
  for (int i = 0; i < samples; ++i) {
    watched.push_back(seconds_of([&] {
      watched_course.save();
      watch.wait_for("checking (");
      watch.wait_until_gone("checking (");
    }));
    EXPECT_NE(watch.text().find("PASSED"), std::string::npos) << watch.text();
    checked.push_back(seconds_of([&] {
      checked_course.save();
      EXPECT_EQ(std::system(command.c_str()), 0);
    }));
  }
  for (int i = 0; i < samples; ++i) {
    watch.press("r");
    watch.wait_for("checking (");
    keys.push_back(seconds_of([&] {
      watch.press("?");
      watch.wait_for("Ctrl-Z");
    }));
    watch.press("?");
    watch.wait_for("Lesson ");
    watch.wait_until_gone("checking (");
  }
  print("save to verdict on the watch screen", watched);
  print("`check` of the same file", checked);
  print("key to reaction while a check runs", keys);
  return testing::Test::HasFailure() ? 1 : 0;
}

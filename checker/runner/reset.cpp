#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <system_error>

#include "runner/errors.h"
#include "runner/files.h"
#include "runner/progress.h"
#include "runner/verbs.h"

namespace runner {
namespace {

namespace fs = std::filesystem;

/// Copies the learner's file into the backup folder under a name that is not taken.
fs::path back_up(const course& course, const lesson& lesson) {
  const fs::path folder = course.state_folder() / "backup";
  const std::string moment = fmt::format("{:%Y-%m-%d-%H%M%S}", fmt::localtime(std::time(nullptr)));
  std::error_code failure;
  fs::create_directories(folder, failure);
  for (int copy = 1; !failure; ++copy) {
    const std::string suffix = copy == 1 ? "" : fmt::format("-{}", copy);
    const fs::path backup = folder / fmt::format("{}-{}{}.cu", lesson.two_digits(), moment, suffix);
    if (fs::copy_file(course.source_of(lesson), backup, failure)) return backup;
    if (failure == std::errc::file_exists) failure.clear();
  }
  throw cannot_do(fmt::format("your file could not be kept in {} ({}), so nothing was changed.",
                              folder.string(), failure.message()));
}

int reset(const std::string& name) {
  const course course = course::open();
  const lesson& lesson = course.find(name);
  const std::optional<std::string> skeleton = content_of(course.skeleton_of(lesson));
  if (!skeleton)
    throw cannot_do(course.shown(course.skeleton_of(lesson)) + " is missing: the checkout is incomplete.");
  const fs::path source = course.source_of(lesson);
  if (content_of(source) == skeleton) {
    fmt::print("{} is as it was at the beginning: nothing to do.\n", course.shown(source));
    return 0;
  }
  if (fs::exists(source)) {
    fmt::print("Your file is kept as {}\n", course.shown(back_up(course, lesson)));
  }
  write_whole(source, *skeleton);
  state state = load_state(course);
  if (state.done.erase(lesson.slug) > 0) save_state(course, state);
  fmt::print("{} is as it was at the beginning.\n", course.shown(source));
  return 0;
}

}  // namespace

void add_reset(CLI::App& program, int& exit_status) {
  CLI::App* verb = program.add_subcommand("reset", "Put back the file of a lesson as it was; yours is kept");
  verb->footer("Example: streamlings reset 03");
  const auto name = std::make_shared<std::string>();
  verb->add_option("lesson", *name, "Number, slug or folder")->required();
  verb->callback([name, &exit_status] { exit_status = reset(*name); });
}

}  // namespace runner

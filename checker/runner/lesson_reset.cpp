#include "runner/lesson_reset.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>
#include <optional>
#include <string>
#include <system_error>

#include "runner/errors.h"
#include "runner/files.h"
#include "runner/progress.h"

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

}  // namespace

reset_outcome reset_lesson(const course& course, const lesson& lesson) {
  const std::optional<std::string> skeleton = content_of(course.skeleton_of(lesson));
  if (!skeleton)
    throw cannot_do(course.shown(course.skeleton_of(lesson)) + " is missing: the checkout is incomplete.");
  const fs::path source = course.source_of(lesson);
  if (content_of(source) == skeleton) return {};
  reset_outcome done;
  done.has_changed = true;
  if (fs::exists(source)) done.kept_as = back_up(course, lesson);
  write_whole(source, *skeleton);
  state state = load_state(course);
  if (state.done.erase(lesson.slug) > 0) save_state(course, state);
  return done;
}

}  // namespace runner

// lesson_reset.h: puts the file of a lesson back as it was, and loses nothing of the learner's.
#pragma once

#include <filesystem>

#include "runner/course.h"

namespace runner {

struct reset_outcome {
  bool has_changed = false;       ///< false: the file was as it came
  std::filesystem::path kept_as;  ///< the dated copy of the learner's file; empty when there was none to keep
};

/// Replaces the learner's file by the skeleton after keeping a dated copy; the lesson is not done any more.
/// Throws cannot_do, and then has changed nothing.
reset_outcome reset_lesson(const course& course, const lesson& lesson);

}  // namespace runner

// lesson_hints.h: which hints a lesson has, and which its last check asks for.
#pragma once

#include <string>
#include <vector>

#include "runner/course.h"
#include "runner/hints.h"

namespace runner {

/// The hints of the lesson; none when it has none.
std::vector<hint> hints_of(const course& course, const lesson& lesson);

/// What the last check of the learner's file asks hints for: what decided its verdict first, then whatever
/// else failed. None when there was no check.
std::vector<std::string> hint_topics(const course& course, const lesson& lesson);

}  // namespace runner

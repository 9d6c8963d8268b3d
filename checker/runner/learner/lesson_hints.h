// lesson_hints.h: which hints a lesson has, and what its last check asks them for.
#pragma once

#include <vector>

#include "course/checkout.h"
#include "runner/learner/hints.h"

namespace runner {

/// The hints of the lesson; none when it has none.
std::vector<hint> hints_of(const course::lesson& lesson);

/// What failed in the last check of the learner's file. Nothing when there was no check, or it passed.
std::vector<failure> last_failures(const course::lesson& lesson);

}  // namespace runner

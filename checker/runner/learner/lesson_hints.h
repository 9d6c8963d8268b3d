// lesson_hints.h: the hints of a lesson and the failures of its last check, from the checkout.
#pragma once

#include <vector>

#include "course/checkout.h"
#include "runner/learner/hints.h"

namespace runner {

/// The hints of the lesson; empty without hints.md.
std::vector<hint> hints_of(const course::lesson& lesson);

/// The failures of the last check of the learner's file; empty without a check.
std::vector<failure> last_failures(const course::lesson& lesson);

/// Whether the last check of the learner's file passed.
bool has_passed(const course::lesson& lesson);

}  // namespace runner

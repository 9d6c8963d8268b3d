// lesson_hints.h: the hints of a lesson and the failures of its last check, from the checkout.
#pragma once

#include <string>
#include <vector>

#include "course/checkout.h"
#include "report/hints.h"

namespace runner {

using report::chosen_hint;
using report::failure;
using report::hint;
using report::hint_topic;

/// The hints of the lesson; empty without hints.md.
std::vector<hint> hints_of(const course::lesson& lesson);

/// The failures of the last check of the learner's file; empty without a check.
std::vector<failure> last_failures(const course::lesson& lesson);

/// Whether the last check of the learner's file passed.
bool has_passed(const course::lesson& lesson);

/// A hint as a screen shows it.
struct shown_hint {
  std::string title;  ///< "Hint 1 of 2, for WorkIsOrdered: Who waits?"
  std::string text;   ///< Markdown
};

/// The next hint for the learner, who has seen it from then on. Throws cannot_do when the last check passed, and when no hint is left.
shown_hint take_hint(const course::checkout& checkout, const course::lesson& lesson);

}  // namespace runner

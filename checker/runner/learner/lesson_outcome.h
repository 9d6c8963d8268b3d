// lesson_outcome.h: what a check said of a lesson, in a few words or one line.
//
// Not here: the whole report (report/verdict_text.h).
#pragma once

#include <string>
#include <string_view>

#include "report/result.h"
#include "runner/terminal/styled_text.h"

namespace runner {

/// What a check of a lesson came to.
struct lesson_outcome {
  report::run_verdict verdict = report::run_verdict::infra_error;  ///< on the run
  int points = 0;                                                  ///< given, of 100
};

/// What a record says.
lesson_outcome outcome_of(const report::result& result);

/// "[FAIL] 02 Pinned memory: no overlap, 45 points"; `name` is "02 Pinned memory".
std::string outcome_line(std::string_view name, const lesson_outcome& outcome, const styles& style);

/// The mark at its beginning: "[pass]", "[FAIL]", or "[ -- ]" where nothing could be decided.
std::string outcome_mark(const lesson_outcome& outcome, const styles& style);

}  // namespace runner

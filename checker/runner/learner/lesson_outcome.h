// lesson_outcome.h: the outcome of a check on one line.
//
// Not here: the whole report (report/verdict_text.h).
#pragma once

#include <string>
#include <string_view>

#include "report/result.h"
#include "runner/terminal/styled_text.h"

namespace runner {

/// Verdict and points of a check.
struct lesson_outcome {
  report::run_verdict verdict = report::run_verdict::infra_error;
  int points = 0;  ///< of 100
};

/// Verdict and points of a record.
lesson_outcome outcome_of(const report::result& result);

/// "[FAIL] 02 Pinned memory: no overlap, 45 points"; `name` is "02 Pinned memory".
std::string outcome_line(std::string_view name, const lesson_outcome& outcome, const styles& style);

/// "[pass]", "[FAIL]", or "[ -- ]" for an undecided run.
std::string outcome_mark(const lesson_outcome& outcome, const styles& style);

}  // namespace runner

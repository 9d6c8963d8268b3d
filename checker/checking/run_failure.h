// run_failure.h: what a run that did not get to its end, or used what is not modelled, means for the verdict.
//
//     if (auto failure = checking::failure_of(run)) result.verdict = failure->verdict;
#pragma once

#include <optional>

#include "matchers/facts/scheduled_run.h"
#include "report/result.h"

namespace checking {

/// Why a run cannot be judged by criteria, and the verdict that this makes.
struct run_failure {
  report::run_verdict verdict = report::run_verdict::infra_error;
  report::evidence why;
  bool is_over_real_time = false;  ///< as in report::result
  bool operator==(const run_failure&) const = default;
};

/// The verdict and the reason when the run cannot be judged by criteria; nothing when it can: it finished,
/// and its recording arrived and names nothing that is not supported. Of a run that ended in a later call it says what the source
/// keeps from call to call.
std::optional<run_failure> failure_of(const matchers::scheduled_run& run,
                                      const matchers::learner_source& source = {});

}  // namespace checking

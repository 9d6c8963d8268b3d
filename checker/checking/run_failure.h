// run_failure.h: what a run that did not get to its end, or used what is not modelled, means for the verdict.
//
//     if (auto failure = checking::failure_of(run)) result.verdict = failure->failure;
#pragma once

#include <optional>

#include "matchers/findings.h"
#include "matchers/scheduled_run.h"

namespace checking {

/// The verdict and the reason when the run cannot be judged by criteria; nothing when it can: it finished,
/// and its recording arrived and names nothing that is not supported.
std::optional<matchers::finding> failure_of(const matchers::scheduled_run& run);

}  // namespace checking

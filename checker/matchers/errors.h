// errors.h: matchers of calls that fail.
//
//     EXPECT_THAT(run(), HasNoFailedCalls());
#pragma once

#include "matchers/matcher.h"

namespace matchers {

/// No CUDA call returned an error, and no copy had a kind that is not its direction, which CUDA does not define.
/// cudaErrorNotReady is an answer, not an error. Fails with cuda_error, naming the first call that failed, or what a kernel
/// did that made the device fail; or with requirement_missed.
matcher HasNoFailedCalls();

/// Whether CUDA refused the call. cudaErrorNotReady is an answer.
bool has_failed(const trace::host_call& call);

/// What a kernel did that made the device fail, so that it refused all that followed; nullptr when it has not failed, or the
/// recording does not say why.
const trace::diagnostic* fault_of_the_device(const trace::recording& recording);

}  // namespace matchers

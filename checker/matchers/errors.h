// errors.h: matchers of calls that fail.
//
//     EXPECT_THAT(run(), HasNoFailedCalls());
//     EXPECT_THAT(run(), ReportsErrors("too_large_launch", "error.too_large", failing_call::required));
#pragma once

#include <string>

#include "matchers/matcher.h"

namespace matchers {

/// No CUDA call returned an error, and no copy had a kind that is not its direction, which CUDA does not define.
/// cudaErrorNotReady is an answer, not an error. Fails with cuda_error, naming the first call that failed, or what a kernel
/// did that made the device fail; or with requirement_missed.
matcher HasNoFailedCalls();

/// What a kernel did that made the device fail, so that it refused all that followed; nullptr when it has not failed, or the
/// recording does not say why.
const trace::diagnostic* fault_of_the_device(const trace::recording& recording);

/// Whether a call has to fail in a part: in one that is made to fail it has.
enum class failing_call { possible, required };

/// In every run, the error code that a function returned is that of the first call that failed in the part in which it ran,
/// asked of CUDA, and is not left for whoever asks next; cudaSuccess when no call failed. `answer` names the error as
/// exercise::set_error() sets it. Fails with requirement_missed.
matcher ReportsErrors(std::string part_name, std::string answer,
                      failing_call failing = failing_call::possible);

}  // namespace matchers

// reported_errors.h: the matcher of functions that return the error of a call.
//
//     EXPECT_THAT(run(), ReportsErrors("too_large_launch", "error.too_large", failing_call::required));
#pragma once

#include <string>

#include "matchers/matcher.h"

namespace matchers {

/// Whether a call has to fail in a part: in one that is made to fail it has.
enum class failing_call { possible, required };

/// In every run, the error code that a function returned is that of the first call that failed in the part in which it ran,
/// asked of CUDA, and is not left for whoever asks next; cudaSuccess when no call failed. `answer` names the error as
/// exercise::set_error() sets it. Fails with requirement_missed.
matcher ReportsErrors(std::string part_name, std::string answer,
                      failing_call failing = failing_call::possible);

}  // namespace matchers

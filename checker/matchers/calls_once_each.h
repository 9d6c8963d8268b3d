// calls_once_each.h: matchers of the functions that a contract gives to the learner's.
//
//     EXPECT_THAT(run(), CallsOnceEach("load", "step"));
#pragma once

#include <string>

#include "matchers/matcher.h"

namespace matchers {

/// Whether the recording knows the calls of a function that the contract gives: only host work has lines.
enum class recorded_calls { host_work, none };

/// A function that the contract gives is called once for each `item` ("step"), as exercise::noted_calls counted. Fails with
/// wrong_answer, at the last host work of the part where the function is some.
matcher CallsOnceEach(std::string function, std::string item,
                      recorded_calls calls = recorded_calls::host_work);

}  // namespace matchers

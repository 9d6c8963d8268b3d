// evaluate.h: judges the criteria of this program's lesson, inside this process, through GoogleTest.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "matchers/scheduled_run.h"
#include "report/result.h"

namespace checking {

/// Runs every registered criterion on what was observed and returns their results in the order of check.cpp.
/// Prints nothing, and takes no option of GoogleTest from the command line or the environment. Exceptions out
/// of a criterion come through: they are mistakes of the lesson. Once a process.
std::vector<report::criterion_result> evaluate(const matchers::observations& what);

/// The same for several runs, one after the other, at most `most_rounds`: `next` says what to look at,
/// nullptr when there is nothing more, and `judged` is told what came out. Once a process.
void evaluate_rounds(std::size_t most_rounds, const std::function<const matchers::observations*()>& next,
                     const std::function<void(std::vector<report::criterion_result>)>& judged);

}  // namespace checking

// evaluate.h: judges the criteria of a rubric by what was observed.
//
//     std::vector<report::criterion_result> results = checking::evaluate(rubric, observed);
#pragma once

#include <cstddef>
#include <vector>

#include "checking/criterion.h"
#include "report/result.h"

namespace checking {

/// The results of all criteria, in the order of check.cpp, as the run of that number was: the plain one, or
/// one of several on a real GPU. Prints nothing, and takes no option of GoogleTest. Exceptions out of a
/// criterion are mistakes of the lesson and come through, unless the recording is known to lack something.
std::vector<report::criterion_result> evaluate(const rubric& rubric, const matchers::observations& observed,
                                               std::size_t run_number = 0);

}  // namespace checking

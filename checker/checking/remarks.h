// remarks.h: what is wrong with the use of CUDA in the learner's part although no criterion asks for it.
//
// It costs no points: what a lesson asks for has a criterion. `streamlings run` reports the same as misuse.
//
//     result.remarks = checking::remarks_on(matchers::run_facts(observed, "learner"), result.criteria);
#pragma once

#include <vector>

#include "matchers/facts/run_facts.h"
#include "report/result.h"

namespace checking {

/// The misuse in that part that has a line of the learner's, in the order of the calls; without what a failed criterion
/// leads to already.
std::vector<report::remark> remarks_on(const matchers::run_facts& run,
                                       const std::vector<report::criterion_result>& criteria);

}  // namespace checking

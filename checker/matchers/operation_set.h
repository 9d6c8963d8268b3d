// operation_set.h: which operations of the learner's part a matcher speaks of.
//
//     EXPECT_THAT(seen(), Overlaps(copies(), kernels()).at_least(0.6));
#pragma once

#include <string>
#include <vector>

#include "analysis/part.h"
#include "trace/recording.h"

namespace matchers {

/// Operations that have something in common, with the name they have in sentences.
struct operation_set {
  std::string words;                                 ///< "copies", as it reads in the rubric and in messages
  bool (*holds)(const trace::operation& operation);  ///< whether an operation is one of them
};

/// Copies between host and device, in either direction.
operation_set copies();
/// Kernels of any name.
operation_set kernels();
/// Functions of the host in a stream: cudaLaunchHostFunc and cudaStreamAddCallback.
operation_set host_functions();

/// The operations of the part that are in the set, in order of issue.
std::vector<trace::operation_id> members(const analysis::part& of, const operation_set& set);

}  // namespace matchers

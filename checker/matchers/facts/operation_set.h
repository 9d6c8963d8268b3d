// operation_set.h: which operations of the learner's part a matcher speaks of.
//
//     EXPECT_THAT(run(), Overlaps(copies(), kernels()).at_least(0.6));
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "analysis/part.h"
#include "trace/recording.h"

namespace matchers {

using operation_ids = std::vector<trace::operation_id>;

/// Operations that have something in common, with the name they have in sentences.
struct operation_set {
  std::string words;  ///< "copies", as it reads in the rubric and in messages
  std::function<bool(const trace::operation& operation)> holds;
};

/// Copies between host and device, in either direction.
operation_set copies();
/// Copies from device memory to device memory: of one device, or of two.
operation_set device_copies();
/// Kernels of any name.
operation_set kernels();
/// Functions of the host in a stream: cudaLaunchHostFunc and cudaStreamAddCallback.
operation_set host_functions();
/// What keeps the device busy: kernels, copies and memsets.
operation_set device_work();

/// The operations of the part that are in the set, in order of issue.
operation_ids members(const analysis::part& part, const operation_set& set);

/// "There were no kernels at all."
std::string none_at_all(const operation_set& set);

}  // namespace matchers

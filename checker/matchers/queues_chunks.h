// queues_chunks.h: the matcher QueuesChunks(issue_order).
//
//     EXPECT_THAT(seen(), QueuesChunks(issue_order::breadth_first));
#pragma once

#include <ostream>

#include "analysis/part.h"

namespace matchers {

/// In which order the steps of chunks are queued.
enum class issue_order {
  depth_first,    ///< chunk by chunk: a copy back is queued before the copies of later chunks to the device
  breadth_first,  ///< step by step: all copies to the device, then all kernels, then all copies back
};

/// Matches a part that queued at least two kernels with their copies in that order. Only the order of the
/// calls counts, not when things ran. Fails with requirement_missed.
class QueuesChunks {
 public:
  using is_gtest_matcher = void;
  explicit QueuesChunks(issue_order order) : order_(order) {}

  bool MatchAndExplain(const analysis::part& part, std::ostream* explanation) const;
  void DescribeTo(std::ostream* out) const;
  void DescribeNegationTo(std::ostream* out) const;

 private:
  issue_order order_;
};

}  // namespace matchers

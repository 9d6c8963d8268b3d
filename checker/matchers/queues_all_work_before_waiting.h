// queues_all_work_before_waiting.h: the matcher QueuesAllWorkBeforeWaiting().
#pragma once

#include <ostream>

#include "analysis/part.h"

namespace matchers {

/// Matches a part in which the host does not wait for the GPU (see waiting_calls.h) before it has issued the
/// last copy, memset or kernel. How often it waits after that does not matter. Fails with requirement_missed.
class QueuesAllWorkBeforeWaiting {
 public:
  using is_gtest_matcher = void;
  bool MatchAndExplain(const analysis::part& part, std::ostream* explanation) const;
  void DescribeTo(std::ostream* out) const;
  void DescribeNegationTo(std::ostream* out) const;
};

}  // namespace matchers

// copies_use_pinned_memory.h: the matcher CopiesUsePinnedMemory().
#pragma once

#include <ostream>

#include "analysis/part.h"

namespace matchers {

/// Matches a part with copies between host and device, none of which has pageable memory on the host side.
/// Fails with requirement_missed, naming the first that has.
class CopiesUsePinnedMemory {
 public:
  using is_gtest_matcher = void;
  bool MatchAndExplain(const analysis::part& part, std::ostream* explanation) const;
  void DescribeTo(std::ostream* out) const;
  void DescribeNegationTo(std::ostream* out) const;
};

}  // namespace matchers

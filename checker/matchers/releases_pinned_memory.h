// releases_pinned_memory.h: the matcher ReleasesPinnedMemory().
#pragma once

#include <ostream>

#include "analysis/part.h"

namespace matchers {

/// Matches a part that pins memory and releases all of it (cudaFreeHost or cudaHostUnregister, whichever
/// belongs to it), each time after a wait for the operations that use it: that the release itself happens to
/// wait is not documented. Fails with requirement_missed, or with race_detected when such a wait is missing.
class ReleasesPinnedMemory {
 public:
  using is_gtest_matcher = void;
  bool MatchAndExplain(const analysis::part& part, std::ostream* explanation) const;
  void DescribeTo(std::ostream* out) const;
  void DescribeNegationTo(std::ostream* out) const;
};

}  // namespace matchers

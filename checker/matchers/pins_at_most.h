// pins_at_most.h: the matcher PinsAtMost(bytes).
#pragma once

#include <cstddef>
#include <ostream>

#include "analysis/part.h"

namespace matchers {

/// Matches a part in which what was pinned inside it (allocated pinned, or registered) never came to more
/// than `bytes` at a time. Fails with requirement_missed, naming the call that went beyond.
class PinsAtMost {
 public:
  using is_gtest_matcher = void;
  explicit PinsAtMost(std::size_t bytes) : bytes_(bytes) {}

  bool MatchAndExplain(const analysis::part& part, std::ostream* explanation) const;
  void DescribeTo(std::ostream* out) const;
  void DescribeNegationTo(std::ostream* out) const;

 private:
  std::size_t bytes_;
};

}  // namespace matchers

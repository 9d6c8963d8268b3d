// is_ordered.h: the matcher IsOrdered().
#pragma once

#include <ostream>

#include "analysis/part.h"

namespace matchers {

/// Matches a part without races: every two conflicting accesses are ordered by a stream, an event or a wait
/// (see analysis::find_races). Fails with race_detected; not observable when the recording has no accesses.
class IsOrdered {
 public:
  using is_gtest_matcher = void;
  bool MatchAndExplain(const analysis::part& part, std::ostream* explanation) const;
  void DescribeTo(std::ostream* out) const;
  void DescribeNegationTo(std::ostream* out) const;
};

}  // namespace matchers

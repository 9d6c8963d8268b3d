// overlaps.h: the matcher Overlaps(first, second).at_least(fraction).
#pragma once

#include <ostream>

#include "analysis/part.h"
#include "matchers/operation_set.h"

namespace matchers {

/// Matches a part in which both sets ran at the same time for at least `fraction` of the shorter one's busy
/// time (see analysis::overlap_facts). Fails with no_overlap.
class overlaps_matcher {
 public:
  using is_gtest_matcher = void;
  overlaps_matcher(operation_set first, operation_set second, double fraction);

  bool MatchAndExplain(const analysis::part& part, std::ostream* explanation) const;
  void DescribeTo(std::ostream* out) const;
  void DescribeNegationTo(std::ostream* out) const;

 private:
  operation_set first_;
  operation_set second_;
  double fraction_;
};

/// EXPECT_THAT(seen(), Overlaps(copies(), kernels()).at_least(0.6)): the words of the matcher's sentence.
class Overlaps {
 public:
  Overlaps(operation_set first, operation_set second)
      : first_(std::move(first)), second_(std::move(second)) {}
  /// `fraction` is from 0 (exclusive: no overlap would do) to 1.
  overlaps_matcher at_least(double fraction) const { return {first_, second_, fraction}; }

 private:
  operation_set first_;
  operation_set second_;
};

}  // namespace matchers

// reaches_overlap_efficiency.h: the matcher ReachesOverlapEfficiency().at_least(fraction).
#pragma once

#include <ostream>

#include "analysis/part.h"

namespace matchers {

/// Matches a part that gains at least `fraction` of what overlap can gain on this device:
/// (serial - actual) / (serial - attainable), see attainable_time.h and analysis::overlap_efficiency. Fails
/// with no_overlap when next to nothing is gained, else with too_slow. Not observable where overlap can gain
/// less than a tenth of the serial time, or when the part is faster than the device can be.
class overlap_efficiency_matcher {
 public:
  using is_gtest_matcher = void;
  explicit overlap_efficiency_matcher(double fraction) : fraction_(fraction) {}

  bool MatchAndExplain(const analysis::part& part, std::ostream* explanation) const;
  void DescribeTo(std::ostream* out) const;
  void DescribeNegationTo(std::ostream* out) const;

 private:
  double fraction_;
};

/// EXPECT_THAT(seen(), ReachesOverlapEfficiency().at_least(0.8)): the words of the matcher's sentence.
class ReachesOverlapEfficiency {
 public:
  /// The fraction, 0 to 1, of what overlap can gain.
  overlap_efficiency_matcher at_least(double fraction) const { return overlap_efficiency_matcher(fraction); }
};

}  // namespace matchers

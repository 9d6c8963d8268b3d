// waits_for_recorded_events.h: the matcher WaitsForRecordedEvents().
#pragma once

#include <ostream>

#include "analysis/part.h"

namespace matchers {

/// Matches a part in which no stream and no host call waits for an event before that event is recorded for
/// the first time: such a wait succeeds at once and waits for nothing. Fails with race_detected, naming the
/// line.
class WaitsForRecordedEvents {
 public:
  using is_gtest_matcher = void;
  bool MatchAndExplain(const analysis::part& part, std::ostream* explanation) const;
  void DescribeTo(std::ostream* out) const;
  void DescribeNegationTo(std::ostream* out) const;
};

}  // namespace matchers

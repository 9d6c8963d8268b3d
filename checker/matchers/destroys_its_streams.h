// destroys_its_streams.h: the matcher DestroysItsStreams().
#pragma once

#include <ostream>

#include "analysis/part.h"

namespace matchers {

/// Matches a part that creates streams and destroys every one of them. Fails with requirement_missed, naming
/// the call that created the first one left over.
class DestroysItsStreams {
 public:
  using is_gtest_matcher = void;
  bool MatchAndExplain(const analysis::part& part, std::ostream* explanation) const;
  void DescribeTo(std::ostream* out) const;
  void DescribeNegationTo(std::ostream* out) const;
};

}  // namespace matchers

// announces_each_copy_back.h: the matcher AnnouncesEachCopyBack().
#pragma once

#include <ostream>

#include "analysis/part.h"

namespace matchers {

/// Matches a part in which each copy to the host is followed by a host function that comes after it (in its
/// stream, or by an event) and not also after the copy to the host of later work in that stream. Fails with
/// requirement_missed, naming the first copy without one; also when nothing is copied to the host.
class AnnouncesEachCopyBack {
 public:
  using is_gtest_matcher = void;
  bool MatchAndExplain(const analysis::part& part, std::ostream* explanation) const;
  void DescribeTo(std::ostream* out) const;
  void DescribeNegationTo(std::ostream* out) const;
};

}  // namespace matchers

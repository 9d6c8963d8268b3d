// runs_at_priority.h: the matcher RunsAtPriority(operations, level).
#pragma once

#include <ostream>

#include "analysis/part.h"
#include "matchers/operation_set.h"

namespace matchers {

/// Matches a part in which every operation of the set is in a stream of that priority, at least one. Fails
/// with requirement_missed, naming the first that is not and the line that queued it.
class RunsAtPriority {
 public:
  using is_gtest_matcher = void;
  RunsAtPriority(operation_set what, int level);

  bool MatchAndExplain(const analysis::part& part, std::ostream* explanation) const;
  void DescribeTo(std::ostream* out) const;
  void DescribeNegationTo(std::ostream* out) const;

 private:
  operation_set what_;
  int level_;
};

}  // namespace matchers

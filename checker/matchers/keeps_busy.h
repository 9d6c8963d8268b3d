// keeps_busy.h: the matcher KeepsBusy(operations).at_least(fraction).
//
//     EXPECT_THAT(seen(), KeepsBusy(kernels()).at_least(0.85));
#pragma once

#include <ostream>
#include <utility>

#include "analysis/part.h"
#include "matchers/operation_set.h"

namespace matchers {

/// Matches a part in which some operation of the set ran for at least `fraction` of the time from the start
/// of the first to the end of the last: a steady pipeline. What fills and drains it does not count. Fails
/// with too_slow, naming the longest pause and what came after it.
class keeps_busy_matcher {
 public:
  using is_gtest_matcher = void;
  keeps_busy_matcher(operation_set what, double fraction);

  bool MatchAndExplain(const analysis::part& part, std::ostream* explanation) const;
  void DescribeTo(std::ostream* out) const;
  void DescribeNegationTo(std::ostream* out) const;

 private:
  operation_set what_;
  double fraction_;
};

/// EXPECT_THAT(seen(), KeepsBusy(...)...): the words of the matcher's sentence.
class KeepsBusy {
 public:
  explicit KeepsBusy(operation_set what) : what_(std::move(what)) {}
  /// `fraction` is from 0 (exclusive) to 1.
  keeps_busy_matcher at_least(double fraction) const { return {what_, fraction}; }

 private:
  operation_set what_;
};

}  // namespace matchers

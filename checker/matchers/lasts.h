// lasts.h: the matcher Lasts(operations).at_most(times, alone).
#pragma once

#include <ostream>
#include <utility>

#include "analysis/part.h"
#include "matchers/operation_set.h"
#include "trace/recording.h"

namespace matchers {

/// Matches a part in which the operations of a set, from the start of the first to the end of the last, took
/// no longer than `times` their length with nothing else on the device. Fails with too_slow.
class lasts_matcher {
 public:
  using is_gtest_matcher = void;
  lasts_matcher(operation_set what, double times, trace::nanoseconds alone);

  bool MatchAndExplain(const analysis::part& part, std::ostream* explanation) const;
  void DescribeTo(std::ostream* out) const;
  void DescribeNegationTo(std::ostream* out) const;

 private:
  operation_set what_;
  double times_;
  trace::nanoseconds alone_;
};

/// EXPECT_THAT(seen(), Lasts()...): the words of the matcher's sentence.
class Lasts {
 public:
  explicit Lasts(operation_set what) : what_(std::move(what)) {}
  /// `alone` comes from a run of the same work with nothing beside it.
  lasts_matcher at_most(double times, trace::nanoseconds alone) const { return {what_, times, alone}; }

 private:
  operation_set what_;
};

}  // namespace matchers

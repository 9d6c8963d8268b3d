// run_at_once.h: the matcher RunAtOnce(operations).on_average_at_least(count).
//
//     EXPECT_THAT(seen(), RunAtOnce(kernels()).on_average_at_least(2.5));
#pragma once

#include <ostream>
#include <utility>

#include "analysis/part.h"
#include "matchers/operation_set.h"

namespace matchers {

/// Matches a part in which so many of the operations ran at a time, on average over the time in which any of
/// them ran: 1.0 when they ran one after another. Fails with no_overlap.
class run_at_once_matcher {
 public:
  using is_gtest_matcher = void;
  run_at_once_matcher(operation_set operations, double count);

  bool MatchAndExplain(const analysis::part& part, std::ostream* explanation) const;
  void DescribeTo(std::ostream* out) const;
  void DescribeNegationTo(std::ostream* out) const;

 private:
  operation_set operations_;
  double count_;
};

/// EXPECT_THAT(seen(), RunAtOnce(kernels()).on_average_at_least(2.5)): the words of the matcher's sentence.
class RunAtOnce {
 public:
  explicit RunAtOnce(operation_set operations) : operations_(std::move(operations)) {}
  /// How many have to run at a time, on average over the time in which any of them runs.
  run_at_once_matcher on_average_at_least(double count) const { return {operations_, count}; }

 private:
  operation_set operations_;
};

}  // namespace matchers

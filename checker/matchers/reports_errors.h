// reports_errors.h: the matcher ReportsErrors(part, answer).
//
//     EXPECT_THAT(every_run(), ReportsErrors("learner", "error"));
//     EXPECT_THAT(every_run(), ReportsErrors("too_large_launch", "error.too_large").of_a_failed_call());
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "matchers/scheduled_run.h"

namespace matchers {

/// Matches runs in which the error code that a function returned (the scalar `answer`) is cudaSuccess just
/// when no call failed in the `part` in which it ran. Fails with requirement_missed.
class ReportsErrors {
 public:
  using is_gtest_matcher = void;
  ReportsErrors(std::string part, std::string answer);

  /// Matches only runs in which a call failed, for a part that is made to fail.
  ReportsErrors of_a_failed_call() const;

  bool MatchAndExplain(const std::vector<scheduled_run>& runs, std::ostream* explanation) const;
  void DescribeTo(std::ostream* out) const;
  void DescribeNegationTo(std::ostream* out) const;

 private:
  std::string part_;
  std::string answer_;
  bool must_fail_ = false;
};

}  // namespace matchers

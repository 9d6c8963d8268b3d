// has_no_failed_calls.h: the matcher HasNoFailedCalls().
#pragma once

#include <ostream>

#include "analysis/part.h"

namespace matchers {

/// Matches a part in which no CUDA call returned an error. cudaErrorNotReady is an answer, not an error.
/// Fails with cuda_error, naming the first call that failed.
class HasNoFailedCalls {
 public:
  using is_gtest_matcher = void;
  bool MatchAndExplain(const analysis::part& part, std::ostream* explanation) const;
  void DescribeTo(std::ostream* out) const;
  void DescribeNegationTo(std::ostream* out) const;
};

}  // namespace matchers

// host_functions_are_short.h: the matcher HostFunctionsAreShort().at_most(fraction).
//
//     EXPECT_THAT(seen(), HostFunctionsAreShort().at_most(0.3));
#pragma once

#include <ostream>

#include "analysis/part.h"

namespace matchers {

/// Matches a part whose host functions (cudaLaunchHostFunc, cudaStreamAddCallback) together took at most
/// `fraction` of the time in which kernels ran: each holds its stream while it runs. Fails with
/// requirement_missed, naming the longest; also when there was none at all.
class host_functions_are_short_matcher {
 public:
  using is_gtest_matcher = void;
  explicit host_functions_are_short_matcher(double fraction) : fraction_(fraction) {}

  bool MatchAndExplain(const analysis::part& part, std::ostream* explanation) const;
  void DescribeTo(std::ostream* out) const;
  void DescribeNegationTo(std::ostream* out) const;

 private:
  double fraction_;
};

/// EXPECT_THAT(seen(), HostFunctionsAreShort()...): the words of the matcher's sentence.
class HostFunctionsAreShort {
 public:
  /// `fraction` must leave room for starting a thread of the driver, which is a part of each function's time.
  host_functions_are_short_matcher at_most(double fraction) const {
    return host_functions_are_short_matcher(fraction);
  }
};

}  // namespace matchers

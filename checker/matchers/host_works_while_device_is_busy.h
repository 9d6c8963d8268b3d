// host_works_while_device_is_busy.h: the matcher HostWorksWhileDeviceIsBusy().at_least(fraction).
#pragma once

#include <ostream>

#include "analysis/part.h"

namespace matchers {

/// Matches a part in which the host worked (host_work() of workload.h) and copies, memsets or kernels were
/// running for at least `fraction` of that time. Fails with requirement_missed.
class host_works_matcher {
 public:
  using is_gtest_matcher = void;
  explicit host_works_matcher(double fraction) : fraction_(fraction) {}

  bool MatchAndExplain(const analysis::part& part, std::ostream* explanation) const;
  void DescribeTo(std::ostream* out) const;
  void DescribeNegationTo(std::ostream* out) const;

 private:
  double fraction_;
};

/// EXPECT_THAT(seen(), HostWorksWhileDeviceIsBusy().at_least(0.8)): the words of the matcher's sentence.
class HostWorksWhileDeviceIsBusy {
 public:
  /// The fraction, 0 to 1, of host_work() during which the device has to be busy.
  host_works_matcher at_least(double fraction) const { return host_works_matcher(fraction); }
};

}  // namespace matchers

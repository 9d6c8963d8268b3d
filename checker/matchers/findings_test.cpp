#include "matchers/findings.h"

#include <gmock/gmock.h>

namespace matchers {
namespace {

report::measurement measured_at_least(double seen, double required) {
  const findings_scope scope;
  file_at_least(seen, required);
  return scope.measured().value();
}

report::measurement measured_at_most(double seen, double allowed) {
  const findings_scope scope;
  file_at_most(seen, allowed);
  return scope.measured().value();
}

TEST(Findings, AMeasurementIsRoundedAndStandsBesideItsLimit) {
  EXPECT_EQ(measured_at_least(0.856, 0.6), (report::measurement{"0.86", "at least 0.60"}));
  EXPECT_EQ(measured_at_most(0.124, 0.3), (report::measurement{"0.12", "at most 0.30"}));
}

TEST(Findings, WhatMissesTheLimitNeverReadsAsIfItReachedIt) {
  EXPECT_EQ(measured_at_least(0.598, 0.6).seen, "0.59");
  EXPECT_EQ(measured_at_most(0.302, 0.3).seen, "0.31");
}

TEST(Findings, WhatReachesTheLimitReadsAsIfItDid) {
  EXPECT_EQ(measured_at_least(0.6, 0.6).seen, "0.60");
  EXPECT_EQ(measured_at_most(0.3, 0.3).seen, "0.30");
}

TEST(Findings, WhatIsTheSameOfTwoPartsIsNotedOnce) {
  const findings_scope scope;
  for (const char* each : {"no wait", "8 kernels", "no wait"}) file_note(each);
  EXPECT_EQ(scope.notes(), (std::vector<std::string>{"no wait", "8 kernels"}));
}

TEST(Findings, WhatIsNotObservableForOneReasonIsSaidOnce) {
  const findings_scope scope;
  file_not_observable("nobody looked");
  file_not_observable("nobody looked");
  EXPECT_THAT(scope.not_observable(), testing::ElementsAre("nobody looked"));
}

TEST(Findings, TheFirstMeasurementCounts) {
  const findings_scope scope;
  file_measurement({"5 of 6", "6 of 6"});
  file_at_least(0.5, 0.6);
  EXPECT_EQ(scope.measured()->seen, "5 of 6");
}

}  // namespace
}  // namespace matchers

#include "matchers/verdict.h"

#include <gmock/gmock.h>

namespace matchers {
namespace {

TEST(Findings, AMeasurementIsRoundedAndStandsBesideItsLimit) {
  EXPECT_EQ(at_least(0.856, 0.6), (report::measurement{"0.86", "at least 0.60"}));
  EXPECT_EQ(at_most(0.124, 0.3), (report::measurement{"0.12", "at most 0.30"}));
}

TEST(Findings, WhatMissesTheLimitNeverReadsAsIfItReachedIt) {
  EXPECT_EQ(at_least(0.598, 0.6).value, "0.59");
  EXPECT_EQ(at_most(0.302, 0.3).value, "0.31");
}

TEST(Findings, WhatReachesTheLimitReadsAsIfItDid) {
  EXPECT_EQ(at_least(0.6, 0.6).value, "0.60");
  EXPECT_EQ(at_most(0.3, 0.3).value, "0.30");
}

}  // namespace
}  // namespace matchers

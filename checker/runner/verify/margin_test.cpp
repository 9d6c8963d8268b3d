#include "runner/verify/margin.h"

#include <gtest/gtest.h>

namespace runner {
namespace {

report::criterion_result passed(const char* name, const char* measured, const char* required) {
  report::criterion_result result;
  result.name = name;
  result.verdict = report::criterion_verdict::pass;
  result.measured = report::measurement{measured, required};
  return result;
}

TEST(Margin, IsTheSmallestOfAllMeasurements) {
  const auto found =
      smallest_margin({passed("Engines", "2", "2"), passed("Overlaps", "0.90", "at least 0.60"),
                       passed("Hides", "0.92", "at least 0.80")});
  ASSERT_TRUE(found);
  EXPECT_DOUBLE_EQ(found->ratio, 0.92 / 0.80);
  EXPECT_EQ(found->criterion, "Hides");
}

TEST(Margin, OfAnUpperLimitIsTheOtherWayRound) {
  EXPECT_DOUBLE_EQ(smallest_margin({passed("Waits", "0.10", "at most 0.25")})->ratio, 2.5);
  EXPECT_DOUBLE_EQ(smallest_margin({passed("Measured", "1 % off", "at most 10 % off")})->ratio, 10);
}

TEST(Margin, AbsentWithoutAMeasurement) {
  report::criterion_result right;
  right.verdict = report::criterion_verdict::pass;
  EXPECT_FALSE(smallest_margin({right, passed("Copies", "6 of 6", "6 of 6")}));
}

TEST(Margin, WhatFailedHasNone) {
  report::criterion_result failed = passed("Overlaps", "0.10", "at least 0.60");
  failed.verdict = report::criterion_verdict::fail;
  EXPECT_FALSE(smallest_margin({failed}));
}

TEST(Margin, OfALimitThatIsNotTouchedIsWithoutBound) {
  EXPECT_GT(smallest_margin({passed("Waits", "0.00", "at most 0.30")})->ratio, 1e9);
}

}  // namespace
}  // namespace runner

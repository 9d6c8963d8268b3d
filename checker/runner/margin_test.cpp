#include "runner/margin.h"

#include <gtest/gtest.h>

namespace runner {
namespace {

TEST(Margin, IsTheSmallestOfAllNotes) {
  const auto found = smallest_margin({{"IsRight", "7 elements, 4 schedules"},
                                      {"Overlaps", "0.90, required 0.60"},
                                      {"Hides", "0.92, required 0.80; 1.00, required 0.50"}});
  ASSERT_TRUE(found);
  EXPECT_DOUBLE_EQ(found->ratio, 0.92 / 0.80);
  EXPECT_EQ(found->criterion, "Hides");
}

TEST(Margin, OfAnUpperLimitIsTheOtherWayRound) {
  EXPECT_DOUBLE_EQ(smallest_margin({{"Waits", "0.10, allowed 0.25"}})->ratio, 2.5);
}

TEST(Margin, LooksAtTheNumberNextToTheLimit) {
  EXPECT_DOUBLE_EQ(
      smallest_margin({{"Lasts", "the slowest of 7 took 1.5 times the best, allowed 3.0"}})->ratio, 2);
  EXPECT_DOUBLE_EQ(smallest_margin({{"Runs", "3.0 on average, required 2.0: 8 in all"}})->ratio, 1.5);
}

TEST(Margin, AbsentWithoutAMeasurement) {
  EXPECT_FALSE(smallest_margin({{"IsRight", "7 elements"}, {"IsOrdered", ""}}));
}

TEST(Margin, OfALimitThatIsNotTouchedIsWithoutBound) {
  EXPECT_GT(smallest_margin({{"Waits", "0, allowed 3"}})->ratio, 1e9);
}

}  // namespace
}  // namespace runner

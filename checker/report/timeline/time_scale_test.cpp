#include "report/timeline/time_scale.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace report {
namespace {

using namespace std::chrono_literals;

std::vector<std::string> labels_of(const time_scale& scale) {
  std::vector<std::string> labels;
  for (const time_scale::tick& tick : scale.ticks()) labels.push_back(tick.label);
  return labels;
}

TEST(TimeScale, BeginAndEndLieInTheFirstAndTheLastColumn) {
  const time_scale scale(100us, 300us, 81);
  EXPECT_EQ(scale.column_of(100us), 0);
  EXPECT_EQ(scale.column_of(200us), 40);
  EXPECT_EQ(scale.column_of(300us), 80);
}

TEST(TimeScale, TimesOutsideAreMovedToTheEnds) {
  const time_scale scale(100us, 300us, 81);
  EXPECT_EQ(scale.column_of(0us), 0);
  EXPECT_EQ(scale.column_of(1s), 80);
}

TEST(TimeScale, TicksAreRound) {
  const time_scale scale(0us, 730us, 80);
  EXPECT_EQ(scale.unit(), "us");
  EXPECT_THAT(labels_of(scale), testing::ElementsAre("0", "100", "200", "300", "400", "500", "600", "700"));
}

TEST(TimeScale, LongRunsAreInMilliseconds) {
  const time_scale scale(0ms, 12ms, 60);
  EXPECT_EQ(scale.unit(), "ms");
  EXPECT_THAT(labels_of(scale), testing::ElementsAre("0", "2", "4", "6", "8", "10", "12"));
}

TEST(TimeScale, LabelsNeverTouchWhateverTheLength) {
  for (std::int64_t length = 1; length < 40'000'000'000; length = length * 3 + 1) {
    const time_scale scale(0ns, trace::nanoseconds{length}, 30);
    int free = 0;
    for (const time_scale::tick& tick : scale.ticks()) {
      EXPECT_GE(tick.column, free) << length << " ns";
      free = tick.column + static_cast<int>(tick.label.size()) + 1;
    }
  }
}

TEST(TimeScale, HoursDoNotOverflow) { EXPECT_EQ(time_scale(0h, 100h, 101).column_of(50h), 50); }

}  // namespace
}  // namespace report

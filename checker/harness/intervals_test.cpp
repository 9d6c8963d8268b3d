#include "harness/intervals.h"

#include <gmock/gmock.h>

namespace harness {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using std::chrono_literals::operator""ns;

TEST(Intervals, UnitedJoinsWhatTouchesOrOverlaps) {
  EXPECT_THAT(united({{30ns, 40ns}, {0ns, 10ns}, {10ns, 12ns}, {5ns, 8ns}}),
              ElementsAre(interval{0ns, 12ns}, interval{30ns, 40ns}));
}

TEST(Intervals, CommonIsWhatLiesInBoth) {
  EXPECT_THAT(common({{0ns, 10ns}, {20ns, 30ns}}, {{5ns, 25ns}}),
              ElementsAre(interval{5ns, 10ns}, interval{20ns, 25ns}));
  EXPECT_THAT(common({{0ns, 10ns}}, {{10ns, 20ns}}), IsEmpty());
}

TEST(Intervals, LengthIsTheSum) {
  EXPECT_EQ(length({{0ns, 10ns}, {20ns, 25ns}}), 15ns);
  EXPECT_EQ(length({}), 0ns);
}

}  // namespace
}  // namespace harness

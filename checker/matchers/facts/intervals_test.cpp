#include "matchers/facts/intervals.h"

#include <gmock/gmock.h>

#include "matchers/sample_run.h"

namespace matchers {
namespace {

using testing::ElementsAre;
using testing::Eq;
using testing::IsEmpty;
using testing::Optional;
using std::chrono_literals::operator""ns;
using std::chrono_literals::operator""us;

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

TEST(Intervals, LongestPauseIsTheFirstOfTheLongest) {
  EXPECT_THAT(longest_pause({{0ns, 10ns}, {12ns, 20ns}, {25ns, 30ns}, {35ns, 40ns}}),
              Optional(interval{20ns, 25ns}));
  EXPECT_THAT(longest_pause({{0ns, 10ns}}), Eq(std::nullopt));
}

TEST(Intervals, TimesAreThoseOfTheOperationsAndCallsNamed) {
  sample_run run;
  const trace::operation_id copy = run.copy_to_device(run.lane[0], {0, 100}, 12);
  run.kernel(run.lane[0], {100, 200}, 13);
  const trace::call_id work = run.call("host_work", {20, 90}, 14);
  EXPECT_THAT(running_times(run.recording(), {copy}), ElementsAre(interval{0us, 100us}));
  EXPECT_THAT(times_of_calls(run.recording(), {work}), ElementsAre(interval{20us, 90us}));
}

}  // namespace
}  // namespace matchers

#include "report/sweep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "report/sample_sweep.h"

namespace report {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Sweep, TheFastestHasTheLeastTime) { EXPECT_EQ(fastest_of(sample_sweep())->setting, (setting{4, 8})); }

TEST(Sweep, OfEqualTimesTheSmallestSettingIsTheFastest) {
  const sweep measured = sample_sweep();
  EXPECT_EQ(fastest_of(measured, 1, 2)->setting, (setting{2, 2}));
}

TEST(Sweep, AWrongResultIsNeverTheFastest) {
  sweep measured = sample_sweep();
  measured.points.back().is_right = false;
  EXPECT_EQ(fastest_of(measured)->setting, (setting{2, 8}));
  for (sweep_point& point : measured.points) point.is_right = false;
  EXPECT_EQ(fastest_of(measured), nullptr);
}

TEST(Sweep, ThinningKeepsTheEndsTheWantedAndPowersOfTwo) {
  EXPECT_THAT(selected_values({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, 6, {7}), ElementsAre(1, 2, 4, 7, 8, 11));
  EXPECT_THAT(selected_values({1, 2, 3}, 6, {}), ElementsAre(1, 2, 3));
  EXPECT_TRUE(selected_values({}, 6, {}).empty());
}

TEST(Sweep, OneOfSomethingIsSingular) {
  EXPECT_EQ(setting_words(sample_sweep(), {1, 8}), "1 stream, 8 chunks");
}

TEST(Sweep, TheSentencesNameTheOptimumAndTheOwnChoice) {
  EXPECT_THAT(
      sweep_sentences(sample_sweep()),
      ElementsAre(
          "Fastest: 4 streams, 8 chunks, in 1.28 ms; one step after another takes 1.99 ms, and 1.24 ms "
          "are attainable.",
          "The file's own choice, 2 streams, 8 chunks, takes 1.3 ms: 1.02 times the fastest."));
}

TEST(Sweep, AChoiceOutsideTheGridIsSaid) {
  sweep measured = sample_sweep();
  measured.chosen = setting{3, 8};
  EXPECT_THAT(sweep_sentences(measured).back(), HasSubstr("is not in this grid"));
}

TEST(Sweep, WrongResultsAreCounted) {
  sweep measured = sample_sweep();
  measured.points.front().is_right = false;
  EXPECT_THAT(sweep_sentences(measured).back(), HasSubstr("1 of 12 settings give a wrong result"));
}

TEST(Sweep, PointsOfAnotherFileAreRefused) {
  sweep measured = sample_sweep(), other = sample_sweep();
  add_points(measured, other);
  EXPECT_EQ(measured.points.size(), 24u);
  other.source_hash = "changed meanwhile";
  EXPECT_THROW(add_points(measured, other), std::invalid_argument);
}

}  // namespace
}  // namespace report

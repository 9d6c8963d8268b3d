#include "analysis/overlap.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace {

using std::chrono::nanoseconds;
using ids = std::vector<trace::operation_id>;

/// Operations 1, 2, ... that ran during [start, end).
trace::recording ran(const std::vector<std::pair<int, int>>& times) {
  trace::recording recording;
  for (const auto& [start, end] : times) {
    const auto id = static_cast<trace::operation_id>(recording.operations.size() + 1);
    recording.operations.push_back({.id = id, .start = nanoseconds(start), .end = nanoseconds(end)});
  }
  return recording;
}

TEST(Overlap, TimeInWhichTwoOfAKindRunCountsOnce) {
  const trace::recording recording = ran({{0, 100}, {50, 150}, {120, 220}});
  const analysis::overlap_facts facts = analysis::overlap(recording, {1, 2}, {3});
  EXPECT_EQ(facts.first_busy, nanoseconds(150));
  EXPECT_EQ(facts.second_busy, nanoseconds(100));
  EXPECT_EQ(facts.both_busy, nanoseconds(30));
  EXPECT_DOUBLE_EQ(facts.fraction(), 0.3);
}

TEST(Overlap, ShorterSideThatIsWhollyHiddenHasFractionOne) {
  const trace::recording recording = ran({{0, 100}, {10, 20}, {40, 60}});
  EXPECT_DOUBLE_EQ(analysis::overlap(recording, {1}, {2, 3}).fraction(), 1);
}

TEST(Overlap, OneAfterTheOtherHasFractionZero) {
  const trace::recording recording = ran({{0, 100}, {100, 200}});
  EXPECT_DOUBLE_EQ(analysis::overlap(recording, {1}, {2}).fraction(), 0);
}

TEST(Overlap, EmptySideHasFractionZero) {
  const trace::recording recording = ran({{0, 100}, {5, 5}});
  EXPECT_DOUBLE_EQ(analysis::overlap(recording, {1}, {}).fraction(), 0);
  EXPECT_DOUBLE_EQ(analysis::overlap(recording, {1}, {2}).fraction(), 0);
}

TEST(Overlap, LongestAloneIsTheLongestThatNothingOfTheOtherKindTouches) {
  const trace::recording recording = ran({{0, 100}, {100, 130}, {140, 160}, {99, 100}, {160, 170}});
  EXPECT_EQ(analysis::longest_alone(recording, {1, 2, 3}, {4, 5}), 2u);
}

TEST(Overlap, LongestAloneIsNothingWhenAllAreAccompanied) {
  const trace::recording recording = ran({{0, 100}, {200, 300}, {50, 250}});
  EXPECT_EQ(analysis::longest_alone(recording, {1, 2}, {3}), 0u);
  EXPECT_EQ(analysis::longest_alone(recording, {}, {3}), 0u);
}

TEST(Overlap, PipelineOfOneChunkIsSerial) {
  EXPECT_EQ(analysis::pipeline_time(nanoseconds(30), nanoseconds(50), nanoseconds(20), 1, nanoseconds(7)),
            nanoseconds(107));
}

TEST(Overlap, PipelineTimeFollowsTheLaw) {  // (300 + 500 + 100) / 4 + 3 / 4 * 500 + 4 * 10
  EXPECT_EQ(analysis::pipeline_time(nanoseconds(300), nanoseconds(500), nanoseconds(100), 4, nanoseconds(10)),
            nanoseconds(225 + 375 + 40));
}

TEST(Overlap, EnoughLanesGiveThePipelineLaw) {
  for (int chunks = 1; chunks <= 9; ++chunks) {
    EXPECT_EQ(analysis::pipeline_time_with_lanes(nanoseconds(3003), nanoseconds(5001), nanoseconds(1002),
                                                 chunks, chunks, nanoseconds(10)),
              analysis::pipeline_time(nanoseconds(3003), nanoseconds(5001), nanoseconds(1002), chunks,
                                      nanoseconds(10)))
        << chunks << " chunks";
  }
}

TEST(Overlap, OneLaneIsSerial) {
  EXPECT_EQ(analysis::pipeline_time_with_lanes(nanoseconds(300), nanoseconds(500), nanoseconds(100), 5, 1,
                                               nanoseconds(2)),
            nanoseconds(900 + 10));
}

TEST(Overlap, TwoLanesHoldBackTheThirdChunk) {  // stages of 10, 10, 10: chunks start at 0, 10, 30, 40
  EXPECT_EQ(analysis::pipeline_time_with_lanes(nanoseconds(40), nanoseconds(40), nanoseconds(40), 4, 2,
                                               nanoseconds(0)),
            nanoseconds(70));
}

TEST(Overlap, PipelineWithoutChunksIsRefused) {
  EXPECT_THROW(analysis::pipeline_time({}, {}, {}, 0, {}), std::invalid_argument);
  EXPECT_THROW(analysis::pipeline_time_with_lanes({}, {}, {}, 1, 0, {}), std::invalid_argument);
}

TEST(Overlap, EfficiencyIsTheGainAsAShareOfTheAttainableGain) {
  EXPECT_DOUBLE_EQ(analysis::overlap_efficiency(nanoseconds(300), nanoseconds(300), nanoseconds(100)), 0);
  EXPECT_DOUBLE_EQ(analysis::overlap_efficiency(nanoseconds(300), nanoseconds(150), nanoseconds(100)), 0.75);
  EXPECT_DOUBLE_EQ(analysis::overlap_efficiency(nanoseconds(300), nanoseconds(100), nanoseconds(100)), 1);
  EXPECT_DOUBLE_EQ(analysis::overlap_efficiency(nanoseconds(100), nanoseconds(50), nanoseconds(100)), 0);
}

}  // namespace

#include "harness/attainable_time.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "harness/calibrated_sample_run.h"

namespace harness {
namespace {

using namespace std::chrono_literals;

attainable best_of(calibrated_sample_run run) { return attainable_time(*run.judged().seen); }

TEST(AttainableTime, IsThePipelineLawAtItsBestNumberOfChunks) {
  const attainable best = best_of(calibrated_sample_run());
  EXPECT_EQ(best.serial, 450us);
  EXPECT_EQ(best.per_copy, 2us);
  // (450 + 6 (N - 1)) / N + (N - 1) / N * (200 + 4 (N - 1)) is least at N = 8: 261 us.
  EXPECT_EQ(best.chunks, 8);
  EXPECT_EQ(best.time, 261us);
  EXPECT_EQ(best.physical_limit, 200us);
}

TEST(AttainableTime, CountsHowMuchTheDirectionsDisturbEachOther) {
  const attainable best = best_of(calibrated_sample_run(2, 120));
  EXPECT_EQ(best.to_device, 220us);
  EXPECT_EQ(best.to_host, 120us);
  EXPECT_EQ(best.kernel, 150us);
  EXPECT_EQ(best.physical_limit, 200us);
}

TEST(AttainableTime, PutsBothDirectionsOnOneCopyEngine) {
  const attainable best = best_of(calibrated_sample_run(1, 200));
  // (300 + 6 (N - 1)) + 150 / N is least at N = 5: 354 us.
  EXPECT_EQ(best.chunks, 5);
  EXPECT_EQ(best.time, 354us);
  EXPECT_EQ(best.physical_limit, 300us);
}

TEST(AttainableTime, ThrowsWithoutTheCalibration) {
  sample_run run;
  EXPECT_THROW(attainable_time(*run.learner().seen), std::out_of_range);
}

}  // namespace
}  // namespace harness

#include "matchers/facts/attainable_time.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "matchers/sample_run.h"

namespace matchers {
namespace {

using namespace std::chrono_literals;

attainable best_of(calibrated_sample_run run) { return attainable_time(run.judged().recording()); }

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
  // Bound by the copies, 300 + 6 (N - 1), from N = 3 on; before, by the last chunk: 204 + (150 + 102) / N at N = 2.
  EXPECT_EQ(best.chunks, 3);
  EXPECT_EQ(best.time, 312us);
  EXPECT_EQ(best.physical_limit, 300us);
}

TEST(AttainableTime, DoesNotDependOnTheOrderInWhichTheDeviceTakesThePieces) {
  calibrated_sample_run run;
  const run_facts learner = run.judged();
  auto& operations = run.recording().operations;
  trace::operation& last = operations.back();
  trace::operation& earlier = operations[operations.size() - 5];
  std::swap(last.start, earlier.start);
  std::swap(last.end, earlier.end);
  EXPECT_EQ(attainable_time(learner.recording()).per_copy, 2us);
}

TEST(AttainableTime, OfBatchesIsBoundByTheirBuffers) {
  calibrated_sample_run run(2, 120);
  const run_facts learner = run.judged();
  // One batch of 220 + 150 + 120 us after another in one pair of buffers; in two, a batch starts when the one
  // before the last has left, here every 245 us on average; in many, every 220 us.
  EXPECT_EQ(attainable_time_of_batches(learner.recording(), 4, 1).time, 4 * 490us);
  EXPECT_EQ(attainable_time_of_batches(learner.recording(), 4, 2).time, 490us + 220us + 490us);
  EXPECT_EQ(attainable_time_of_batches(learner.recording(), 4, 4).time, 490us + 3 * 220us);
  EXPECT_EQ(attainable_time_of_batches(learner.recording(), 4, 4).serial, 4 * 450us);
}

TEST(AttainableTime, ThrowsWithoutTheCalibration) {
  sample_run run;
  EXPECT_THROW(attainable_time(run.learner().recording()), std::out_of_range);
}

}  // namespace
}  // namespace matchers

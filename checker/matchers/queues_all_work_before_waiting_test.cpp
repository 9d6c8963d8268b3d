#include "matchers/queues_all_work_before_waiting.h"

#include <gmock/gmock.h>
#include <gtest/gtest-spi.h>

#include "matchers/findings.h"
#include "matchers/sample_run.h"

namespace matchers {
namespace {

TEST(QueuesAllWorkBeforeWaiting, PassesWithSeveralWaitsAtTheEnd) {
  sample_run run;
  run.copy_to_device(run.lane[0], {0, 100}, 12);
  run.kernel(run.lane[0], {100, 200}, 13);
  run.call("cudaStreamSynchronize", {110, 200}, 14);
  run.call("cudaStreamSynchronize", {200, 201}, 15);
  EXPECT_THAT(run.learner(), QueuesAllWorkBeforeWaiting());
}

TEST(QueuesAllWorkBeforeWaiting, FailsWhenSomethingIsQueuedAfterAWait) {
  sample_run run;
  run.copy_to_device(run.lane[0], {0, 100}, 12);
  run.call("cudaDeviceSynchronize", {1, 100}, 14);
  run.kernel(run.lane[0], {101, 200}, 13);
  findings_scope scope;
  EXPECT_NONFATAL_FAILURE(EXPECT_THAT(run.learner(), QueuesAllWorkBeforeWaiting()),
                          "The host waited once before everything was queued.");
  EXPECT_EQ(scope.failures().at(0).failure, report::run_verdict::requirement_missed);
  EXPECT_THAT(scope.failures().at(0).why.seen,
              testing::HasSubstr("cudaDeviceSynchronize (async_copy.cu:14), for 99 us; 1 of the 2"));
  EXPECT_EQ(scope.failures().at(0).why.where, "async_copy.cu:14");
}

TEST(QueuesAllWorkBeforeWaiting, ASynchronousCopyIsAWait) {
  sample_run run;
  run.copy_to_device(run.lane[0], {0, 100}, 12);
  run.recording().calls.back().function = trace::api_function::cudaMemcpy;
  run.kernel(run.lane[0], {101, 200}, 13);
  EXPECT_THAT(run.learner(), testing::Not(QueuesAllWorkBeforeWaiting()));
}

TEST(QueuesAllWorkBeforeWaiting, AnAsynchronousCopyOfPageableMemoryIsAWait) {
  sample_run run;
  run.copy_to_device(run.lane[0], {0, 100}, 12);
  run.recording().operations.back().source = trace::memory_kind::pageable;
  run.kernel(run.lane[0], {101, 200}, 13);
  EXPECT_THAT(run.learner(), testing::Not(QueuesAllWorkBeforeWaiting()));
}

TEST(QueuesAllWorkBeforeWaiting, PollingIsAWaitButLookingOnceAtFinishedWorkIsNot) {
  sample_run run;
  run.copy_to_device(run.lane[0], {0, 100}, 12);
  run.call("cudaStreamQuery", {100, 101}, 14);
  run.kernel(run.lane[0], {101, 200}, 13);
  EXPECT_THAT(run.learner(), QueuesAllWorkBeforeWaiting());
  run.recording().calls[1].error_code = 600;
  EXPECT_THAT(run.learner(), testing::Not(QueuesAllWorkBeforeWaiting()));
}

TEST(QueuesAllWorkBeforeWaiting, ASynchronousCopyInsideTheDeviceIsNoWait) {
  sample_run run;
  run.copy_to_device(run.lane[0], {0, 100}, 12);
  run.recording().calls.back().function = trace::api_function::cudaMemcpy;
  run.recording().operations.back().source = trace::memory_kind::device;
  run.kernel(run.lane[0], {101, 200}, 13);
  EXPECT_THAT(run.learner(), QueuesAllWorkBeforeWaiting());
}

TEST(QueuesAllWorkBeforeWaiting, FailsWhenNothingIsQueued) {
  sample_run run;
  EXPECT_NONFATAL_FAILURE(EXPECT_THAT(run.learner(), QueuesAllWorkBeforeWaiting()),
                          "Nothing was queued at all.");
}

}  // namespace
}  // namespace matchers

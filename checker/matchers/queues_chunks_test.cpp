#include "matchers/queues_chunks.h"

#include <gmock/gmock.h>
#include <gtest/gtest-spi.h>

#include "matchers/findings.h"
#include "matchers/sample_run.h"

namespace matchers {
namespace {

using testing::Not;

sample_run chunk_by_chunk() {
  sample_run run;
  for (int chunk = 0; chunk < 2; ++chunk) {
    run.copy_to_device(run.lane[chunk], {0, 10}, 11);
    run.kernel(run.lane[chunk], {10, 20}, 12);
    run.copy_to_host(run.lane[chunk], {20, 30}, 13);
  }
  return run;
}

sample_run step_by_step() {
  sample_run run;
  for (int chunk = 0; chunk < 2; ++chunk) run.copy_to_device(run.lane[chunk], {0, 10}, 11);
  for (int chunk = 0; chunk < 2; ++chunk) run.kernel(run.lane[chunk], {10, 20}, 12);
  for (int chunk = 0; chunk < 2; ++chunk) run.copy_to_host(run.lane[chunk], {20, 30}, 13);
  return run;
}

TEST(QueuesChunks, TellsTheTwoOrdersApart) {
  EXPECT_THAT(chunk_by_chunk().learner(), QueuesChunks(issue_order::depth_first));
  EXPECT_THAT(step_by_step().learner(), QueuesChunks(issue_order::breadth_first));
  EXPECT_THAT(chunk_by_chunk().learner(), Not(QueuesChunks(issue_order::breadth_first)));
  EXPECT_THAT(step_by_step().learner(), Not(QueuesChunks(issue_order::depth_first)));
}

TEST(QueuesChunks, NamesTheOperationThatBreaksTheOrder) {
  sample_run run = chunk_by_chunk();
  findings_scope scope;
  EXPECT_NONFATAL_FAILURE(EXPECT_THAT(run.learner(), QueuesChunks(issue_order::breadth_first)),
                          "was queued after work of a later step.");
  EXPECT_EQ(scope.failures().at(0).why.where, "async_copy.cu:11");
  EXPECT_EQ(scope.failures().at(0).failure, report::run_verdict::requirement_missed);
}

TEST(QueuesChunks, OneChunkHasNoOrder) {
  sample_run run;
  run.copy_to_device(run.lane[0], {0, 10}, 11);
  run.kernel(run.lane[0], {10, 20}, 12);
  run.copy_to_host(run.lane[0], {20, 30}, 13);
  EXPECT_NONFATAL_FAILURE(EXPECT_THAT(run.learner(), QueuesChunks(issue_order::depth_first)),
                          "Only one kernel was queued");
}

TEST(QueuesChunks, NothingQueuedFails) {
  EXPECT_NONFATAL_FAILURE(EXPECT_THAT(sample_run().learner(), QueuesChunks(issue_order::depth_first)),
                          "No kernel was queued.");
}

}  // namespace
}  // namespace matchers

#include "matchers/runs_at_priority.h"

#include <gmock/gmock.h>

#include "matchers/findings.h"
#include "matchers/sample_run.h"

namespace matchers {
namespace {

using testing::Not;

// A kernel in each lane; the first lane has priority -2, the second 0.
sample_run two_priorities() {
  sample_run run;
  run.recording().streams[1].priority = -2;
  run.recording().streams[1].created_by = run.call("cudaStreamCreateWithPriority", {0, 1}, 9);
  run.recording().streams[2].created_by = run.call("cudaStreamCreate", {1, 2}, 10);
  run.kernel(run.lane[0], {10, 20}, 12);
  run.kernel(run.lane[1], {20, 30}, 13);
  return run;
}

operation_set kernels_of_the_first_lane() {
  return {"urgent kernels", [](const trace::operation& each) { return each.stream == sample_run::lane[0]; }};
}

TEST(RunsAtPriority, PassesWhenTheStreamHasIt) {
  sample_run run = two_priorities();
  EXPECT_THAT(run.learner(), RunsAtPriority(kernels_of_the_first_lane(), -2));
}

TEST(RunsAtPriority, NamesTheFirstOperationElsewhereAndWhereItsStreamComesFrom) {
  sample_run run = two_priorities();
  findings_scope scope;
  EXPECT_THAT(run.learner(), Not(RunsAtPriority(kernels(), -2)));
  ASSERT_EQ(scope.failures().size(), 1u);
  EXPECT_EQ(scope.failures()[0].failure, report::run_verdict::requirement_missed);
  EXPECT_EQ(scope.failures()[0].why.seen,
            "The kernel transform 2 in stream 3 has priority 0. The stream comes from cudaStreamCreate "
            "(async_copy.cu:10).");
  EXPECT_EQ(scope.failures()[0].why.where, "async_copy.cu:13");
}

TEST(RunsAtPriority, FailsWhenThereIsNothing) {
  sample_run run;
  EXPECT_THAT(run.learner(), Not(RunsAtPriority(kernels(), 0)));
}

}  // namespace
}  // namespace matchers

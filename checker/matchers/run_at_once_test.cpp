#include "matchers/run_at_once.h"

#include <gmock/gmock.h>
#include <gtest/gtest-spi.h>

#include "matchers/findings.h"
#include "matchers/sample_run.h"

namespace matchers {
namespace {

TEST(RunAtOnce, CountsTheAverageOverBusyTime) {
  sample_run run;
  run.kernel(run.lane[0], {0, 100}, 12);
  run.kernel(run.lane[1], {50, 100}, 13);
  run.kernel(run.lane[0], {500, 600}, 12);  // the pause before it does not count
  findings_scope scope;
  EXPECT_THAT(run.learner(), RunAtOnce(kernels()).on_average_at_least(1.25));
  EXPECT_THAT(run.learner(), testing::Not(RunAtOnce(kernels()).on_average_at_least(1.26)));
}

TEST(RunAtOnce, SaysWhatHeldIndependentWorkBack) {
  sample_run run;
  const auto first = run.kernel(run.lane[0], {0, 100}, 12);
  const auto note = run.kernel(run.default_stream, {100, 110}, 13);
  const auto next = run.kernel(run.lane[0], {110, 200}, 12);
  auto& operations = run.recording().operations;
  operations.at(note - 1).waited_for = {{.kind = trace::constraint_kind::legacy_default, .operation = first}};
  operations.at(next - 1).waited_for = {{.kind = trace::constraint_kind::stream_order, .operation = first}};
  findings_scope scope;
  EXPECT_NONFATAL_FAILURE(
      EXPECT_THAT(run.learner(), RunAtOnce(kernels()).on_average_at_least(1.5)),
      "It was 1.0: one after another the kernels take 200 us, and they took 200 us. For example the kernel "
      "transform 2 in the default stream. Why it did not start earlier: It had to wait for the kernel "
      "transform 1 in stream 2, because the default stream and blocking streams wait for each other.");
  EXPECT_EQ(scope.failures().at(0).why.where, "async_copy.cu:13");
  EXPECT_EQ(scope.failures().at(0).failure, report::run_verdict::no_overlap);
}

TEST(RunAtOnce, FailsWithoutOperations) {
  sample_run run;
  EXPECT_NONFATAL_FAILURE(EXPECT_THAT(run.learner(), RunAtOnce(kernels()).on_average_at_least(1.0)),
                          "There were no kernels at all.");
}

}  // namespace
}  // namespace matchers

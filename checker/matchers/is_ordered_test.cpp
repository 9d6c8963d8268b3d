#include "matchers/is_ordered.h"

#include <gmock/gmock.h>
#include <gtest/gtest-spi.h>

#include "matchers/findings.h"
#include "matchers/sample_run.h"

namespace matchers {
namespace {

using testing::HasSubstr;

// A kernel writes the device buffer in one stream; the copy back reads it in `second`.
sample_run kernel_then_copy_in(trace::stream_id second) {
  sample_run run;
  const auto kernel = run.kernel(run.lane[0], {0, 100}, 12);
  const auto copy = run.copy_to_host(second, {100, 200}, 13);
  run.touches(kernel, 2, trace::access_mode::write);
  run.touches(copy, 2, trace::access_mode::read);
  run.touches(copy, 1, trace::access_mode::write);
  return run;
}

TEST(IsOrdered, PassesInOneStream) {
  sample_run run = kernel_then_copy_in(sample_run::lane[0]);
  EXPECT_THAT(run.learner(), IsOrdered());
}

TEST(IsOrdered, FailsAcrossStreamsEvenWhenTheTimesAreRight) {
  sample_run run = kernel_then_copy_in(sample_run::lane[1]);
  findings_scope scope;
  EXPECT_NONFATAL_FAILURE(EXPECT_THAT(run.learner(), IsOrdered()), "transform");
  ASSERT_EQ(scope.failures().size(), 1u);
  EXPECT_EQ(scope.failures()[0].failure, report::run_verdict::race_detected);
  EXPECT_EQ(scope.failures()[0].why.where, "async_copy.cu:13, async_copy.cu:12");
}

TEST(IsOrdered, FailsWhenTheHostReadsWithoutAWait) {
  sample_run run = kernel_then_copy_in(sample_run::lane[0]);
  run.host_reads(1, 20);
  findings_scope scope;
  EXPECT_NONFATAL_FAILURE(EXPECT_THAT(run.learner(), IsOrdered()), "async_copy.cu:20");
  EXPECT_EQ(scope.failures().at(0).why.where, "async_copy.cu:20, async_copy.cu:13");
}

TEST(IsOrdered, PassesWhenTheHostWaitsBeforeItReads) {
  sample_run run = kernel_then_copy_in(sample_run::lane[0]);
  run.call("cudaStreamSynchronize", {150, 200}, 19, run.lane[0]);
  run.host_reads(1, 20);
  EXPECT_THAT(run.learner(), IsOrdered());
}

TEST(IsOrdered, IsNotObservableWithoutRecordedAccesses) {
  sample_run run = kernel_then_copy_in(sample_run::lane[1]);
  for (trace::operation& each : run.recording().operations) each.accesses.reset();
  run.recording().host_accesses.reset();
  findings_scope scope;
  EXPECT_THAT(run.learner(), IsOrdered());
  ASSERT_EQ(scope.not_observable().size(), 1u);
  EXPECT_THAT(scope.not_observable()[0], HasSubstr("does not say which bytes"));
  EXPECT_TRUE(scope.notes().empty());
}

}  // namespace
}  // namespace matchers

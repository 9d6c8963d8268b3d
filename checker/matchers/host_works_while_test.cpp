#include "matchers/host_works_while.h"

#include <gmock/gmock.h>
#include <gtest/gtest-spi.h>

#include "matchers/findings.h"
#include "matchers/sample_run.h"

namespace matchers {
namespace {

TEST(HostWorksWhile, PassesWhenTheWorkLiesInsideTheCopies) {
  sample_run run;
  run.copy_to_device(run.lane[0], {0, 100}, 12);
  run.call("host_work", {10, 90}, 14);
  findings_scope scope;
  EXPECT_THAT(run.learner(), HostWorksWhile(copies()).at_least(1.0));
  EXPECT_THAT(scope.notes(), testing::ElementsAre("1.00, required 1.00"));
}

TEST(HostWorksWhile, DoesNotCountOtherOperations) {
  sample_run run;
  run.copy_to_device(run.lane[0], {0, 100}, 12);
  run.kernel(run.lane[0], {100, 200}, 13);
  run.call("host_work", {50, 150}, 14);
  EXPECT_THAT(run.learner(), HostWorksWhile(copies()).at_least(0.5));
  EXPECT_THAT(run.learner(), testing::Not(HostWorksWhile(copies()).at_least(0.51)));
  EXPECT_THAT(run.learner(), HostWorksWhile(kernels()).at_least(0.5));
}

TEST(HostWorksWhile, NamesTheLongestWait) {
  sample_run run;
  run.copy_to_device(run.lane[0], {0, 100}, 12);
  run.call("cudaStreamSynchronize", {1, 100}, 13);
  run.call("cudaDeviceSynchronize", {100, 101}, 15);
  run.call("host_work", {101, 180}, 16);
  findings_scope scope;
  EXPECT_NONFATAL_FAILURE(
      EXPECT_THAT(run.learner(), HostWorksWhile(copies()).at_least(0.7)),
      "The host worked for 79 us; copies were running during 0 ns of that (0 %). Its "
      "longest wait before that was in cudaStreamSynchronize (async_copy.cu:13), for 99 us.");
  EXPECT_EQ(scope.failures().at(0).why.where, "async_copy.cu:13");
  EXPECT_EQ(scope.failures().at(0).failure, report::run_verdict::requirement_missed);
}

TEST(HostWorksWhile, CanCountHowOftenTheHostWorks) {
  sample_run run;
  run.copy_to_device(run.lane[0], {0, 100}, 12);
  run.call("host_work", {10, 30}, 14);
  run.call("host_work", {40, 50}, 14);
  EXPECT_THAT(run.learner(), HostWorksWhile(copies()).at_least(0.7).in_calls(2));
  EXPECT_NONFATAL_FAILURE(EXPECT_THAT(run.learner(), HostWorksWhile(copies()).at_least(0.7).in_calls(6)),
                          "The host task ran 2 times instead of 6.");
}

TEST(HostWorksWhile, FailsWhenTheHostNeverWorks) {
  sample_run run;
  run.copy_to_device(run.lane[0], {0, 100}, 13);
  EXPECT_NONFATAL_FAILURE(EXPECT_THAT(run.learner(), HostWorksWhile(copies()).at_least(0.1)),
                          "The host task never ran.");
}

}  // namespace
}  // namespace matchers

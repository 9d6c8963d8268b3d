#include "matchers/host_works_while_device_is_busy.h"

#include <gmock/gmock.h>
#include <gtest/gtest-spi.h>

#include "matchers/findings.h"
#include "matchers/sample_run.h"

namespace matchers {
namespace {

TEST(HostWorksWhileDeviceIsBusy, PassesWhenTheWorkLiesInsideBusyTime) {
  sample_run run;
  run.copy_to_device(run.lane[0], {0, 100}, 12);
  run.kernel(run.lane[0], {100, 200}, 13);
  run.call("host_work", {50, 150}, 14);
  findings_scope scope;
  EXPECT_THAT(run.learner(), HostWorksWhileDeviceIsBusy().at_least(1.0));
  EXPECT_THAT(scope.notes(), testing::ElementsAre("1.00, required 1.00"));
}

TEST(HostWorksWhileDeviceIsBusy, FailsWhenTheHostWorksAfterTheWait) {
  sample_run run;
  run.kernel(run.lane[0], {0, 100}, 13);
  run.call("cudaDeviceSynchronize", {1, 100}, 15);
  run.call("host_work", {100, 180}, 16);
  findings_scope scope;
  EXPECT_NONFATAL_FAILURE(
      EXPECT_THAT(run.learner(), HostWorksWhileDeviceIsBusy().at_least(0.8)),
      "The host worked for 80 us, from 100 us; the GPU was busy during 0 ns of that (0 %).");
  EXPECT_EQ(scope.failures().at(0).why.where, "async_copy.cu:15");
  EXPECT_EQ(scope.failures().at(0).failure, report::run_verdict::requirement_missed);
}

TEST(HostWorksWhileDeviceIsBusy, CountsOnlyTheCommonTime) {
  sample_run run;
  run.kernel(run.lane[0], {0, 100}, 13);
  run.kernel(run.lane[1], {50, 150}, 13);
  run.call("host_work", {50, 250}, 16);
  EXPECT_THAT(run.learner(), HostWorksWhileDeviceIsBusy().at_least(0.5));
  EXPECT_THAT(run.learner(), testing::Not(HostWorksWhileDeviceIsBusy().at_least(0.51)));
}

TEST(HostWorksWhileDeviceIsBusy, FailsWhenTheHostNeverWorks) {
  sample_run run;
  run.kernel(run.lane[0], {0, 100}, 13);
  EXPECT_NONFATAL_FAILURE(EXPECT_THAT(run.learner(), HostWorksWhileDeviceIsBusy().at_least(0.1)),
                          "The host task never ran.");
}

}  // namespace
}  // namespace matchers

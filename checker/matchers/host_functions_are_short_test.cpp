#include "matchers/host_functions_are_short.h"

#include <gmock/gmock.h>
#include <gtest/gtest-spi.h>

#include "matchers/findings.h"
#include "matchers/sample_run.h"

namespace matchers {
namespace {

TEST(HostFunctionsAreShort, PassesWhenTheyOnlyWakeSomebodyUp) {
  sample_run run;
  run.kernel(run.lane[0], {0, 100}, 13);
  run.host_function(run.lane[0], {100, 110}, 14);
  run.kernel(run.lane[1], {100, 200}, 13);
  run.host_function(run.lane[1], {200, 210}, 14);
  findings_scope scope;
  EXPECT_THAT(run.learner(), HostFunctionsAreShort().at_most(0.2));
  EXPECT_THAT(scope.notes(), testing::ElementsAre("0.10, allowed 0.20"));
}

TEST(HostFunctionsAreShort, NamesTheLongest) {
  sample_run run;
  run.kernel(run.lane[0], {0, 100}, 13);
  run.host_function(run.lane[0], {100, 110}, 14);
  run.host_function(run.lane[1], {110, 200}, 15);
  findings_scope scope;
  EXPECT_NONFATAL_FAILURE(
      EXPECT_THAT(run.learner(), HostFunctionsAreShort().at_most(0.3)),
      "They took 100 us while kernels ran for 100 us (100 %). The longest, the host function 2 in "
      "stream 3, took 90 us");
  EXPECT_EQ(scope.failures().at(0).why.where, "async_copy.cu:15");
  EXPECT_EQ(scope.failures().at(0).failure, report::run_verdict::requirement_missed);
}

TEST(HostFunctionsAreShort, FailsWhenThereIsNone) {
  sample_run run;
  run.kernel(run.lane[0], {0, 100}, 13);
  EXPECT_NONFATAL_FAILURE(EXPECT_THAT(run.learner(), HostFunctionsAreShort().at_most(0.3)),
                          "There were no host functions at all.");
}

}  // namespace
}  // namespace matchers

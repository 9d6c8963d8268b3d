#include "matchers/reports_errors.h"

#include <gmock/gmock.h>
#include <gtest/gtest-spi.h>

#include <cstdint>

#include "matchers/findings.h"
#include "matchers/sample_run.h"

namespace matchers {
namespace {

// A launch at line 12 that ends with the first error; the function returns the second.
std::vector<scheduled_run> launches(int error_of_launch, std::int64_t returned) {
  sample_run run;
  const auto launch = run.call("cudaLaunchKernel", {0, 1}, 12);
  if (error_of_launch != 0) {
    run.recording().calls.at(launch - 1).error_code = error_of_launch;
    run.recording().calls.at(launch - 1).error_name = "cudaErrorInvalidValue";
  }
  run.learner();  // closes the part
  scheduled_run scheduled;
  scheduled.schedule = "as-is";
  scheduled.outcome.how = exercise::ending::finished;
  scheduled.outcome.seen = run.recording();
  scheduled.outcome.answer.set("error", returned);
  return {scheduled};
}

TEST(ReportsErrors, PassesWhenTheReturnedErrorAgrees) {
  EXPECT_THAT(launches(0, 0), ReportsErrors("learner", "error"));
  EXPECT_THAT(launches(1, 1), ReportsErrors("learner", "error"));
  EXPECT_THAT(launches(1, 1), ReportsErrors("learner", "error").of_a_failed_call());
}

TEST(ReportsErrors, NamesTheLaunchThatFailedUnnoticed) {
  findings_scope scope;
  EXPECT_NONFATAL_FAILURE(
      EXPECT_THAT(launches(1, 0), ReportsErrors("learner", "error")),
      "It returned cudaSuccess, although the launch (async_copy.cu:12) failed with cudaErrorInvalidValue.");
  EXPECT_EQ(scope.failures().at(0).why.where, "async_copy.cu:12");
  EXPECT_EQ(scope.failures().at(0).failure, report::run_verdict::requirement_missed);
}

TEST(ReportsErrors, RefusesAnErrorThatNeverHappened) {
  EXPECT_NONFATAL_FAILURE(EXPECT_THAT(launches(0, 9), ReportsErrors("learner", "error")),
                          "It returned the error 9, although no call failed.");
}

TEST(ReportsErrors, CanRequireThatALaunchFails) {
  EXPECT_NONFATAL_FAILURE(EXPECT_THAT(launches(0, 0), ReportsErrors("learner", "error").of_a_failed_call()),
                          "no launch failed");
}

}  // namespace
}  // namespace matchers

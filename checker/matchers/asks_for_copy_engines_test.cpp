#include "matchers/asks_for_copy_engines.h"

#include <gmock/gmock.h>
#include <gtest/gtest-spi.h>

#include "matchers/findings.h"
#include "matchers/sample_run.h"

namespace matchers {
namespace {

// A run on a device with two copy engines, whose plan names `said` of them, after `call`.
scheduled_run run_that(const char* call, std::int64_t said) {
  sample_run sample;
  sample.call(call, {0, 1}, 5);
  sample.recording().devices = {{.name = "sample", .copy_engines = 2}};
  sample.learner();
  scheduled_run run{"as-is", {}};
  run.outcome.seen = sample.recording();
  run.outcome.answer.set("engines", said);
  return run;
}

TEST(AsksForCopyEngines, PassesWhenTheDeviceWasAskedAndTheNumberIsRight) {
  EXPECT_THAT(run_that("cudaDeviceGetAttribute", 2), AsksForCopyEngines("engines"));
  EXPECT_THAT(run_that("cudaGetDeviceProperties", 2), AsksForCopyEngines("engines"));
}

TEST(AsksForCopyEngines, FailsForARightGuess) {
  findings_scope scope;
  EXPECT_NONFATAL_FAILURE(EXPECT_THAT(run_that("cudaGetDevice", 2), AsksForCopyEngines("engines")),
                          "The plan says 2, the device has 2, and it was not asked.");
  EXPECT_EQ(scope.failures().at(0).failure, report::run_verdict::requirement_missed);
}

TEST(AsksForCopyEngines, FailsForAnotherAttribute) {
  EXPECT_NONFATAL_FAILURE(EXPECT_THAT(run_that("cudaDeviceGetAttribute", 1), AsksForCopyEngines("engines")),
                          "The plan says 1, the device has 2");
}

TEST(AsksForCopyEngines, IsNotObservableWithoutADevice) {
  scheduled_run run = run_that("cudaDeviceGetAttribute", 2);
  run.outcome.seen->devices.clear();
  findings_scope scope;
  EXPECT_THAT(run, AsksForCopyEngines("engines"));
  EXPECT_EQ(scope.not_observable().size(), 1u);
}

}  // namespace
}  // namespace matchers

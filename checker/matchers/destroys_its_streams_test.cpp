#include "matchers/destroys_its_streams.h"

#include <gmock/gmock.h>
#include <gtest/gtest-spi.h>

#include "matchers/findings.h"
#include "matchers/sample_run.h"

namespace matchers {
namespace {

TEST(DestroysItsStreams, PassesWhenEachIsDestroyed) {
  sample_run run;
  run.recording().streams.at(1).created_by = run.call("cudaStreamCreate", {0, 1}, 10);
  run.recording().streams.at(1).destroyed_by = run.call("cudaStreamDestroy", {1, 2}, 12);
  EXPECT_THAT(run.learner(), DestroysItsStreams());
}

TEST(DestroysItsStreams, NamesTheCallThatCreatedTheOneLeftOver) {
  sample_run run;
  run.recording().streams.at(1).created_by = run.call("cudaStreamCreate", {0, 1}, 10);
  run.recording().streams.at(2).created_by = run.call("cudaStreamCreate", {1, 2}, 11);
  run.recording().streams.at(1).destroyed_by = run.call("cudaStreamDestroy", {2, 3}, 12);
  findings_scope scope;
  EXPECT_NONFATAL_FAILURE(
      EXPECT_THAT(run.learner(), DestroysItsStreams()),
      "1 of the 2 streams it created still existed when it returned. The first is stream 3, "
      "from cudaStreamCreate (async_copy.cu:11).");
  EXPECT_EQ(scope.failures().at(0).why.where, "async_copy.cu:11");
  EXPECT_EQ(scope.failures().at(0).failure, report::run_verdict::requirement_missed);
}

TEST(DestroysItsStreams, FailsWhenNoneIsCreated) {
  sample_run run;  // its two streams are the caller's
  EXPECT_NONFATAL_FAILURE(EXPECT_THAT(run.learner(), DestroysItsStreams()), "It created no stream.");
}

}  // namespace
}  // namespace matchers

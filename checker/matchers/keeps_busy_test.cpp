#include "matchers/keeps_busy.h"

#include <gmock/gmock.h>
#include <gtest/gtest-spi.h>

#include "matchers/findings.h"
#include "matchers/sample_run.h"

namespace matchers {
namespace {

TEST(KeepsBusy, PassesWhenOneFollowsTheOther) {
  sample_run run;
  run.kernel(run.lane[0], {100, 200}, 13);
  run.kernel(run.lane[1], {150, 300}, 13);
  run.kernel(run.lane[0], {310, 400}, 13);
  findings_scope scope;
  EXPECT_THAT(run.learner(), KeepsBusy(kernels()).at_least(0.9));
  EXPECT_THAT(scope.notes(), testing::ElementsAre("0.97, required 0.90"));
}

TEST(KeepsBusy, NamesTheLongestPauseAndWhatCameAfterIt) {
  sample_run run;
  run.kernel(run.lane[0], {0, 100}, 13);
  run.kernel(run.lane[0], {120, 200}, 14);
  run.kernel(run.lane[1], {300, 400}, 15);
  findings_scope scope;
  EXPECT_NONFATAL_FAILURE(
      EXPECT_THAT(run.learner(), KeepsBusy(kernels()).at_least(0.8)),
      "They were running for 280 us of the 400 us between the first and the last (70 %). The "
      "longest pause, 100 us, is before the kernel transform 3 in stream 3");
  EXPECT_EQ(scope.failures().at(0).why.where, "async_copy.cu:15");
  EXPECT_EQ(scope.failures().at(0).failure, report::run_verdict::too_slow);
}

TEST(KeepsBusy, TellsWhatTheIssuingThreadDidMeanwhile) {
  sample_run run;
  run.kernel(run.lane[0], {0, 100}, 13);
  run.call("host_work", {50, 170}, 21);
  run.call("host_work", {170, 190}, 22);
  const trace::operation_id copy = run.copy_to_device(run.lane[0], {190, 200}, 12);
  const trace::operation_id kernel = run.kernel(run.lane[0], {200, 300}, 13);
  run.recording().operations[copy - 1].waited_for = {{.kind = trace::constraint_kind::host_issue}};
  run.recording().operations[kernel - 1].waited_for = {
      {.kind = trace::constraint_kind::stream_order, .operation = copy}};
  findings_scope scope;
  EXPECT_NONFATAL_FAILURE(
      EXPECT_THAT(run.learner(), KeepsBusy(kernels()).at_least(0.8)),
      "Before it in its stream, the copy H2D 1 of 1.0 MB to the device in stream 2 started at 190 us. "
      "The host had not issued it before: of the pause, its thread spent 70 us in host_work "
      "(async_copy.cu:21).");
  EXPECT_EQ(scope.failures().at(0).why.where, "async_copy.cu:12");
}

TEST(KeepsBusy, WhatFillsAndDrainsDoesNotCount) {
  sample_run run;
  run.copy_to_device(run.lane[0], {0, 100}, 12);
  run.kernel(run.lane[0], {100, 200}, 13);
  run.copy_to_host(run.lane[0], {200, 300}, 14);
  EXPECT_THAT(run.learner(), KeepsBusy(kernels()).at_least(1.0));
}

TEST(KeepsBusy, FailsWhenThereIsNothing) {
  sample_run run;
  run.copy_to_device(run.lane[0], {0, 100}, 12);
  EXPECT_NONFATAL_FAILURE(EXPECT_THAT(run.learner(), KeepsBusy(kernels()).at_least(0.1)),
                          "There were no kernels at all.");
}

}  // namespace
}  // namespace matchers

#include "matchers/host_time.h"

#include <gmock/gmock.h>

#include "matchers/sample_run.h"

namespace matchers {
namespace {

using std::chrono::microseconds;
using testing::HasSubstr;

/// 10 us to instantiate, then two launches of 2 us; between them the host waits.
sample_run two_timed_launches() {
  sample_run run;
  run.call("cudaGraphInstantiate", {0, 10}, 20);
  for (const int begin : {10, 20}) {
    run.call("cudaGraphLaunch", {begin, begin + 2}, 30, run.lane[0]);
    run.call("cudaStreamSynchronize", {begin + 2, begin + 9}, 31, run.lane[0]);
  }
  return run;
}

TEST(HostTimeInCalls, CountsNoWaitsAndNoWork) {
  sample_run run = two_timed_launches();
  run.call("host_work", {40, 90}, 40);
  EXPECT_EQ(host_time_in_calls(run.learner()), microseconds(14));
}

TEST(HostTimeInCalls, SaysWhenTheGraphHasPaid) {
  sample_run run = two_timed_launches();
  const verdict found = HostTimeInCalls().at_most(0.75, microseconds(20)).match(run.learner());
  EXPECT_EQ(found.outcome, report::criterion_verdict::pass) << found.why.observation;
  EXPECT_EQ(found.measured->value, "0.70");
  EXPECT_THAT(found.note,
              HasSubstr("the graph took 10 us to make and saves 8 us a launch: it pays from launch 2 on"));
}

TEST(HostTimeInCalls, CallsThatQueueBesideTheGraphDoNotMakeIt) {
  sample_run run;
  run.kernel(run.lane[0], {0, 3}, 10);  // a round of its own: a call of 1 us
  run.call("cudaGraphInstantiate", {5, 15}, 20);
  for (const int begin : {20, 30}) run.call("cudaGraphLaunch", {begin, begin + 2}, 30, run.lane[0]);
  EXPECT_THAT(HostTimeInCalls().at_most(1, microseconds(21)).match(run.learner()).note,
              HasSubstr("the graph took 10 us to make and saves 8 us a launch: it pays from launch 2 on"));
}

TEST(HostTimeInCalls, CallsThatFailedTellNothing) {
  sample_run run = two_timed_launches();
  run.recording().calls.front().error_code = 1;
  run.recording().calls.front().error_name = "cudaErrorInvalidValue";
  const verdict found = HostTimeInCalls().at_most(0.75, microseconds(20)).match(run.learner());
  EXPECT_EQ(found.outcome, report::criterion_verdict::not_observable);
  EXPECT_THAT(found.note,
              HasSubstr("cudaGraphInstantiate (async_copy.cu:20) failed with cudaErrorInvalidValue."));
}

TEST(HostTimeInCalls, FailsAtTheLineThatTookMost) {
  sample_run run = two_timed_launches();
  const verdict found = HostTimeInCalls().at_most(0.65, microseconds(20)).match(run.learner());
  EXPECT_EQ(found.outcome, report::criterion_verdict::fail);
  EXPECT_EQ(found.run, report::run_verdict::too_slow);
  EXPECT_EQ(found.mistake, "costly_calls");
  EXPECT_EQ(found.why.where, "async_copy.cu:20");
  EXPECT_THAT(found.why.observation, HasSubstr("14 us in 5 calls, 0.70 times as long"));
  EXPECT_THAT(found.why.observation, HasSubstr("10 us, went into 1 call of cudaGraphInstantiate"));
}

/// Captures of 10 us, each with a launch of the graph; all but the first update it.
sample_run captures(int count) {
  sample_run run;
  run.recording().callers = {{{{1, 36}}}};
  for (int round = 0; round < count; ++round) {
    const int begin = 100 * round;
    run.call("cudaStreamBeginCapture", {begin, begin + 1}, 12, run.lane[0]);
    run.recording().calls.back().where.callers = 1;
    run.call("cudaLaunchKernel", {begin + 1, begin + 9}, 13, run.lane[0]);
    run.call("cudaStreamEndCapture", {begin + 9, begin + 10}, 14, run.lane[0]);
    if (round > 0) run.call("cudaGraphExecUpdate", {begin + 10, begin + 11}, 38);
    run.call("cudaGraphLaunch", {begin + 12, begin + 13}, 40, run.lane[0]);
  }
  return run;
}

TEST(HostTimeInCalls, SaysThatEachLaunchHasACaptureOfItsOwn) {
  sample_run run = captures(3);
  const verdict found = HostTimeInCalls().at_most(0.5, microseconds(30)).match(run.learner());
  EXPECT_EQ(found.why.where, "async_copy.cu:36, async_copy.cu:12");
  EXPECT_THAT(
      found.why.observation,
      HasSubstr("Most of it, 30 us, went into 3 captures, for 3 launches of a graph; cudaGraphExecUpdate "
                "(async_copy.cu:38) was called 2 times. Capture again only where"));
}

TEST(HostTimeInCalls, CapturesThatServeSeveralLaunchesAreNotToBlame) {
  sample_run run = captures(2);
  for (const int begin : {300, 310}) run.call("cudaGraphLaunch", {begin, begin + 1}, 40, run.lane[0]);
  EXPECT_THAT(HostTimeInCalls().at_most(0.5, microseconds(30)).match(run.learner()).why.observation,
              testing::Not(HasSubstr("captures")));
}

TEST(HostTimeInCalls, NamesTheCallersFromWhichMostOfTheTimeCame) {
  sample_run run = two_timed_launches();
  run.recording().callers = {{{{1, 36}}}, {{{1, 48}}}};
  for (const int begin : {30, 50}) run.call("cudaLaunchKernel", {begin, begin + 10}, 13, run.lane[0]);
  run.call("cudaLaunchKernel", {70, 75}, 13, run.lane[0]);
  std::vector<trace::host_call>& calls = run.recording().calls;
  calls.at(calls.size() - 3).where.callers = 1;
  calls.at(calls.size() - 2).where.callers = 2;
  calls.at(calls.size() - 1).where.callers = 2;
  const verdict found = HostTimeInCalls().at_most(0.65, microseconds(20)).match(run.learner());
  EXPECT_EQ(found.why.where, "async_copy.cu:13");
  EXPECT_EQ(report::callers_of_place(found.why, "async_copy.cu:13"),
            std::vector<std::string>{"async_copy.cu:48"});
}

TEST(HostTimeInCalls, SaysNothingOfAGraphThatSavesNothing) {
  sample_run run = two_timed_launches();
  EXPECT_THAT(HostTimeInCalls().at_most(10, microseconds(4)).match(run.learner()).note,
              testing::Not(HasSubstr("pays")));
}

}  // namespace
}  // namespace matchers

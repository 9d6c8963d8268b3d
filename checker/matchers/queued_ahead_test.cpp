#include "matchers/queued_ahead.h"

#include <gmock/gmock.h>

#include "matchers/sample_run.h"

namespace matchers {
namespace {

using testing::HasSubstr;

/// Four kernels; before the fourth the host waits in `call`, for a record made after the kernel of that number.
sample_run four_kernels_and_a_wait(int recorded_after, const std::string& call = "cudaEventSynchronize") {
  sample_run run;
  run.recording().events.push_back({.id = 1});
  trace::operation_id record = 0;
  for (int kernel = 1; kernel <= 3; ++kernel) {
    run.kernel(run.lane[0], {kernel * 100, kernel * 100 + 90}, 10 + kernel);
    if (kernel != recorded_after) continue;
    record = run.marker(trace::operation_kind::event_record, run.lane[0], kernel * 100 + 91, 20);
    run.recording().operations.back().event = 1;
  }
  run.call(call, {301, 395}, 30, call == "cudaStreamSynchronize" ? run.lane[0] : 0);
  if (call == "cudaEventSynchronize") {
    run.recording().calls.back().event = 1;
    run.recording().calls.back().captured = record;
  }
  run.kernel(run.lane[0], {400, 490}, 14);
  return run;
}

TEST(QueuesAhead, PassesWhenTheHostWaitsForWhatIsFurtherBack) {
  sample_run run = four_kernels_and_a_wait(1);
  const verdict found = QueuesAhead(kernels()).by(2).match(run.learner());
  EXPECT_EQ(found.outcome, report::criterion_verdict::pass) << found.why.observation;
  EXPECT_EQ(found.measured->value, "2 ahead");
}

TEST(QueuesAhead, FailsAtTheCallThatWaitsForAYoungerOne) {
  sample_run run = four_kernels_and_a_wait(2);
  const verdict found = QueuesAhead(kernels()).by(2).match(run.learner());
  EXPECT_EQ(found.outcome, report::criterion_verdict::fail);
  EXPECT_EQ(found.run, report::run_verdict::requirement_missed);
  EXPECT_EQ(found.mistake, "needless_wait");
  EXPECT_EQ(found.measured->value, "1 ahead");
  EXPECT_EQ(found.why.where, "async_copy.cu:30");
  EXPECT_THAT(
      found.why.observation,
      HasSubstr(
          "the host waited in cudaEventSynchronize (async_copy.cu:30), for 94 us; the kernel transform 2 in stream 2 was complete then. Only 1 was left queued."));
  EXPECT_EQ(QueuesAhead(kernels()).by(1).match(run.learner()).outcome, report::criterion_verdict::pass);
}

TEST(QueuesAhead, OfEventsThatAreNeverRecordedItIsSaidThatOneStandsForAll) {
  sample_run run = four_kernels_and_a_wait(2);
  EXPECT_THAT(QueuesAhead(kernels()).by(2).match(run.learner()).why.observation,
              testing::Not(HasSubstr("replaces the one before")));
  run.recording().events.push_back({.id = 2});
  const verdict found = QueuesAhead(kernels()).by(2).match(run.learner());
  EXPECT_THAT(found.why.observation,
              HasSubstr("Its event had been recorded last at async_copy.cu:20, and each"));
  EXPECT_THAT(found.why.observation, HasSubstr("Of the 2 events"));
  EXPECT_EQ(found.why.where, "async_copy.cu:30, async_copy.cu:20");
}

TEST(QueuesAhead, ALoopThatAsksLastsFromItsFirstQuestion) {
  sample_run run;
  run.kernel(run.lane[0], {0, 90}, 11);
  for (const int begin : {10, 50, 90}) {
    run.call("cudaStreamQuery", {begin, begin + 1}, 30, run.lane[0]);
    if (begin != 90) run.recording().calls.back().error_code = trace::not_ready;
  }
  run.kernel(run.lane[0], {100, 190}, 12);
  EXPECT_THAT(QueuesAhead(kernels()).by(1).match(run.learner()).why.observation,
              HasSubstr("the host waited in cudaStreamQuery (async_copy.cu:30), for 81 us"));
}

TEST(QueuesAhead, CountsAWaitForTheStreamOrTheDeviceAsOneForAllOfIt) {
  for (const char* call : {"cudaStreamSynchronize", "cudaDeviceSynchronize", "cudaFree"}) {
    sample_run run = four_kernels_and_a_wait(0, call);
    if (std::string(call) == "cudaFree") {
      run.recording().calls[3].allocation = 2;
      run.recording().allocations[1].freed_by = 4;
    }
    const verdict found = QueuesAhead(kernels()).by(1).match(run.learner());
    EXPECT_EQ(found.outcome, report::criterion_verdict::fail) << call;
    EXPECT_EQ(found.measured->value, "0 ahead") << call;
  }
}

TEST(QueuesAhead, DoesNotCareHowOftenTheHostWaitsAfterTheLastOne) {
  sample_run run;
  run.kernel(run.lane[0], {0, 90}, 11);
  run.kernel(run.lane[0], {90, 180}, 11);
  run.call("cudaDeviceSynchronize", {100, 180}, 12);
  EXPECT_EQ(QueuesAhead(kernels()).by(2).match(run.learner()).outcome, report::criterion_verdict::pass);
}

TEST(QueuesAhead, CountsAWaitInAnotherThreadOnlyWhereTheIssueFollowsIt) {
  for (const bool goes_on_after : {false, true}) {
    sample_run run;
    run.kernel(run.lane[0], {0, 90}, 11);
    run.call("cudaDeviceSynchronize", {10, 95}, 30);
    run.recording().calls.back().thread = 2;
    run.kernel(run.lane[0], {100, 190}, 12);
    const trace::host_edge to_the_thread{
        .from = 1, .from_after = 1, .to = 2, .to_after = 0, .from_step = 1, .to_step = 2};
    const trace::host_edge back{
        .from = 2, .from_after = 2, .to = 1, .to_after = 1, .from_step = 3, .to_step = 4};
    run.recording().host_edges = {to_the_thread};
    if (goes_on_after) run.recording().host_edges.push_back(back);
    const verdict found = QueuesAhead(kernels()).by(1).match(run.learner());
    EXPECT_EQ(found.outcome == report::criterion_verdict::fail, goes_on_after);
  }
}

TEST(QueuesAhead, FailsWithoutAnyKernel) {
  sample_run run;
  EXPECT_EQ(QueuesAhead(kernels()).by(2).match(run.learner()).mistake, "no_kernels");
}

}  // namespace
}  // namespace matchers

#include "matchers/needless_waits.h"

#include <gmock/gmock.h>

#include "matchers/sample_run.h"

namespace matchers {
namespace {

using report::criterion_verdict;
using testing::HasSubstr;
using trace::access_mode;
using trace::operation_kind;

/// A copy in one stream, whose result a kernel in another needs, and a second copy behind it; `record` says after which.
sample_run branches(bool is_recorded_after_both) {
  sample_run run;
  const auto record = [&] { return run.marker(operation_kind::event_record, run.lane[0], 40, 13); };
  const trace::operation_id needed = run.copy_to_device(run.lane[0], {0, 20}, 11);
  run.touches(needed, 2, access_mode::write);
  trace::operation_id recorded = is_recorded_after_both ? 0 : record();
  const trace::operation_id other = run.copy_to_device(run.lane[0], {20, 40}, 12);
  run.touches(other, 1, access_mode::write);
  if (is_recorded_after_both) recorded = record();
  const trace::operation_id wait = run.marker(operation_kind::event_wait, run.lane[1], 41, 14);
  run.recording().operations[wait - 1].captured = recorded;
  const trace::operation_id kernel = run.kernel(run.lane[1], {50, 60}, 15);
  run.touches(kernel, 2, access_mode::read);
  return run;
}

TEST(WaitsOnlyForWhatItNeeds, PassesWhenTheEventStandsForWhatIsNeeded) {
  sample_run run = branches(false);
  EXPECT_EQ(WaitsOnlyForWhatItNeeds(kernels()).match(run.learner()).outcome, criterion_verdict::pass);
}

TEST(WaitsOnlyForWhatItNeeds, FailsWhenTheEventStandsForMore) {
  sample_run run = branches(true);
  const verdict found = WaitsOnlyForWhatItNeeds(kernels()).match(run.learner());
  EXPECT_EQ(found.outcome, criterion_verdict::fail);
  EXPECT_EQ(found.why.where, "async_copy.cu:13");
  EXPECT_THAT(found.why.observation, HasSubstr("needs nothing of it"));
}

TEST(WaitsOnlyForWhatItNeeds, OfAStreamOfWhichNothingIsNeededItIsNotSaidThatTheRecordIsLate) {
  sample_run run;
  run.touches(run.copy_to_device(run.lane[0], {20, 40}, 12), 1, access_mode::write);
  const trace::operation_id record = run.marker(operation_kind::event_record, run.lane[0], 40, 13);
  const trace::operation_id wait = run.marker(operation_kind::event_wait, run.lane[1], 41, 14);
  run.recording().operations[wait - 1].captured = record;
  run.touches(run.kernel(run.lane[1], {50, 60}, 15), 2, access_mode::read);
  const verdict found = WaitsOnlyForWhatItNeeds(kernels()).match(run.learner());
  EXPECT_THAT(found.why.observation, HasSubstr("Stream 3 needs nothing of stream 2 there"));
  EXPECT_THAT(found.why.read_next, testing::Not(HasSubstr("too late")));
}

TEST(WaitsOnlyForWhatItNeeds, NamesTheReleaseForWhichTheStreamWaits) {
  sample_run run;
  run.touches(run.copy_to_device(run.lane[0], {20, 40}, 12), 1, access_mode::write);
  const trace::operation_id record = run.marker(operation_kind::event_record, run.lane[0], 40, 13);
  const trace::operation_id wait = run.marker(operation_kind::event_wait, run.lane[1], 41, 14);
  run.recording().operations[wait - 1].captured = record;
  run.touches(run.marker(operation_kind::release, run.lane[1], 42, 15), 1, access_mode::write);
  run.touches(run.kernel(run.lane[1], {50, 60}, 16), 2, access_mode::read);
  const verdict found = WaitsOnlyForWhatItNeeds(kernels()).match(run.learner());
  EXPECT_EQ(found.why.where, "async_copy.cu:14, async_copy.cu:15, async_copy.cu:13");
  EXPECT_THAT(found.why.observation, HasSubstr("What needs this wait (async_copy.cu:14) is "));
  EXPECT_THAT(found.why.observation, HasSubstr("Free the memory in stream 2: there it needs no wait."));
  EXPECT_THAT(found.why.observation, testing::Not(HasSubstr("needs nothing of stream 2 there")));
}

TEST(WaitsOnlyForWhatItNeeds, OfAnAllocationInAnotherStreamNamesThat) {
  sample_run run;
  run.touches(run.copy_to_device(run.lane[0], {20, 40}, 12), 1, access_mode::write);
  const trace::operation_id allocation = run.marker(operation_kind::allocate, run.lane[0], 40, 20);
  run.touches(allocation, 2, access_mode::write);
  const trace::operation_id record = run.marker(operation_kind::event_record, run.lane[0], 40, 13);
  const trace::operation_id wait = run.marker(operation_kind::event_wait, run.lane[1], 41, 14);
  run.recording().operations[wait - 1].captured = record;
  run.touches(run.kernel(run.lane[1], {50, 60}, 15), 2, access_mode::write);
  const verdict found = WaitsOnlyForWhatItNeeds(kernels()).match(run.learner());
  EXPECT_EQ(found.why.where, "async_copy.cu:20, async_copy.cu:13");
  EXPECT_THAT(found.why.observation, HasSubstr("allocate the memory in stream 3, which uses it first."));
}

TEST(WaitsOnlyForWhatItNeeds, WithoutAccessesSaysThatTheyAreMissing) {
  sample_run run = branches(true);
  run.recording().host_accesses.reset();
  for (trace::operation& operation : run.recording().operations) operation.accesses.reset();
  const verdict found = WaitsOnlyForWhatItNeeds(kernels()).match(run.learner());
  EXPECT_EQ(found.outcome, criterion_verdict::pass);
  EXPECT_EQ(found.note, "which data they need is not recorded");
}

TEST(WaitsOnlyForWhatItNeeds, LeavesOutWhatIsQueuedAfterAWaitOfTheHost) {
  sample_run run;
  run.touches(run.copy_to_device(run.lane[0], {0, 20}, 11), 1, access_mode::write);
  run.marker(operation_kind::event_record, run.lane[0], 21, 12);
  run.call("cudaDeviceSynchronize", {22, 23}, 13);
  run.touches(run.kernel(run.lane[1], {30, 40}, 14), 2, access_mode::read);
  EXPECT_EQ(WaitsOnlyForWhatItNeeds(kernels()).match(run.learner()).outcome, criterion_verdict::pass);
}

/// A part "request 0" with a kernel in a stream, and a wait for a stream.
run_facts request_with_wait_for(sample_run& run, trace::stream_id stream) {
  run.kernel(run.lane[0], {0, 10}, 11);
  run.call("cudaStreamSynchronize", {11, 12}, 12, stream);
  run.learner();
  for (const char* name : {"begin:request 0", "end:request 0"}) {
    trace::mark mark = run.recording().marks[name[0] == 'b' ? 0 : 1];
    mark.name = name;
    run.recording().marks.push_back(mark);
  }
  return run.part("learner");
}

TEST(WaitsOnlyForItsOwnStreams, PassesWhenTheHostWaitsForTheStreamOfTheOperation) {
  sample_run run;
  const run_facts facts = request_with_wait_for(run, sample_run::lane[0]);
  EXPECT_EQ(WaitsOnlyForItsOwnStreams("request", 1).match(facts).outcome, criterion_verdict::pass);
}

TEST(WaitsOnlyForItsOwnStreams, FailsWhenItWaitsForAnotherToo) {
  sample_run run;
  const run_facts facts = request_with_wait_for(run, sample_run::default_stream);
  const verdict found = WaitsOnlyForItsOwnStreams("request", 1).match(facts);
  EXPECT_EQ(found.outcome, criterion_verdict::fail);
  EXPECT_EQ(found.why.observation, "cudaStreamSynchronize (async_copy.cu:12) waits for the default stream.");
}

TEST(WaitsOnlyForItsOwnStreams, AnEventRecordedThereIsNoWork) {
  sample_run run;
  run.marker(trace::operation_kind::event_record, sample_run::default_stream, 1, 10);
  const run_facts facts = request_with_wait_for(run, sample_run::default_stream);
  EXPECT_EQ(WaitsOnlyForItsOwnStreams("request", 1).match(facts).outcome, criterion_verdict::fail);
}

}  // namespace
}  // namespace matchers

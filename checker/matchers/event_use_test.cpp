#include "matchers/event_use.h"

#include <gmock/gmock.h>

#include "matchers/sample_run.h"

namespace matchers {
namespace {

using testing::HasSubstr;
using testing::Not;

void record(sample_run& run, trace::stream_id stream, int microsecond, int line, bool has_timing = true) {
  trace::event event;
  event.id = static_cast<trace::event_id>(run.recording().events.size() + 1);
  event.has_timing = has_timing;
  run.recording().events.push_back(event);
  const auto id = run.kernel(stream, {microsecond, microsecond}, line);
  trace::operation& operation = run.recording().operations[id - 1];
  operation.kind = trace::operation_kind::event_record;
  operation.name = "";
  operation.event = event.id;
}

// A first launch on line 10, then event, kernel of 100 us on line 12, event 105 us after the first.
sample_run measured(trace::stream_id stream_of_the_end = sample_run::lane[0]) {
  sample_run run;
  run.kernel(run.lane[0], {0, 200}, 10);
  record(run, run.lane[0], 300, 11);
  run.kernel(run.lane[0], {300, 400}, 12);
  record(run, stream_of_the_end, 405, 13);
  run.call("cudaEventElapsedTime", {406, 407}, 14);
  return run;
}

std::string observation_when_failing(sample_run& run, double milliseconds) {
  const verdict found = MeasuresWithEvents(kernels(), milliseconds).within(0.1).match(run.learner());
  EXPECT_EQ(found.outcome, report::criterion_verdict::fail);
  return found.why.observation + " " + found.why.where;
}

TEST(MeasuresWithEvents, PassesWithinTheToleranceAndNotesBothTimes) {
  sample_run run = measured();
  const verdict found = MeasuresWithEvents(kernels(), 0.105).within(0.1).match(run.learner());
  EXPECT_EQ(found.outcome, report::criterion_verdict::pass);
  EXPECT_EQ(found.note, "0.105 ms, the kernel took 0.100 ms");
}

TEST(MeasuresWithEvents, ATimeThatNoTwoEventsTellWasComputed) {
  sample_run run = measured();
  const matcher near = MeasuresWithEvents(kernels(), 0.1).within(0.1);
  EXPECT_EQ(near.match(run.learner()).mistake, "time_computed");
  run.recording().host_accesses.reset();  // as on a real GPU
  EXPECT_EQ(near.match(run.learner()).outcome, report::criterion_verdict::pass);
}

TEST(MeasuresWithEvents, SaysBothTimesWhenTheNumberIsOff) {
  sample_run run = measured();
  EXPECT_EQ(observation_when_failing(run, 0.2),
            "Your function returned 0.200 ms, but the kernel transform 2 took 0.100 ms. async_copy.cu:14");
  EXPECT_EQ(MeasuresWithEvents(kernels(), 0.08).within(0.1).match(run.learner()).outcome,
            report::criterion_verdict::fail);
}

TEST(MeasuresWithEvents, SaysWhenTheEventsWereExchangedOrTheTimeIsInSeconds) {
  sample_run run = measured();
  EXPECT_THAT(observation_when_failing(run, -0.105),
              HasSubstr("the two events the wrong way round. async_copy.cu:14"));
  EXPECT_THAT(observation_when_failing(run, 0.000105), HasSubstr("That is in seconds"));
}

TEST(MeasuresWithEvents, OfATimeInSecondsLeadsToTheReturnBehindTheQuestion) {
  sample_run run = measured();
  run.source() = {"async_copy.cu", std::string(14, '\n') + "return milliseconds / 1000;\n", ""};
  const verdict found = MeasuresWithEvents(kernels(), 0.000105).within(0.1).match(run.learner());
  EXPECT_EQ(found.why.where, "async_copy.cu:15, async_copy.cu:14");
}

TEST(MeasuresWithEvents, NamesWhatElseIsBetweenTheEvents) {
  sample_run run;
  run.kernel(run.lane[0], {0, 200}, 10);
  record(run, run.lane[0], 300, 11);
  run.copy_to_device(run.lane[0], {300, 400}, 12);
  run.kernel(run.lane[0], {400, 500}, 13);
  record(run, run.lane[0], 505, 14);
  run.call("cudaEventElapsedTime", {506, 507}, 15);
  EXPECT_THAT(observation_when_failing(run, 0.205), HasSubstr("there is also the copy H2D 1"));
  EXPECT_THAT(observation_when_failing(run, 0.205), testing::EndsWith("async_copy.cu:12"));
}

TEST(MeasuresWithEvents, FailsWhereSomethingElseIsBetweenTheEventsHoweverShortItIs) {
  sample_run run;
  run.kernel(run.lane[0], {0, 200}, 10);
  record(run, run.lane[0], 300, 11);
  run.kernel(run.lane[0], {300, 400}, 12);
  run.copy_to_host(run.lane[0], {400, 402}, 13);
  record(run, run.lane[0], 403, 14);
  run.call("cudaEventElapsedTime", {406, 407}, 15);
  EXPECT_THAT(observation_when_failing(run, 0.103),
              AllOf(testing::StartsWith("Between the two events there is also the copy D2H 1"),
                    testing::EndsWith("async_copy.cu:13")));
}

TEST(MeasuresWithEvents, FailsWhereOtherWorkRunsMeanwhile) {
  sample_run run = measured();
  const trace::operation& timed = run.recording().operations.at(run.recording().operations.size() - 2);
  const int middle = static_cast<int>((timed.start + timed.end).count() / 2000);
  run.copy_to_device(run.lane[1], {middle, middle + 1}, 9);
  EXPECT_EQ(
      observation_when_failing(run, 0.105),
      "The copy H2D 1 of 1.0 MB to the device in stream 3 ran while the events measured the kernel transform 2 in stream "
      "2: the time is that of a device that has more to do. async_copy.cu:9");
}

TEST(MeasuresWithEvents, NamesTheEventInAnotherStream) {
  sample_run run = measured(sample_run::lane[1]);
  EXPECT_EQ(
      observation_when_failing(run, 0.1),
      "The event after the kernel transform 2 in stream 2 was recorded in another stream, by the event record 2 in stream 3: "
      "it tells when that stream came there. async_copy.cu:13");
}

TEST(MeasuresWithEvents, FailsWhenTheFirstLaunchIsMeasured) {
  sample_run run;
  record(run, run.lane[0], 0, 11);
  run.kernel(run.lane[0], {0, 100}, 12);
  record(run, run.lane[0], 100, 13);
  EXPECT_THAT(observation_when_failing(run, 0.1),
              HasSubstr("The first launch of transform is inside the measured time"));
}

/// Three launches of 100, 120 and 130 us, each between two events.
sample_run measured_three_times() {
  sample_run run;
  int now = 0;
  for (const int length : {100, 120, 130}) {
    record(run, run.lane[0], now, 11);
    run.kernel(run.lane[0], {now, now + length}, 12);
    record(run, run.lane[0], now += length, 13);
    now += 10;
  }
  run.recording().host_accesses.emplace();
  return run;
}

verdict left_out(sample_run& run, double milliseconds) {
  run.answer().set("mean", milliseconds);
  return LeavesOutTheFirstLaunch(kernels(), "mean").match(run.learner());
}

TEST(LeavesOutTheFirstLaunch, AMeanThatHoldsTheFirstTimeFails) {
  sample_run run = measured_three_times();
  for (const double mean : {0.11, 0.35 / 3}) {
    const verdict found = left_out(run, mean);
    EXPECT_EQ(found.mistake, "first_launch_measured");
    EXPECT_EQ(found.why.where, "async_copy.cu:11");
  }
}

TEST(LeavesOutTheFirstLaunch, ALaunchOfAnotherKernelBeforeItIsNamed) {
  sample_run run;
  const auto other = run.kernel(run.lane[0], {0, 50}, 9);
  run.recording().operations[other - 1].name = "sharpen";
  record(run, run.lane[0], 60, 11);
  run.kernel(run.lane[0], {60, 160}, 12);
  record(run, run.lane[0], 160, 13);
  run.recording().host_accesses.emplace();
  run.answer().set("mean", 0.1);
  const operation_set transform{"kernels",
                                [](const trace::operation& one) { return one.name == "transform"; }};
  const verdict found = LeavesOutTheFirstLaunch(transform, "mean").match(run.learner());
  EXPECT_EQ(found.mistake, "first_launch_measured");
  EXPECT_EQ(
      found.why.observation,
      "The first launch of transform is in the time that came back: the event record 1 in stream 2 starts it. What was "
      "launched before it, the kernel sharpen 1 in stream 2 (async_copy.cu:9), is another kernel: that loads no code of "
      "transform.");
  EXPECT_EQ(found.why.where, "async_copy.cu:9, async_copy.cu:11");
}

TEST(LeavesOutTheFirstLaunch, OneOfTheOthersOrTheirMeanPasses) {
  sample_run run = measured_three_times();
  for (const double mean : {0.12, 0.13, 0.125})
    EXPECT_EQ(left_out(run, mean).outcome, report::criterion_verdict::pass);
}

TEST(LeavesOutTheFirstLaunch, WhatAllTakeTheSameTimeForPasses) {
  sample_run run;
  for (const int begin : {0, 110}) {
    record(run, run.lane[0], begin, 11);
    run.kernel(run.lane[0], {begin, begin + 100}, 12);
    record(run, run.lane[0], begin + 100, 13);
  }
  run.recording().host_accesses.emplace();
  EXPECT_EQ(left_out(run, 0.1).outcome, report::criterion_verdict::pass);
}

TEST(MeasuresWithEvents, FailsWithoutATimedEventOnEachSide) {
  sample_run run;
  run.kernel(run.lane[0], {0, 200}, 10);
  record(run, run.lane[0], 300, 11);
  run.kernel(run.lane[0], {300, 400}, 12);
  record(run, run.lane[0], 400, 13, false);
  EXPECT_EQ(
      observation_when_failing(run, 0.1),
      "No event with timing was recorded after the kernel transform 2 in stream 2. The last with timing is the event "
      "record 1 in stream 2. async_copy.cu:12, async_copy.cu:11");
}

TEST(MeasuresWithEvents, FailsWhenNobodyAsksForTheTime) {
  sample_run run = measured();
  run.recording().calls.back().function = trace::api_function::cudaEventQuery;
  EXPECT_THAT(observation_when_failing(run, 0.1),
              HasSubstr("cudaEventElapsedTime was not called. async_copy.cu:13"));
}

TEST(MeasuresWithEvents, NamesTheQuestionThatCameTooEarly) {
  sample_run run = measured();
  run.recording().calls.back().error_code = 600;
  EXPECT_THAT(observation_when_failing(run, 0), HasSubstr("the second event had not happened yet"));
}

TEST(MeasuresWithEvents, NamesTheQueryThatWasNoWait) {
  sample_run run = measured();
  run.recording().calls.back().function = trace::api_function::cudaEventQuery;
  run.recording().calls.back().error_code = trace::not_ready;
  run.recording().calls.back().captured = run.recording().operations.back().id;
  run.recording().calls[run.call("cudaEventElapsedTime", {408, 409}, 15) - 1].error_code = trace::not_ready;
  EXPECT_THAT(
      observation_when_failing(run, 0),
      HasSubstr("cudaEventQuery (async_copy.cu:14) had been told the same, and went on without waiting. "
                "async_copy.cu:14, async_copy.cu:15"));
}

TEST(MeasuresWithEvents, NamesTheWaitForTheOtherEvent) {
  sample_run run = measured();
  const auto first_record = run.recording().operations[1].id;
  trace::host_call& wait = run.recording().calls.back();
  wait.function = trace::api_function::cudaEventSynchronize;
  wait.captured = first_record;
  run.recording().calls[run.call("cudaEventElapsedTime", {408, 409}, 15) - 1].error_code = trace::not_ready;
  EXPECT_THAT(
      observation_when_failing(run, 0),
      HasSubstr(
          "cudaEventSynchronize (async_copy.cu:14) does not help: it waits for the event recorded at "
          "async_copy.cu:11, not for the one recorded at async_copy.cu:13. async_copy.cu:14, async_copy.cu:15"));
  run.recording().calls[run.recording().calls.size() - 2].captured = run.recording().operations.back().id;
  EXPECT_THAT(observation_when_failing(run, 0), testing::Not(HasSubstr("does not help")));
}

TEST(MeasuresWithEvents, MayAskUntilThereIsATime) {
  sample_run run = measured();
  run.recording().calls.back().error_code = trace::not_ready;
  run.call("cudaEventElapsedTime", {408, 409}, 14);
  EXPECT_EQ(MeasuresWithEvents(kernels(), 0.105).within(0.1).match(run.learner()).outcome,
            report::criterion_verdict::pass);
}

TEST(MeasuresWithEvents, SaysSoWhenThereIsNoKernel) {
  sample_run run;
  EXPECT_THAT(observation_when_failing(run, 0.1), HasSubstr("There were no kernels at all."));
}

// A wait of the second lane for `captured`, on line 14.
sample_run waiting_for(trace::operation_id captured) {
  sample_run run;
  const auto marker = run.kernel(run.lane[1], {0, 1}, 14);
  trace::operation& wait = run.recording().operations[marker - 1];
  wait.kind = trace::operation_kind::event_wait;
  wait.captured = captured;
  run.recording().calls.back().function = trace::api_function::cudaStreamWaitEvent;
  return run;
}

TEST(WaitsForRecordedEvents, PassesWhenTheWaitKnowsItsRecord) {
  EXPECT_EQ(WaitsForRecordedEvents().match(waiting_for(7).learner()).outcome,
            report::criterion_verdict::pass);
}

TEST(WaitsForRecordedEvents, NamesTheLineOfAWaitForNothing) {
  const verdict found = WaitsForRecordedEvents().match(waiting_for(0).learner());
  EXPECT_EQ(found.outcome, report::criterion_verdict::fail);
  EXPECT_EQ(found.run, report::run_verdict::race_detected);
  EXPECT_THAT(
      found.why.observation,
      HasSubstr("cudaStreamWaitEvent (async_copy.cu:14) waits for an event that no call had recorded yet."));
  EXPECT_EQ(found.why.where, "async_copy.cu:14");
}

TEST(WaitsForRecordedEvents, LeadsToTheCallThatOverwroteTheHandle) {
  sample_run run;
  const trace::call_id made = run.call("cudaEventCreate", {0, 1}, 10);
  const trace::call_id again = run.call("cudaEventCreate", {1, 2}, 12);
  run.recording().events = {{.id = 1, .created_by = made, .overwritten_by = again},
                            {.id = 2, .created_by = again}};
  run.recording().calls[again - 1].event = 2;
  run.recording().calls[run.call("cudaEventSynchronize", {2, 3}, 15) - 1].event = 2;
  const verdict found = WaitsForRecordedEvents().match(run.learner());
  EXPECT_THAT(
      found.why.observation,
      HasSubstr(
          "put this event into the variable that still held the one of cudaEventCreate (async_copy.cu:10)."));
  EXPECT_EQ(found.why.where, "async_copy.cu:12, async_copy.cu:15");
}

TEST(WaitsForRecordedEvents, LooksAtWaitsOfTheHostToo) {
  sample_run run;
  run.call("cudaEventSynchronize", {0, 1}, 15);
  EXPECT_EQ(WaitsForRecordedEvents().match(run.learner()).outcome, report::criterion_verdict::fail);
}

}  // namespace
}  // namespace matchers

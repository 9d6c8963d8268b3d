#include "matchers/lengths.h"

#include <gmock/gmock.h>

#include "matchers/sample_run.h"

namespace matchers {
namespace {

using std::chrono::microseconds;
using testing::HasSubstr;
using testing::Not;

// Kernels from 100 us to 200 us and from 250 us to 350 us.
sample_run with_a_pause() {
  sample_run run;
  run.kernel(run.lane[0], {100, 200}, 12);
  run.kernel(run.lane[0], {250, 350}, 13);
  return run;
}

TEST(WorkInFull, OfAllTogetherIsNotJudgedWhereTheContractsFunctionWasNotCalledForAll) {
  sample_run run = with_a_pause();
  const run_facts facts = run.learner();
  run.recording().marks.push_back({.name = "call:load:0"});
  for (const std::int64_t second : {1, 0}) {
    run.answer().set("calls.load", std::vector<std::int64_t>{1, second, 0});
    const verdict found = WorkInFull(kernels()).together(microseconds(300)).match(facts);
    EXPECT_EQ(found.outcome,
              second == 1 ? report::criterion_verdict::fail : report::criterion_verdict::not_observable);
    if (second == 0) {
      EXPECT_EQ(found.note, "not all of the work was done: your function never called load() for 1");
    }
  }
}

TEST(WorkInFull, NamesTheShortestOfKernelsThatDoTooLittle) {
  sample_run run = with_a_pause();
  run.kernel(run.lane[1], {350, 360}, 14);
  EXPECT_EQ(WorkInFull(kernels()).together(microseconds(230)).match(run.learner()).outcome,
            report::criterion_verdict::pass);
  const verdict found = WorkInFull(kernels()).together(microseconds(300)).match(run.learner());
  EXPECT_EQ(found.outcome, report::criterion_verdict::fail);
  EXPECT_EQ(found.mistake, "short_kernels");
  EXPECT_EQ(WorkInFull(kernels()).in_every_launch(microseconds(12)).match(run.learner()).outcome,
            report::criterion_verdict::pass);
  EXPECT_EQ(WorkInFull(kernels()).in_every_launch(microseconds(13)).match(run.learner()).why.observation,
            "The shortest, the kernel transform 3 in stream 3, took 10 us.");
  EXPECT_THAT(
      found.why.observation,
      HasSubstr(
          "They worked for 210 us in all. The shortest, the kernel transform 3 in stream 3, took 10 us."));
  EXPECT_EQ(found.why.where, "async_copy.cu:14");
}

TEST(Lasts, PassesUpToTheAllowedRatioAndNotesIt) {
  sample_run run = with_a_pause();
  const verdict found = Lasts(kernels()).at_most(1.25, microseconds(200)).match(run.learner());
  EXPECT_EQ(found.outcome, report::criterion_verdict::pass);
  EXPECT_EQ(found.note, "1.25 times as long as alone, allowed 1.25");
  EXPECT_TRUE(found.compares_with_calibration);
}

TEST(Lasts, FailsAboveItWithTheLongestPauseAndItsLine) {
  sample_run run = with_a_pause();
  const verdict found = Lasts(kernels()).at_most(1.2, microseconds(200)).match(run.learner());
  EXPECT_EQ(found.outcome, report::criterion_verdict::fail);
  EXPECT_EQ(found.run, report::run_verdict::too_slow);
  EXPECT_THAT(found.why.observation,
              HasSubstr("it took 250 us, 1.25 times as long. The longest pause, 50 us, is before "
                        "the kernel transform 2 in stream 2, which starts at 250 us."));
  EXPECT_EQ(found.why.where, "async_copy.cu:13");
}

TEST(Lasts, FollowsAPauseThroughEventsToTheCallThatKeptTheHost) {
  sample_run run;
  run.kernel(run.lane[0], {0, 100}, 12);
  run.call("cudaDeviceSynchronize", {1, 100}, 13);
  const trace::operation_id copy = run.copy_to_device(run.lane[1], {101, 200}, 14);
  const trace::operation_id record = run.marker(trace::operation_kind::event_record, run.lane[1], 200, 15);
  const trace::operation_id wait = run.marker(trace::operation_kind::event_wait, run.lane[0], 200, 16);
  const trace::operation_id late = run.kernel(run.lane[0], {200, 300}, 17);
  const auto held_by = [&](trace::operation_id id, trace::constraint_kind kind, trace::operation_id behind) {
    run.recording().operations[id - 1].waited_for = {
        {.kind = kind, .operation = behind, .until = microseconds(200)}};
  };
  held_by(copy, trace::constraint_kind::host_issue, 0);
  held_by(record, trace::constraint_kind::stream_order, copy);
  held_by(wait, trace::constraint_kind::event, record);
  held_by(late, trace::constraint_kind::stream_order, wait);
  const verdict found = Lasts(kernels()).at_most(1.2, microseconds(200)).match(run.learner());
  EXPECT_EQ(found.mistake, "host_waits_early");
  EXPECT_EQ(found.why.where, "async_copy.cu:13");
  EXPECT_THAT(
      found.why.observation,
      HasSubstr("What the event stands for begins with H2D 1. The host had not issued it before, because it "
                "was waiting in cudaDeviceSynchronize (async_copy.cu:13)."));
}

TEST(Lasts, OfAPauseBeforeAWaitForALaterRecordThanIsNeededNamesBothRecords) {
  enum class need { none, at_once, later };
  for (const need of_second : {need::none, need::at_once, need::later}) {
    sample_run run;
    run.kernel(run.lane[1], {0, 50}, 12);
    const trace::operation_id first = run.copy_to_device(run.lane[0], {0, 50}, 13);
    const trace::operation_id early = run.marker(trace::operation_kind::event_record, run.lane[0], 50, 14);
    const trace::operation_id second = run.copy_to_host(run.lane[0], {50, 150}, 13);
    const trace::operation_id record = run.marker(trace::operation_kind::event_record, run.lane[0], 150, 14);
    const trace::operation_id wait = run.marker(trace::operation_kind::event_wait, run.lane[1], 150, 16);
    const trace::operation_id late = run.kernel(run.lane[1], {150, 250}, 17);
    std::vector<trace::operation>& operations = run.recording().operations;
    operations[wait - 1].captured = record;
    for (const trace::operation_id id : {early, record}) operations[id - 1].event = 1;
    operations[wait - 1].waited_for = {{trace::constraint_kind::event, record, 0, microseconds(150)}};
    operations[late - 1].waited_for = {{trace::constraint_kind::stream_order, wait, 0, microseconds(150)}};
    run.touches(first, 2, trace::access_mode::write);
    run.touches(late, 2, trace::access_mode::read);
    run.touches(second, 1, trace::access_mode::write);
    if (of_second == need::at_once) run.touches(late, 1, trace::access_mode::read);
    run.marker(trace::operation_kind::event_wait, run.lane[1], 250, 18);
    const trace::operation_id last = run.kernel(run.lane[1], {250, 260}, 19);
    if (of_second == need::later) run.touches(last, 1, trace::access_mode::read);
    const verdict found = Lasts(kernels()).at_most(1, microseconds(150)).match(run.learner());
    EXPECT_EQ(found.mistake == "event_recorded_again", of_second == need::none);
    if (of_second != need::none) continue;
    EXPECT_THAT(
        found.why.observation,
        HasSubstr(
            "The wait took the latest record, behind the copy D2H 1 of 1.0 MB to the host (async_copy.cu:14). What follows up to "
            "the next wait needs no more than an earlier record of that event, the one behind the copy H2D 1 of 1.0 MB "
            "to the device, which was there at 50 us. Queue the wait before"));
    EXPECT_EQ(found.why.where, "async_copy.cu:16, async_copy.cu:14");
  }
}

TEST(Lasts, WorkSideBySideIsNoPause) {
  sample_run run;
  run.kernel(run.lane[0], {0, 300}, 12);
  run.kernel(run.lane[1], {100, 200}, 13);
  run.kernel(run.lane[1], {250, 400}, 13);
  const verdict found = Lasts(kernels()).at_most(1, microseconds(200)).match(run.learner());
  EXPECT_EQ(found.outcome, report::criterion_verdict::fail);
  EXPECT_THAT(found.why.observation, Not(HasSubstr("longest pause")));
}

TEST(Lasts, KernelsThatFillTheGpuAndTakeLongerAreToBlameThemselves) {
  sample_run run;
  run.kernel(run.lane[0], {0, 100}, 12);
  run.kernel(run.lane[0], {100, 400}, 13);
  run.recording().devices = {{.multiprocessors = 2}};
  for (trace::operation& kernel : run.recording().operations) kernel.grid = {64, 1, 1};
  const verdict found = Lasts(kernels()).at_most(1, microseconds(200)).match(run.learner());
  EXPECT_EQ(found.why.where, "async_copy.cu:13");
  EXPECT_THAT(found.why.observation,
              HasSubstr("The longest, the kernel transform 2 in stream 2, took 300 us."));
}

TEST(Lasts, TellsWhatKeepsSmallKernelsOfSeveralStreamsApart) {
  sample_run run;
  run.kernel(run.lane[0], {0, 100}, 12);
  run.call("cudaDeviceSynchronize", {1, 100}, 13);
  const auto late = run.kernel(run.lane[1], {101, 200}, 14);
  trace::operation& kernel = run.recording().operations.at(late - 1);
  kernel.waited_for = {
      {.kind = trace::constraint_kind::host_issue, .call = kernel.issued_by, .until = kernel.start}};
  const verdict found = Lasts(kernels()).at_most(1, microseconds(100)).match(run.learner());
  EXPECT_EQ(found.mistake, "synchronization");
  EXPECT_EQ(found.why.where, "async_copy.cu:13");
}

TEST(Lasts, OfSmallKernelsInFewStreamsLeadsToWhoChoseTheirNumber) {
  sample_run run;
  run.source() = {"async_copy.cu", "int streams_for(int n) {\n  return n;\n}\n", ""};
  run.answer().set("streams_for", std::int64_t{2});
  run.kernel(run.lane[0], {0, 100}, 12);
  run.kernel(run.lane[1], {0, 90}, 12);
  for (trace::operation& kernel : run.recording().operations) kernel.grid = {2, 1, 1};
  const verdict found =
      Lasts(kernels()).in_streams_from("streams_for").at_most(1, microseconds(50)).match(run.learner());
  EXPECT_EQ(found.mistake, "room_left_empty");
  EXPECT_THAT(found.why.observation,
              testing::EndsWith("streams_for() chose 2 as their number (async_copy.cu:2)."));
  EXPECT_EQ(found.why.where, "async_copy.cu:2, async_copy.cu:12");
}

TEST(Lasts, DoesNotBlameAPauseThatIsTooShortToMatter) {
  sample_run run;
  run.kernel(run.lane[0], {100, 300}, 12);
  run.kernel(run.lane[0], {301, 500}, 13);
  run.recording().operations[0].grid = {40, 1, 1};
  run.recording().operations[1].grid = {20, 1, 1};
  const verdict found = Lasts(kernels()).at_most(1, microseconds(200)).match(run.learner());
  EXPECT_EQ(found.outcome, report::criterion_verdict::fail);
  const report::evidence& why = found.why;
  EXPECT_THAT(why.observation,
              HasSubstr("it took 400 us, 2.00 times as long. No pause explains that: kernels were "
                        "running for 399 us."));
  EXPECT_THAT(
      why.observation,
      HasSubstr("the kernel transform 2 in stream 2 has 20 blocks, and on average 1.0 ran at a time."));
  EXPECT_EQ(why.where, "async_copy.cu:13");
  EXPECT_THAT(why.read_next, HasSubstr("How many blocks"));
}

TEST(Lasts, SaysSoWhenThereIsNothing) {
  sample_run run;
  const verdict found = Lasts(kernels()).at_most(1, microseconds(200)).match(run.learner());
  EXPECT_EQ(found.outcome, report::criterion_verdict::fail);
  EXPECT_EQ(found.why.observation, "There were no kernels at all. Your function queued nothing.");
}

TEST(Lasts, NamesTheKernelsThatThereAreInstead) {
  sample_run run;
  run.kernel(run.lane[0], {0, 100}, 12);
  const trace::operation_id other = run.kernel(run.lane[0], {100, 200}, 13);
  run.recording().operations.at(other - 1).name = "my_own";
  const operation_set wanted{"kernels `sharpen`",
                             [](const trace::operation& operation) { return operation.name == "sharpen"; }};
  const verdict found = Lasts(wanted).at_most(1, microseconds(200)).match(run.learner());
  EXPECT_THAT(
      found.why.observation,
      testing::EndsWith(
          "The kernels that it launched are `transform` (async_copy.cu:12), `my_own` (async_copy.cu:13)."));
  EXPECT_EQ(found.why.where, "async_copy.cu:12, async_copy.cu:13");
}

// Request 1 from 0 us to 100 us; request 2 from 200 us to 500 us, with a kernel that starts 200 us late.
run_facts two_requests(sample_run& run) {
  run.kernel(run.lane[0], {10, 90}, 12);
  run.kernel(run.lane[0], {400, 490}, 13);
  run.recording().operations[1].issued = microseconds(200);
  run.call("cudaStreamSynchronize", {490, 600}, 14);
  run.learner();
  std::vector<trace::mark>& marks = run.recording().marks;
  const std::vector<trace::mark> requests{{"begin:request 0", microseconds(0), 0, 0},
                                          {"end:request 0", microseconds(100), 1, 1},
                                          {"begin:request 1", microseconds(200), 1, 1},
                                          {"end:request 1", microseconds(500), 3, 2}};
  marks.insert(marks.begin() + 1, requests.begin(), requests.end());
  return run.part("learner");
}

TEST(PartsLast, PassesWhenTheSlowestIsFastEnoughAndNotesIt) {
  sample_run run;
  const verdict found = PartsLast("request", 2).at_most(1.5, microseconds(200)).match(two_requests(run));
  EXPECT_EQ(found.outcome, report::criterion_verdict::pass);
  EXPECT_EQ(found.note, "the slowest took 1.50 times the attainable, allowed 1.50");
  EXPECT_TRUE(found.compares_with_calibration);
}

TEST(PartsLast, NamesTheSlowestAndItsWorkThatWaitedLongest) {
  sample_run run;
  const verdict found = PartsLast("request", 2).at_most(1.4, microseconds(200)).match(two_requests(run));
  EXPECT_EQ(found.outcome, report::criterion_verdict::fail);
  EXPECT_EQ(found.run, report::run_verdict::too_slow);
  EXPECT_THAT(
      found.why.observation,
      HasSubstr("Request 1 took 300 us, 1.50 times as long. Of its work, the kernel transform 2 in stream 2 "
                "waited longest: queued at 200 us, started at 400 us."));
  EXPECT_EQ(found.why.where, "async_copy.cu:13");
}

TEST(PartsLast, WithoutRoomNamesAlsoTheKernelThatHasMoreBlocksThanTheOneThatHoldsIt) {
  for (const std::uint32_t blocks : {2U, 512U}) {
    sample_run run;
    const auto holder = run.kernel(run.lane[0], {0, 400}, 12);
    const auto late = run.kernel(run.lane[1], {400, 450}, 13);
    run.recording().operations[holder - 1].grid = {115, 1, 1};
    trace::operation& operation = run.recording().operations[late - 1];
    operation.grid = {blocks, 1, 1};
    operation.issued = microseconds(100);
    operation.priority = -1;
    operation.waited_for = {
        {.kind = trace::constraint_kind::no_room, .operation = holder, .until = operation.start}};
    run.learner();
    std::vector<trace::mark>& marks = run.recording().marks;
    marks.insert(marks.begin() + 1,
                 {{"begin:request 0", microseconds(90), 1, 1}, {"end:request 0", microseconds(450), 2, 2}});
    const verdict found = PartsLast("request", 1).at_most(1, microseconds(100)).match(run.part("learner"));
    EXPECT_EQ(found.mistake, "room_taken");
    EXPECT_EQ(found.why.where, blocks == 512 ? "async_copy.cu:13, async_copy.cu:12" : "async_copy.cu:12");
  }
}

TEST(PartsLast, DoesNotBlameWorkThatOnlyFollowsOtherWorkOfTheSamePart) {
  sample_run run;
  const auto kernel = run.kernel(run.lane[0], {300, 400}, 12);
  const auto copy = run.copy_to_host(run.lane[0], {400, 500}, 13);
  run.recording().operations[copy - 1].issued = microseconds(0);
  run.recording().operations[kernel - 1].issued = microseconds(0);
  run.recording().operations[copy - 1].waited_for = {
      {.kind = trace::constraint_kind::stream_order, .operation = kernel}};
  run.learner();
  std::vector<trace::mark>& marks = run.recording().marks;
  marks.insert(marks.begin() + 1,
               {{"begin:request 0", microseconds(0), 0, 0}, {"end:request 0", microseconds(500), 2, 2}});
  const verdict found = PartsLast("request", 1).at_most(1, microseconds(100)).match(run.part("learner"));
  EXPECT_EQ(found.outcome, report::criterion_verdict::fail);
  EXPECT_EQ(found.why.where, "async_copy.cu:12");
}

/// Of a request whose kernel ended at 200 us and which ended at 900 us, in line 15, behind that call in line 14, which began then (us).
verdict of_late_request(const char* call, int begin) {
  sample_run run;
  run.kernel(run.lane[0], {110, 200}, 12);
  run.recording().operations[0].issued = microseconds(100);
  run.call(call, {begin, 900}, 14);
  run.learner();
  std::vector<trace::mark>& marks = run.recording().marks;
  marks.insert(marks.begin() + 1, {{"begin:request 0", microseconds(0), 0, 0},
                                   {"end:request 0", microseconds(900), 2, 1, {1, 15}}});
  return PartsLast("request", 1).at_most(1, microseconds(200)).match(run.part("learner"));
}

TEST(PartsLast, NamesTheCallThatWaitsLongerThanTheWorkTakes) {
  const verdict found = of_late_request("cudaDeviceSynchronize", 150);
  EXPECT_EQ(found.outcome, report::criterion_verdict::fail);
  EXPECT_THAT(found.why.observation,
              HasSubstr("All its work was done at 200 us. The host was in cudaDeviceSynchronize "
                        "(async_copy.cu:14) until 900 us: that call waits for more than that work."));
  EXPECT_EQ(found.why.where, "async_copy.cu:14");
}

TEST(PartsLast, NamesTheLineThatEndsThePartWhenTheHostWorkedBetween) {
  const verdict found = of_late_request("host_work", 250);
  EXPECT_THAT(
      found.why.observation,
      HasSubstr("All its work was done at 200 us, but it was ended only at 900 us (async_copy.cu:15), "
                "behind host_work (async_copy.cu:14)."));
  EXPECT_EQ(found.why.where, "async_copy.cu:15, async_copy.cu:14");
  EXPECT_EQ(found.mistake, "late_end");
}

TEST(PartsLast, APartThatHoldsTheNextWasNotEndedInTime) {
  sample_run run;
  run.kernel(run.lane[0], {0, 100}, 12);
  run.call("cudaStreamSynchronize", {1, 100}, 14);
  run.call("cudaGetLastError", {599, 600}, 15);
  run.learner();
  std::vector<trace::mark>& marks = run.recording().marks;
  marks.insert(marks.begin() + 1, {{"begin:request 0", microseconds(0), 0, 0},
                                   {"begin:request 1", microseconds(200), 2, 1},
                                   {"end:request 0", microseconds(500), 2, 1},
                                   {"end:request 1", microseconds(500), 2, 1}});
  const verdict found = PartsLast("request", 2).at_most(1, microseconds(200)).match(run.part("learner"));
  EXPECT_EQ(found.mistake, "late_end");
  EXPECT_EQ(found.why.where, "async_copy.cu:14");
}

TEST(PartsLast, FailsWhenOneIsMissing) {
  sample_run run;
  const verdict found = PartsLast("request", 3).at_most(100, microseconds(200)).match(two_requests(run));
  EXPECT_EQ(found.outcome, report::criterion_verdict::fail);
  EXPECT_EQ(found.run, report::run_verdict::requirement_missed);
  EXPECT_EQ(found.why.observation, "Request 2 never began or was never ended. Their numbers are 0 to 2.");
}

}  // namespace
}  // namespace matchers

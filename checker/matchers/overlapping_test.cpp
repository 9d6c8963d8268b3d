#include "matchers/overlapping.h"

#include <gmock/gmock.h>

#include <chrono>

#include "device/tiny_gpu.h"
#include "matchers/sample_run.h"

namespace matchers {
namespace {

using testing::HasSubstr;
using testing::Not;

sample_run two_lanes() {
  sample_run run;
  run.copy_to_device(run.lane[0], {0, 100}, 12);
  run.kernel(run.lane[0], {100, 200}, 13);
  run.copy_to_device(run.lane[1], {100, 200}, 12);
  run.kernel(run.lane[1], {200, 300}, 13);
  return run;
}

sample_run one_after_another() {
  sample_run run;
  run.copy_to_device(run.default_stream, {0, 100}, 12);
  run.kernel(run.default_stream, {100, 200}, 13);
  run.copy_to_device(run.default_stream, {200, 300}, 12);
  run.kernel(run.default_stream, {300, 400}, 13);
  return run;
}

TEST(Overlaps, NamesWhatWasQueuedOnlyWhenAllOfTheOthersHadEnded) {
  sample_run run;
  run.kernel(run.lane[0], {0, 20}, 12);
  run.call("host_work", {1, 40}, 13);
  run.kernel(run.lane[0], {41, 61}, 12);
  run.call("host_work", {42, 90}, 13);
  run.copy_to_device(run.lane[1], {91, 120}, 15);
  const verdict found = Overlaps(kernels(), copies()).at_least(0.5).match(run.learner());
  EXPECT_EQ(found.mistake, "late_start");
  EXPECT_EQ(found.why.where, "async_copy.cu:15");
  EXPECT_THAT(found.why.observation, HasSubstr("was queued only when all of the others had ended."));
}

TEST(Overlaps, PassesWhenCopiesRunWhileKernelsRunAndNotesTheShare) {
  sample_run run = two_lanes();
  const verdict found = Overlaps(copies(), kernels()).at_least(0.5).match(run.learner());
  EXPECT_EQ(found.outcome, report::criterion_verdict::pass);
  EXPECT_EQ(found.note, "0.50, required 0.50");
}

TEST(Overlaps, OfKernelsIsNotMeasurableWhereTheGpuRunsOneAtATime) {
  sample_run run;
  run.kernel(run.lane[0], {0, 100}, 12);
  run.kernel(run.lane[1], {100, 200}, 13);
  run.gpu() = device::tiny_gpu();
  EXPECT_EQ(RunAtOnce(kernels()).on_average_at_least(1.5).match(run.learner()).outcome,
            report::criterion_verdict::fail);
  run.gpu()->resident_grids = 1;
  const operation_set first{"the first", [](const trace::operation& operation) { return operation.id == 1; }};
  const operation_set second{"the second",
                             [](const trace::operation& operation) { return operation.id == 2; }};
  for (const matcher& asked :
       {RunAtOnce(kernels()).on_average_at_least(1.5), Overlaps(first, second).at_least(0.5)}) {
    const verdict found = asked.match(run.learner());
    EXPECT_EQ(found.note, "tiny runs one kernel at a time");
    EXPECT_EQ(found.run, report::run_verdict::not_measurable);
  }
}

TEST(Overlaps, OfCopiesInBothDirectionsIsNotMeasurableWithOneCopyEngine) {
  sample_run run;
  run.copy_to_device(run.lane[0], {0, 100}, 12);
  run.copy_to_host(run.lane[1], {100, 200}, 13);
  run.gpu() = device::tiny_gpu();
  run.gpu()->copy_engines = 1;
  EXPECT_EQ(RunAtOnce(copies()).on_average_at_least(1.5).match(run.learner()).note,
            "tiny runs one copy at a time");
}

TEST(Overlaps, OfCopiesAndKernelsFailsWhereBothRunOneAtATime) {
  sample_run run = one_after_another();
  run.gpu() = device::tiny_gpu();
  run.gpu()->resident_grids = run.gpu()->copy_engines = 1;
  EXPECT_EQ(Overlaps(copies(), kernels()).at_least(0.6).match(run.learner()).outcome,
            report::criterion_verdict::fail);
}

TEST(Overlaps, FailsJustAboveTheShareThatWasReached) {
  sample_run run = two_lanes();
  EXPECT_EQ(Overlaps(copies(), kernels()).at_least(0.51).match(run.learner()).outcome,
            report::criterion_verdict::fail);
}

TEST(Overlaps, FailsInPlainWordsWithTheLineOfTheOperationThatStayedAlone) {
  sample_run run = one_after_another();
  const verdict found = Overlaps(copies(), kernels()).at_least(0.6).match(run.learner());
  EXPECT_EQ(found.outcome, report::criterion_verdict::fail);
  EXPECT_THAT(found.why.observation, HasSubstr("They did for 0 %"));
  EXPECT_EQ(found.run, report::run_verdict::no_overlap);
  EXPECT_EQ(found.why.required,
            "The copies run while kernels run, for at least 60 % of the shorter of the two.");
  EXPECT_THAT(found.why.observation,
              HasSubstr("copies were running for 200 us, kernels for 200 us, both at once for 0 ns."));
  EXPECT_THAT(
      found.why.observation,
      HasSubstr("the copy H2D 2 of 1.0 MB to the device in the default stream, from 200 us to 300 us"));
  EXPECT_EQ(found.why.where, "async_copy.cu:12");
  EXPECT_NE(found.why.read_next, "");
}

TEST(Overlaps, FailuresNameTheCauseThatCostsMostWithItsLine) {
  sample_run run = one_after_another();
  for (trace::operation& operation : run.recording().operations)
    operation.issued = std::chrono::nanoseconds(1);
  const verdict found = Overlaps(copies(), kernels()).at_least(0.6).match(run.learner());
  EXPECT_EQ(found.outcome, report::criterion_verdict::fail);
  EXPECT_THAT(
      found.why.observation,
      HasSubstr(
          "What costs most time in all: As far as the times tell: The kernel transform 2 in the default "
          "stream could not start "
          "before the copy H2D 2 of 1.0 MB to the device in the default stream ended: both "
          "are in the default stream "
          "(async_copy.cu:13)."));
}

TEST(Overlaps, BlamesNothingThatTheLessonItselfIssues) {
  sample_run run = one_after_another();
  for (trace::operation& operation : run.recording().operations)
    operation.issued = std::chrono::nanoseconds(1);
  run.recording().files.push_back({"checker/lessons/07_priorities/drive.cpp", true});
  for (trace::host_call& call : run.recording().calls) call.where.file = 2;
  const verdict found = Overlaps(copies(), kernels()).at_least(0.6).match(run.learner());
  EXPECT_THAT(found.why.observation, testing::Not(HasSubstr("What costs most time in all")));
}

TEST(Overlaps, TellsWhatDelayedThePairAndNotADearerCauseElsewhere) {
  sample_run run;
  run.kernel(run.lane[0], {0, 100}, 11);
  const auto copy = run.copy_to_device(run.default_stream, {100, 150}, 12);
  run.kernel(run.lane[1], {150, 200}, 13);
  const auto wait = run.call("cudaStreamSynchronize", {200, 800}, 14);
  const auto back = run.copy_to_host(run.default_stream, {800, 900}, 15);
  auto& operations = run.recording().operations;
  operations.at(copy - 1).waited_for = {{.kind = trace::constraint_kind::legacy_default,
                                         .operation = 1,
                                         .until = std::chrono::microseconds(100)}};
  operations.at(copy - 1).issued = std::chrono::nanoseconds(1);
  operations.at(back - 1).waited_for = {{.kind = trace::constraint_kind::host_issue,
                                         .call = wait + 1,
                                         .until = std::chrono::microseconds(800)}};
  const operation_set copies_to_device{
      "copies to the device", [&](const trace::operation& operation) { return operation.id == copy; }};
  const verdict found = Overlaps(copies_to_device, kernels()).at_least(0.6).match(run.learner());
  EXPECT_EQ(found.mistake, "default_stream");
  EXPECT_EQ(found.why.where, "async_copy.cu:12");
}

TEST(Overlaps, NamesTheWaitOfTheHostThatHeldTheOperationBack) {
  sample_run run = one_after_another();
  const auto wait = run.call("cudaStreamSynchronize", {400, 500}, 14);
  const auto late = run.copy_to_device(run.lane[0], {500, 650}, 12);
  run.kernel(run.lane[0], {650, 700}, 13);
  run.recording().operations[late - 1].waited_for = {
      {.kind = trace::constraint_kind::host_issue, .call = wait + 1}};
  const verdict found = Overlaps(copies(), kernels()).at_least(0.6).match(run.learner());
  EXPECT_THAT(found.why.observation,
              HasSubstr("The host had not issued it before, because it was waiting in cudaStreamSynchronize "
                        "(async_copy.cu:14)."));
}

TEST(Overlaps, OfTwoKindsExplainsTheOneThatCameLate) {
  for (const bool is_later_named_first : {false, true}) {
    sample_run run;
    const auto early = run.kernel(run.lane[0], {0, 100}, 12);
    const auto record = run.marker(trace::operation_kind::event_record, run.lane[0], 100, 13);
    const auto late = run.kernel(run.lane[1], {100, 200}, 15);
    run.touches(early, 1, trace::access_mode::write);
    run.touches(late, 2, trace::access_mode::write);
    trace::recording& recording = run.recording();
    recording.operations[late - 1].issued = std::chrono::microseconds(3);
    recording.operations[late - 1].waited_for = {{.kind = trace::constraint_kind::event,
                                                  .operation = record,
                                                  .until = std::chrono::microseconds(100)}};
    const operation_set first{"first", [&](const trace::operation& one) { return one.id == early; }};
    const operation_set second{"second", [&](const trace::operation& one) { return one.id == late; }};
    const verdict found = (is_later_named_first ? Overlaps(second, first) : Overlaps(first, second))
                              .at_least(0.6)
                              .match(run.learner());
    EXPECT_THAT(
        found.why.observation,
        HasSubstr("none of the first ran during the kernel transform 2 in stream 3, from 100 us to 200 us."));
    EXPECT_THAT(found.why.where, testing::StartsWith("async_copy.cu:15"));
  }
}

/// A kernel that had to wait for room until another had almost ended, and one for whose input the host waits, after the former and in
/// code that the user did not write.
TEST(Overlaps, NamesTheKernelWithoutRoomForWhichTheHostHadWaited) {
  sample_run run;
  trace::recording& recording = run.recording();
  recording.files.push_back({"checker/lessons/07_priorities/drive.cpp", true});
  const auto holder = run.kernel(run.lane[0], {0, 100}, 12);
  const auto first = run.kernel(run.lane[1], {95, 105}, 13);
  recording.operations[first - 1].issued = std::chrono::microseconds(10);
  recording.operations[first - 1].waited_for = {
      {.kind = trace::constraint_kind::no_room, .operation = holder, .until = std::chrono::microseconds(95)}};
  run.call("cudaStreamSynchronize", {96, 105}, 14, run.lane[1]);
  const auto work = run.call("host_work", {105, 125}, 30);
  recording.calls[work - 1].where.file = 2;
  const auto second = run.kernel(run.lane[1], {125, 135}, 13);
  recording.operations[second - 1].waited_for = {
      {.kind = trace::constraint_kind::host_issue, .until = std::chrono::microseconds(125)}};
  const operation_set background{"background kernels",
                                 [&](const trace::operation& one) { return one.id == holder; }};
  const operation_set answers{"answers", [&](const trace::operation& one) { return one.id != holder; }};
  const verdict found = Overlaps(answers, background).at_least(0.8).match(run.learner());
  EXPECT_EQ(found.mistake, "wrong_priority");
  EXPECT_THAT(
      found.why.observation,
      HasSubstr(
          "The host queued it only after it had waited for an earlier one: the kernel transform 2 in stream 3 was "
          "queued at 10 us and started at 95 us. No multiprocessor had room for it"));
  EXPECT_THAT(found.why.observation, Not(HasSubstr("host_work")));
}

/// A kernel whose result a copy in another stream takes, by an event behind a second kernel. The first was held up by the host.
TEST(Overlaps, WhereAnEventStandsForTooMuchTheHostIsNotToBlame) {
  sample_run run;
  run.gpu() = device::tiny_gpu();
  run.copy_to_device(run.lane[1], {0, 1}, 10);
  run.call("cudaSetDevice", {1, 20}, 11);
  const auto first = run.kernel(run.lane[0], {20, 40}, 12);
  run.touches(first, 2, trace::access_mode::write);
  const auto second = run.kernel(run.lane[0], {40, 140}, 13);
  const auto record = run.marker(trace::operation_kind::event_record, run.lane[0], 140, 14);
  const auto wait = run.marker(trace::operation_kind::event_wait, run.lane[1], 140, 15);
  run.recording().operations[wait - 1].captured = record;
  run.recording().events = {{.id = 1}};
  for (const auto id : {record, wait}) run.recording().operations[id - 1].event = 1;
  const auto copy = run.copy_to_host(run.lane[1], {140, 240}, 16);
  run.touches(copy, 2, trace::access_mode::read);
  const auto held_by = [&](trace::operation_id id, trace::constraint_kind kind, trace::operation_id behind) {
    trace::operation& held = run.recording().operations[id - 1];
    held.waited_for = {{.kind = kind, .operation = behind, .until = held.start}};
  };
  held_by(first, trace::constraint_kind::host_issue, 0);
  held_by(second, trace::constraint_kind::stream_order, first);
  held_by(record, trace::constraint_kind::stream_order, second);
  held_by(wait, trace::constraint_kind::event, record);
  held_by(copy, trace::constraint_kind::stream_order, wait);
  const verdict found = Overlaps(copies(), kernels()).at_least(0.6).match(run.learner());
  EXPECT_EQ(found.mistake, "event_recorded_late");
  EXPECT_EQ(found.why.where, "async_copy.cu:14");
  EXPECT_THAT(found.why.observation, Not(HasSubstr("cudaSetDevice")));
  EXPECT_THAT(found.why.observation, Not(HasSubstr("For example")));
  EXPECT_THAT(found.why.observation,
              HasSubstr("which it does not need (async_copy.cu:14). Record the event directly behind "));
}

TEST(Overlaps, OfTheFirstOperationOfAllItIsNotSaidThatTheHostHadNotIssuedIt) {
  for (const bool is_first : {true, false}) {
    sample_run run;
    if (!is_first) run.copy_to_device(run.lane[0], {0, 10}, 12);
    const auto copy = run.copy_to_device(run.lane[0], {10, 200}, 12);
    run.kernel(run.lane[0], {200, 300}, 13);
    run.recording().operations[copy - 1].waited_for = {
        {.kind = trace::constraint_kind::host_issue,
         .call = run.recording().operations[copy - 1].issued_by,
         .until = run.recording().operations[copy - 1].start}};
    const verdict found = Overlaps(copies(), kernels()).at_least(0.6).match(run.learner());
    const auto says_it = HasSubstr("Why it did not start earlier: The host had not issued it before");
    if (is_first) {
      EXPECT_THAT(found.why.observation, Not(says_it));
    } else {
      EXPECT_THAT(found.why.observation, says_it);
    }
  }
}

TEST(Overlaps, PrefersAnExampleThatDoesNotFollowItsOwnKernel) {
  sample_run run;
  run.copy_to_device(run.lane[0], {0, 100}, 12);
  const auto kernel = run.kernel(run.lane[0], {100, 200}, 13);
  const auto back = run.copy_to_host(run.lane[0], {200, 310}, 14);
  const auto next = run.copy_to_device(run.lane[0], {310, 410}, 12);
  const auto last = run.kernel(run.lane[0], {410, 510}, 13);
  for (const auto id : {kernel, next, last}) run.touches(id, 2, trace::access_mode::atomic);
  run.touches(back, 2, trace::access_mode::read);
  run.recording().operations[back - 1].waited_for = {
      {.kind = trace::constraint_kind::stream_order, .operation = kernel}};
  run.recording().operations[next - 1].waited_for = {
      {.kind = trace::constraint_kind::stream_order, .operation = back}};
  const verdict found = Overlaps(copies(), kernels()).at_least(0.6).match(run.learner());
  EXPECT_THAT(
      found.why.observation,
      HasSubstr(
          "from 310 us to 410 us. Why it did not start earlier: It had to wait for the copy D2H 1 of 1.0 MB "
          "to the host in stream 2, which is before it in the same stream."));
}

TEST(Overlaps, OfKernelsThatBeganLateNamesTheCopiesThatWereQueuedBeforeThem) {
  for (const int line_of_second : {12, 11}) {
    sample_run run;
    const trace::operation_id first = run.copy_to_device(run.lane[0], {0, 100}, 12);
    const trace::operation_id second = run.copy_to_device(run.lane[0], {100, 200}, line_of_second);
    const trace::operation_id kernel = run.kernel(run.lane[0], {200, 300}, 13);
    for (const trace::operation_id id : {first, second, kernel}) {
      run.touches(id, 2, id == kernel ? trace::access_mode::read : trace::access_mode::write);
      run.recording().operations[id - 1].issued = std::chrono::microseconds(1);
    }
    run.recording().operations[second - 1].waited_for = {
        {trace::constraint_kind::engine_busy, first, 0, std::chrono::microseconds(100)}};
    const verdict found = Overlaps(copies(), kernels()).at_least(0.6).match(run.learner());
    const std::string sentence =
        " The first of these, the kernel transform 1 in stream 2 (async_copy.cu:13), could not begin before 200 us: "
        "2 operations of async_copy.cu:12 are before it in its stream, and a stream runs its operations in the "
        "order in which they were queued.";
    if (line_of_second != 12) {
      EXPECT_THAT(found.why.observation, Not(HasSubstr("The first of these")));
      continue;
    }
    EXPECT_THAT(found.why.observation, testing::EndsWith(sentence));
    EXPECT_EQ(found.why.where, "async_copy.cu:12, async_copy.cu:13");
    EXPECT_EQ(found.mistake, "issue_order");
  }
}

TEST(Overlaps, ACauseThatCostsNextToNothingIsNotTold) {
  sample_run run;
  const trace::operation_id first = run.copy_to_host(run.lane[0], {0, 1000}, 12);
  const trace::operation_id second = run.copy_to_host(run.lane[0], {1010, 1100}, 14);
  run.recording().operations[second - 1].issued = std::chrono::microseconds(995);
  run.recording().operations[second - 1].waited_for = {
      {trace::constraint_kind::stream_order, first, 0, std::chrono::microseconds(1000)},
      {trace::constraint_kind::host_issue, 0, 2, std::chrono::microseconds(995)}};
  run.kernel(run.lane[1], {1100, 1200}, 13);
  EXPECT_THAT(Overlaps(copies(), kernels()).at_least(0.6).match(run.learner()).why.observation,
              Not(HasSubstr("What costs most")));
}

/// Kernels and copies back of two slots in one stream, with a marker between them.
struct copies_back_among_kernels : sample_run {
  copies_back_among_kernels() {
    copy_to_device(lane[1], {0, 10}, 12);
    const auto kernel = this->kernel(lane[0], {10, 110}, 13);
    const auto back = copy_to_host(lane[0], {110, 210}, 14);
    const auto record = marker(trace::operation_kind::event_record, lane[0], 210, 15);
    const auto next = this->kernel(lane[0], {210, 310}, 13);
    touches(kernel, 2, trace::access_mode::write);
    touches(back, 2, trace::access_mode::read);
    waits(back, kernel);
    waits(record, back);
    waits(next, record);
  }
  void waits(trace::operation_id late, trace::operation_id before) {
    trace::operation& operation = recording().operations[late - 1];
    operation.issued = std::chrono::nanoseconds(1);
    operation.waited_for = {
        {.kind = trace::constraint_kind::stream_order, .operation = before, .until = operation.start}};
  }
};

TEST(Overlaps, SaysFirstWhichOfTheOneStandsBehindWhichOfTheOtherInOneStream) {
  copies_back_among_kernels run;
  const verdict found = Overlaps(copies(), kernels()).at_least(0.6).match(run.learner());
  EXPECT_EQ(found.mistake, "one_stream");
  EXPECT_THAT(
      found.why.observation,
      HasSubstr("For example, the kernel transform 2 in stream 2 (async_copy.cu:13) is behind the copy "
                "D2H 1 of 1.0 MB to the host (async_copy.cu:14): a stream runs its operations one after "
                "another, although neither of these two needs the other."));
  EXPECT_THAT(found.why.observation, Not(HasSubstr("H2D 1")));
  EXPECT_EQ(found.why.where, "async_copy.cu:14, async_copy.cu:13");
}

TEST(Overlaps, BlamesNoStreamForTheOrderOfWorkThatNeedsIt) {
  copies_back_among_kernels run;
  trace::recording& recording = run.recording();
  run.touches(static_cast<trace::operation_id>(recording.operations.size()), 2, trace::access_mode::write);
  const verdict found = Overlaps(copies(), kernels()).at_least(0.6).match(run.learner());
  EXPECT_THAT(found.why.observation, Not(HasSubstr("neither of these two")));
}

/// A kernel in one stream, and behind it, by an event, one in another.
struct kernel_behind_an_event : sample_run {
  kernel_behind_an_event() {
    for (const auto id : {early, record, wait, late}) {
      trace::operation& operation = recording().operations.at(id - 1);
      operation.issued = std::chrono::nanoseconds(1);
      const auto kind = id == wait ? trace::constraint_kind::event : trace::constraint_kind::stream_order;
      if (id != early) operation.waited_for = {{.kind = kind, .operation = id - 1, .until = operation.start}};
    }
    recording().operations.at(wait - 1).captured = record;
    touches(early, 2, trace::access_mode::write);
  }
  verdict judged() {
    const auto only = [](const char* words, trace::operation_id id) {
      return operation_set{words, [id](const trace::operation& each) { return each.id == id; }};
    };
    return Overlaps(only("early kernels", early), only("late kernels", late)).at_least(0.6).match(learner());
  }
  trace::operation_id early = kernel(lane[0], {0, 100}, 13);
  trace::operation_id record = marker(trace::operation_kind::event_record, lane[0], 100, 14);
  trace::operation_id wait = marker(trace::operation_kind::event_wait, lane[1], 100, 15);
  trace::operation_id late = kernel(lane[1], {100, 200}, 16);
};

TEST(Overlaps, NamesAWaitForAnEventBehindWhatIsNotNeeded) {
  kernel_behind_an_event run;
  run.touches(run.late, 1, trace::access_mode::write);
  const verdict found = run.judged();
  EXPECT_EQ(found.mistake, "needless_wait");
  EXPECT_EQ(found.why.where, "async_copy.cu:15, async_copy.cu:16");
  EXPECT_THAT(
      found.why.observation,
      HasSubstr("although neither of these two needs the other: stream 3 waits for an event behind that one "
                "(async_copy.cu:15). Leave this wait out."));
}

TEST(Overlaps, LeavesAWaitInThatLaterWorkOfItsStreamNeeds) {
  kernel_behind_an_event run;
  run.touches(run.late, 1, trace::access_mode::write);
  run.touches(run.copy_to_host(run.lane[1], {200, 300}, 17), 2, trace::access_mode::read);
  EXPECT_THAT(run.judged().why.observation,
              testing::AllOf(HasSubstr("Let the stream wait directly before the work that needs it."),
                             Not(HasSubstr("out"))));
}

TEST(Overlaps, BlamesNoWaitForAnEventOfWhichSomethingIsNeeded) {
  kernel_behind_an_event run;
  run.touches(run.late, 2, trace::access_mode::read);
  const verdict found = run.judged();
  EXPECT_NE(found.mistake, "needless_wait");
  EXPECT_THAT(found.why.observation, Not(HasSubstr("neither of these two")));
}

TEST(Overlaps, OfWhatTheDefaultStreamKeptInOrderSaysSoAndNotWhatWasBusyInTheEnd) {
  for (const bool is_needed : {false, true}) {
    kernel_behind_an_event run;
    trace::recording& recording = run.recording();
    recording.streams.at(1).blocking = trace::stream_blocking::blocking;
    const trace::operation_id late = run.kernel(run.default_stream, {100, 200}, 17);
    recording.operations.at(late - 1).waited_for = {
        {trace::constraint_kind::no_room, run.late, 0, std::chrono::microseconds(100)},
        {trace::constraint_kind::legacy_default, run.record, 0, std::chrono::microseconds(100)}};
    run.late = late;
    run.touches(late, is_needed ? 2 : 1, trace::access_mode::write);
    const verdict found = run.judged();
    if (is_needed) {
      EXPECT_THAT(found.why.observation, Not(HasSubstr("neither of these two")));
      continue;
    }
    EXPECT_EQ(found.mistake, "default_stream");
    EXPECT_EQ(found.why.where, "async_copy.cu:17");
    EXPECT_THAT(
        found.why.observation,
        HasSubstr(
            "For example, the kernel transform 3 in the default stream (async_copy.cu:17) could not start "
            "before the kernel transform 1 in stream 2 (async_copy.cu:13) ended, although neither of these "
            "two needs the other: the default stream waits for all blocking streams."));
  }
}

TEST(Overlaps, OfTwoKernelsInOneStreamLeadsToTheLaterOne) {
  sample_run run;
  const auto one = run.kernel(run.lane[0], {0, 100}, 13);
  const auto two = run.kernel(run.lane[0], {100, 200}, 14);
  run.recording().operations.at(two - 1).issued = std::chrono::nanoseconds(1);
  run.recording().operations.at(two - 1).waited_for = {{.kind = trace::constraint_kind::stream_order,
                                                        .operation = one,
                                                        .until = std::chrono::microseconds(100)}};
  const operation_set early{"early kernels", [&](const trace::operation& each) { return each.id == one; }};
  const operation_set late{"late kernels", [&](const trace::operation& each) { return each.id == two; }};
  const verdict found = Overlaps(early, late).at_least(0.6).match(run.learner());
  EXPECT_EQ(found.why.where, "async_copy.cu:14, async_copy.cu:13");
}

TEST(Overlaps, NamesTheStreamAlsoWhereTheHostIsBusyBeforeOthers) {
  sample_run run;
  const auto one = run.kernel(run.lane[0], {0, 100}, 13);
  const auto two = run.kernel(run.lane[0], {100, 200}, 14);
  const auto work = run.call("host_work", {200, 800}, 16);
  const auto three = run.kernel(run.lane[1], {801, 850}, 17);
  auto& operations = run.recording().operations;
  operations.at(two - 1).issued = std::chrono::nanoseconds(1);
  operations.at(two - 1).waited_for = {{.kind = trace::constraint_kind::stream_order,
                                        .operation = one,
                                        .until = std::chrono::microseconds(100)}};
  operations.at(three - 1).waited_for = {{.kind = trace::constraint_kind::host_issue,
                                          .call = work + 1,
                                          .until = std::chrono::microseconds(801)}};
  const operation_set early{"early kernels", [&](const trace::operation& each) { return each.id == one; }};
  const operation_set late{"late kernels", [&](const trace::operation& each) { return each.id != one; }};
  const verdict found = Overlaps(early, late).at_least(0.6).match(run.learner());
  EXPECT_EQ(found.mistake, "one_stream");
  EXPECT_EQ(found.why.where, "async_copy.cu:14, async_copy.cu:13");
}

TEST(Overlaps, NamesTheStreamAlsoWhereThereIsNoRoomInTheEnd) {
  sample_run run;
  const auto survey = run.kernel(run.lane[0], {0, 100}, 13);
  const auto filler = run.kernel(run.lane[1], {0, 120}, 12);
  const auto late = run.kernel(run.lane[0], {120, 200}, 14);
  const auto work = run.call("host_work", {200, 800}, 16);
  const auto later = run.kernel(run.lane[1], {801, 850}, 17);
  auto& operations = run.recording().operations;
  operations[later - 1].waited_for = {{.kind = trace::constraint_kind::host_issue,
                                       .call = work + 1,
                                       .until = std::chrono::microseconds(801)}};
  operations[late - 1].issued = std::chrono::nanoseconds(1);
  operations[late - 1].waited_for = {{.kind = trace::constraint_kind::no_room,
                                      .operation = filler,
                                      .until = std::chrono::microseconds(120)}};
  const operation_set first{"late kernels", [&](const trace::operation& each) { return each.id >= late; }};
  const operation_set second{"surveys", [&](const trace::operation& each) { return each.id == survey; }};
  const verdict found = Overlaps(first, second).at_least(0.6).match(run.learner());
  EXPECT_EQ(found.mistake, "one_stream");
  EXPECT_THAT(found.why.observation, HasSubstr("a stream runs its operations one after another"));
  EXPECT_EQ(found.why.where, "async_copy.cu:14, async_copy.cu:13");
}

TEST(Overlaps, SaysSoWhenThereIsNoKernel) {
  sample_run run;
  run.copy_to_device(run.lane[0], {0, 100}, 12);
  const verdict found = Overlaps(copies(), kernels()).at_least(0.6).match(run.learner());
  EXPECT_EQ(found.outcome, report::criterion_verdict::fail);
  EXPECT_THAT(found.why.observation, HasSubstr("There were no kernels at all."));
}

TEST(Overlaps, OfKernelsWhoseCallsFailedSaysThat) {
  sample_run run;
  run.copy_to_device(run.lane[0], {0, 100}, 12);
  for (const int line : {13, 14}) {
    trace::host_call& launch = run.recording().calls.at(run.call("cudaLaunchKernel", {100, 101}, line) - 1);
    launch.error_code = 1;
    launch.error_name = "cudaErrorInvalidValue";
  }
  const verdict found = Overlaps(copies(), kernels()).at_least(0.6).match(run.learner());
  EXPECT_THAT(found.why.observation,
              HasSubstr("No kernels ran. The launch (async_copy.cu:13) failed with cudaErrorInvalidValue. "
                        "2 calls failed in all."));
  EXPECT_EQ(found.why.where, "async_copy.cu:13");
}

TEST(RunAtOnce, CountsTheAverageOverBusyTime) {
  sample_run run;
  run.kernel(run.lane[0], {0, 100}, 12);
  run.kernel(run.lane[1], {50, 100}, 13);
  run.kernel(run.lane[0], {500, 600}, 12);  // the pause before it does not count
  verdict found = RunAtOnce(kernels()).on_average_at_least(1.25).match(run.learner());
  EXPECT_EQ(found.outcome, report::criterion_verdict::pass);
  found = RunAtOnce(kernels()).on_average_at_least(1.26).match(run.learner());
  EXPECT_EQ(found.outcome, report::criterion_verdict::fail);
}

TEST(RunAtOnce, SaysWhatHeldIndependentWorkBack) {
  sample_run run;
  const auto first = run.kernel(run.lane[0], {0, 100}, 12);
  const auto note = run.kernel(run.default_stream, {100, 110}, 13);
  const auto next = run.kernel(run.lane[0], {110, 200}, 12);
  auto& operations = run.recording().operations;
  operations.at(note - 1).waited_for = {{.kind = trace::constraint_kind::legacy_default, .operation = first}};
  operations.at(next - 1).waited_for = {{.kind = trace::constraint_kind::stream_order, .operation = first}};
  const verdict found = RunAtOnce(kernels()).on_average_at_least(1.5).match(run.learner());
  EXPECT_EQ(found.outcome, report::criterion_verdict::fail);
  EXPECT_THAT(
      found.why.observation,
      HasSubstr(
          "It was 1.00: one after another the kernels take 200 us, and they took 200 us. For example the kernel "
          "transform 2 in the default stream. Why it did not start earlier: It had to wait for the kernel "
          "transform 1 in stream 2, because the default stream and blocking streams wait for each other."));
  EXPECT_EQ(found.why.where, "async_copy.cu:13");
  EXPECT_EQ(found.run, report::run_verdict::no_overlap);
  EXPECT_THAT(found.why.read_next, HasSubstr("The idea"));
  operations.at(note - 1).waited_for->front().kind = trace::constraint_kind::work_queue;
  EXPECT_THAT(RunAtOnce(kernels()).on_average_at_least(1.5).match(run.learner()).why.read_next,
              HasSubstr("The surprise"));
}

TEST(RunAtOnce, SaysOnceWhatTheHostWaitedIn) {
  sample_run run;
  run.kernel(run.lane[0], {0, 100}, 12);
  run.call("cudaDeviceSynchronize", {1, 100}, 13);
  const auto late = run.kernel(run.lane[1], {101, 200}, 14);
  trace::operation& kernel = run.recording().operations[late - 1];
  kernel.waited_for = {
      {.kind = trace::constraint_kind::host_issue, .call = kernel.issued_by, .until = kernel.start}};
  const verdict found = RunAtOnce(kernels()).on_average_at_least(1.5).match(run.learner());
  EXPECT_EQ(found.why.where, "async_copy.cu:13");
  EXPECT_THAT(found.why.observation, HasSubstr("The host waited in cudaDeviceSynchronize"));
  EXPECT_THAT(found.why.observation, Not(HasSubstr("Why it did not start earlier")));
}

TEST(RunAtOnce, OneStreamIsReasonEnough) {
  sample_run run;
  run.kernel(run.lane[0], {0, 100}, 12);
  run.kernel(run.lane[0], {100, 200}, 13);
  const verdict found = RunAtOnce(kernels()).on_average_at_least(1.5).match(run.learner());
  EXPECT_EQ(found.mistake, "one_stream");
  EXPECT_THAT(found.why.observation,
              HasSubstr("All of them are in stream 2, and a stream runs its operations one after another."));
  EXPECT_EQ(found.why.where, "async_copy.cu:12");
}

TEST(RunAtOnce, InTheDefaultStreamNamesTheStreamsWithoutWork) {
  sample_run run;
  run.recording().streams.at(1).created_by = run.call("cudaStreamCreate", {0, 1}, 10);
  run.kernel(run.default_stream, {0, 100}, 12);
  run.kernel(run.default_stream, {100, 200}, 13);
  const verdict found = RunAtOnce(kernels()).on_average_at_least(1.5).match(run.learner());
  EXPECT_THAT(
      found.why.observation,
      HasSubstr(
          "The stream that your function made, by cudaStreamCreate (async_copy.cu:10), has no work: what "
          "names no stream, or the handle 0, is in the default stream."));
  EXPECT_EQ(found.why.where, "async_copy.cu:12, async_copy.cu:10");
}

TEST(RunAtOnce, InTheDefaultStreamBesideStreamsThatAllHaveWorkNamesWhereTheyWereMade) {
  sample_run run;
  run.recording().streams.at(1).created_by = run.call("cudaStreamCreate", {0, 1}, 10);
  const auto one = run.kernel(run.lane[0], {0, 100}, 12);
  const auto two = run.kernel(run.default_stream, {100, 200}, 12);
  run.recording().operations.at(two - 1).issued = std::chrono::nanoseconds(1);
  run.recording().operations.at(two - 1).waited_for = {{.kind = trace::constraint_kind::legacy_default,
                                                        .operation = one,
                                                        .until = std::chrono::microseconds(100)}};
  const verdict found = RunAtOnce(kernels()).on_average_at_least(1.5).match(run.learner());
  EXPECT_EQ(found.mistake, "default_stream");
  EXPECT_THAT(
      found.why.observation,
      HasSubstr(
          "The stream that your function made, by cudaStreamCreate (async_copy.cu:10), has other work: what "
          "names no stream, or the handle 0, is in the default stream."));
  EXPECT_EQ(found.why.where, "async_copy.cu:12, async_copy.cu:10");
}

TEST(RunAtOnce, InOneStreamNamesWhoChoseTheirNumber) {
  sample_run run;
  run.source() = {"async_copy.cu", "int streams_for(int n) {\n  return n;\n}\n", ""};
  run.answer().set("streams_for", std::int64_t{1});
  run.kernel(run.lane[0], {0, 100}, 12);
  run.kernel(run.lane[0], {100, 200}, 13);
  const matcher judged = RunAtOnce(kernels())
                             .in_streams_from("streams_for", "The largest has 9 tiles.")
                             .on_average_at_least(1.5);
  const verdict found = judged.match(run.learner());
  EXPECT_THAT(found.why.observation,
              HasSubstr("streams_for() chose 1 as their number (async_copy.cu:2), and at "
                        "least 2 are needed for that. The largest has 9 tiles."));
  EXPECT_EQ(found.why.where, "async_copy.cu:2, async_copy.cu:12");
}

TEST(RunAtOnce, InFewStreamsThatAreAlwaysBusyNamesWhoChoseTheirNumber) {
  sample_run run;
  run.source() = {"async_copy.cu", "int streams_for(int n) {\n  return n;\n}\n", ""};
  run.answer().set("streams_for", std::int64_t{2});
  for (const int begin : {0, 110, 220}) {
    run.kernel(run.lane[0], {begin, begin + 100}, 12);
    run.kernel(run.lane[1], {begin, begin + 100}, 12);
  }
  const matcher judged = RunAtOnce(kernels()).in_streams_from("streams_for").on_average_at_least(2.5);
  const verdict found = judged.match(run.learner());
  EXPECT_EQ(found.mistake, "one_stream");
  EXPECT_THAT(found.why.observation,
              testing::EndsWith(
                  "They are in 2 streams, and a stream runs its operations one after another: more than 2 "
                  "cannot run at a time. streams_for() chose 2 as their number (async_copy.cu:2)."));
  EXPECT_EQ(found.why.where, "async_copy.cu:2, async_copy.cu:12");
  run.answer().set("streams_for", std::int64_t{7});
  const verdict other = judged.match(run.learner());
  EXPECT_THAT(other.why.observation, testing::EndsWith("more than 2 cannot run at a time."));
  EXPECT_EQ(other.why.where, "async_copy.cu:12");
}

TEST(RunAtOnce, FailsWithoutOperations) {
  sample_run run;
  const verdict found = RunAtOnce(kernels()).on_average_at_least(1.0).match(run.learner());
  EXPECT_EQ(found.outcome, report::criterion_verdict::fail);
  EXPECT_THAT(found.why.observation, HasSubstr("There were no kernels at all."));
}

TEST(KeepsBusy, PassesWhenOneFollowsTheOther) {
  sample_run run;
  run.kernel(run.lane[0], {100, 200}, 13);
  run.kernel(run.lane[1], {150, 300}, 13);
  run.kernel(run.lane[0], {310, 400}, 13);
  const verdict found = KeepsBusy(kernels()).at_least(0.9).match(run.learner());
  EXPECT_EQ(found.outcome, report::criterion_verdict::pass);
  EXPECT_EQ(found.note, "0.97, required 0.90");
}

TEST(KeepsBusy, NamesTheLongestPauseAndWhatCameAfterIt) {
  sample_run run;
  run.kernel(run.lane[0], {0, 100}, 13);
  run.kernel(run.lane[0], {120, 200}, 14);
  run.kernel(run.lane[1], {300, 400}, 15);
  const verdict found = KeepsBusy(kernels()).at_least(0.8).match(run.learner());
  EXPECT_EQ(found.outcome, report::criterion_verdict::fail);
  EXPECT_THAT(
      found.why.observation,
      HasSubstr("They were running for 280 us of the 400 us between the first and the last (70 %). The "
                "longest pause, 100 us, is before the kernel transform 3 in stream 3"));
  EXPECT_EQ(found.why.where, "async_copy.cu:15");
  EXPECT_EQ(found.run, report::run_verdict::too_slow);
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
  const verdict found = KeepsBusy(kernels()).at_least(0.8).match(run.learner());
  EXPECT_EQ(found.outcome, report::criterion_verdict::fail);
  EXPECT_THAT(
      found.why.observation,
      HasSubstr(
          "Before it in its stream, the copy H2D 1 of 1.0 MB to the device in stream 2 started at 190 us. "
          "The host had not issued it before: of the pause, its thread spent 70 us in host_work "
          "(async_copy.cu:21)."));
  EXPECT_EQ(found.why.where, "async_copy.cu:12");
}

TEST(KeepsBusy, BlamesTheWaitThatKeptTheThreadFromDoingItMeanwhile) {
  sample_run run;
  run.kernel(run.lane[0], {0, 100}, 13);
  run.call("cudaStreamSynchronize", {1, 110}, 20);
  run.call("host_work", {110, 190}, 21);
  const trace::operation_id kernel = run.kernel(run.lane[0], {200, 300}, 13);
  run.recording().operations[kernel - 1].waited_for = {{.kind = trace::constraint_kind::host_issue}};
  const verdict found = KeepsBusy(kernels()).at_least(0.8).match(run.learner());
  EXPECT_THAT(found.why.observation,
              HasSubstr("80 us in host_work (async_copy.cu:21). It had been waiting in cudaStreamSynchronize "
                        "(async_copy.cu:20) for 109 us before, and could have done that meanwhile."));
  EXPECT_EQ(found.why.where, "async_copy.cu:20");
  EXPECT_EQ(found.mistake, "host_waits_early");
}

TEST(KeepsBusy, WhatFillsAndDrainsDoesNotCount) {
  sample_run run;
  run.copy_to_device(run.lane[0], {0, 100}, 12);
  run.kernel(run.lane[0], {100, 200}, 13);
  run.copy_to_host(run.lane[0], {200, 300}, 14);
  EXPECT_EQ(KeepsBusy(kernels()).at_least(1.0).match(run.learner()).outcome, report::criterion_verdict::pass);
}

TEST(KeepsBusy, FailsWhenThereIsNothing) {
  sample_run run;
  run.copy_to_device(run.lane[0], {0, 100}, 12);
  const verdict found = KeepsBusy(kernels()).at_least(0.1).match(run.learner());
  EXPECT_EQ(found.outcome, report::criterion_verdict::fail);
  EXPECT_THAT(found.why.observation, HasSubstr("There were no kernels at all."));
}

}  // namespace
}  // namespace matchers

#include <gmock/gmock.h>

#include "report/wording/sample_races.h"
#include "trace/recording_builder.h"

namespace report {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using trace::memory;
using trace::memory_kind;
using trace::reads;
using trace::recording_builder;
using trace::writes;

TEST(RaceText, HostCodeThatSharesDataIsToldToGuardIt) {
  recording_builder program;
  const memory flag = program.allocate(memory_kind::pageable, 1);
  program.on_thread(2);
  program.at_line(30).host_writes(flag);
  program.on_thread(1);
  program.at_line(40).host_reads(flag);
  EXPECT_THAT(text_of(program.recording()), AllOf(HasSubstr("program.cu:30"), HasSubstr("program.cu:40"),
                                                  HasSubstr("a plain or volatile variable does not"),
                                                  HasSubstr("std::atomic"), HasSubstr("join")));
  EXPECT_EQ(diagnosis_of(program.recording()).mistake, analysis::race_mistake::host_code_unordered);
}

TEST(RaceText, WhatThreadsHandOverIsSaidToBeHandedOverTooEarly) {
  recording_builder program;
  const memory lane = program.allocate(memory_kind::pageable, 64);
  program.divide_into_steps();
  program.pass(1, 2);
  program.pass(1, 2);
  program.on_thread(2);
  program.pass(2, 1);
  program.at_line(30).host_reads(lane);
  program.on_thread(1);
  program.at_line(40).host_writes(lane);
  EXPECT_THAT(text_of(program.recording()),
              AllOf(HasSubstr("these bytes are handed over too early"), HasSubstr("guard both")));
}

TEST(RaceText, ThreadsOfWhichOnlyTheOneLetTheOtherGoOnHandNothingOver) {
  recording_builder program;
  const memory counter = program.allocate(memory_kind::pageable, 4);
  program.divide_into_steps();
  program.pass(1, 2);
  program.pass(1, 3);
  program.pass(2, 3);
  program.on_thread(2);
  program.at_line(30).host_writes(counter);
  program.on_thread(3);
  program.at_line(30).host_writes(counter);
  EXPECT_THAT(text_of(program.recording()), Not(HasSubstr("hand things over")));
}

TEST(RaceText, ThreadsThatDoTheSameHandNothingOverThere) {
  recording_builder program;
  const memory shared = program.allocate(memory_kind::pageable, 4);
  program.divide_into_steps();
  program.pass(1, 2);
  program.pass(1, 2);
  program.on_thread(2);
  program.pass(2, 1);
  program.at_line(30).host_writes(shared);
  program.on_thread(1);
  program.at_line(30).host_writes(shared);
  EXPECT_THAT(text_of(program.recording()),
              AllOf(HasSubstr("If each means bytes of its own, give each thread its own."),
                    Not(HasSubstr("handed over"))));
}

TEST(RaceText, ABufferThatAThreadHandsOverBeforeItsLastUseIsSaidToBeHandedOverTooEarly) {
  for (const bool hands_over : {true, false}) {
    recording_builder program;
    const trace::stream_id stream = program.create_stream();
    const memory from = program.allocate(memory_kind::device, 64),
                 result = program.allocate(memory_kind::pinned, 64);
    program.divide_into_steps();
    program.copy(from, result, stream);
    program.synchronize_stream(stream);
    program.pass(1, 2);
    program.pass(1, 2);
    program.on_thread(2);
    if (hands_over) program.pass(2, 1);
    program.at_line(30).host_reads(result);
    program.on_thread(1);
    program.at_line(40).copy(from, result, stream);
    EXPECT_THAT(
        text_of(program.recording()),
        HasSubstr(
            hands_over
                ? "host thread 2 does so before program.cu:30, and not between that and program.cu:40. If that "
                  "hands these bytes over, it is too early: hand them over only behind program.cu:30."
                : "let host thread 1 wait for that thread"));
  }
}

TEST(RaceText, AFlagOfAHostFunctionNamesTheStatementToo) {
  recording_builder program;
  const trace::stream_id stream = program.create_stream();
  const memory flag = program.allocate(memory_kind::pageable, 1);
  program.at_line(50).launch_host_function(stream, {writes(flag)});
  program.at_line(51).host_reads(flag);
  trace::recording recording = program.recording();
  recording.operations.back().accesses->front().where = {recording.calls.back().where.file, 12};
  EXPECT_THAT(text_of(recording), AllOf(HasSubstr("(program.cu:50) at program.cu:12 writes"),
                                        HasSubstr("let the thread wait for stream")));
  EXPECT_EQ(places_in(recording), "program.cu:51 program.cu:12 program.cu:50 ");
}

/// A copy back in one stream (line 35), and thread 2, which reads the result (line 23) when a host function lets it go on.
struct announced_result : recording_builder {
  announced_result() {
    divide_into_steps();
    pass(1, 2);
  }
  void make() { at_line(34).launch("transform", one, {writes(buffer)}); }
  void bring() { at_line(35).copy(buffer, result, one); }
  trace::operation_id announce(trace::stream_id stream) { return at_line(37).launch_host_function(stream); }
  void take(trace::operation_id announced) {
    pass_from_host_function(announced, 2);
    on_thread(2);
    at_line(23).host_reads(result);
  }
  trace::stream_id one = create_stream(), two = create_stream();
  memory buffer = allocate(memory_kind::device, 4096);
  memory result = allocate(memory_kind::pinned, 4096);
};

TEST(RaceText, AHostFunctionInAnotherStreamThatLetsTheReaderGoOnIsNamed) {
  announced_result program;
  program.make();
  program.bring();
  program.take(program.announce(program.two));
  EXPECT_THAT(
      text_of(program.recording()),
      AllOf(
          HasSubstr(
              "The host function 1 (program.cu:37), which lets host thread 2 go on, does not help: it is in "
              "stream 3, not behind the copy D2H 1 of 4.1 KB to the host in stream 2. Queue that host function "
              "in stream 2, behind program.cu:35."),
          Not(HasSubstr("cudaStreamSynchronize"))));
  EXPECT_THAT(places_in(program.recording()), HasSubstr("program.cu:37"));
}

TEST(RaceText, WhatTheCallerHadPutIntoTheOtherStreamIsNotWhatTheHostFunctionAnnounces) {
  announced_result program;
  program.set(program.buffer, program.two);
  program.synchronize_stream(program.two);
  program.mark("begin:learner");
  program.make();
  program.bring();
  program.take(program.announce(program.two));
  EXPECT_THAT(text_of(program.recording()), HasSubstr("it is in stream 3, not behind the copy D2H 1"));
}

TEST(RaceText, AHostFunctionThatIsQueuedBeforeTheCopyIsNamed) {
  announced_result program;
  program.make();
  const auto announced = program.announce(program.one);
  program.bring();
  program.take(announced);
  EXPECT_THAT(
      text_of(program.recording()),
      HasSubstr(
          "does not help: it was queued before the copy D2H 1 of 4.1 KB to the host, and so runs before it."));
}

TEST(RaceText, AHostFunctionThatAnnouncesOtherWorkIsNotNamed) {
  announced_result program;
  program.make();
  program.bring();
  const memory other = program.allocate(memory_kind::pinned, 4096);
  program.at_line(36).copy(program.buffer, other, program.two, trace::waiting::asynchronous);
  program.take(program.announce(program.two));
  const trace::recording& recording = program.recording();
  const auto races =
      analysis::diagnose_races(analysis::part_of(recording, ""), analysis::ordering(recording), {});
  for (const analysis::race_diagnosis& race : *races)
    EXPECT_THAT(race_sentences(recording, race), Not(HasSubstr("does not help")));
}

}  // namespace
}  // namespace report

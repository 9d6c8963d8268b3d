#include "report/wording/race_sentences.h"

#include <gmock/gmock.h>

#include <optional>

#include "report/wording/sample_races.h"
#include "trace/recording_builder.h"

namespace report {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;
using trace::memory;
using trace::memory_kind;
using trace::reads;
using trace::recording_builder;
using trace::updates_atomically;
using trace::writes;

/// The recording for who wrote mine.cu, and was given the rest.
trace::recording recording_for_author_of_mine(const recording_builder& program) {
  trace::recording recording = program.recording();
  for (trace::source_file& file : recording.files) file.is_external = file.path == "/course/program.cu";
  return recording;
}

/// Kernel `scale` writes a buffer in one stream (line 41), a copy in another reads it (line 44).
struct unordered_pair : recording_builder {
  void first() { at_line(41).launch("scale", one, {writes(buffer)}); }
  void second() { at_line(44).copy(buffer, pinned, two); }
  trace::stream_id one = create_stream(), two = create_stream(), third = create_stream();
  trace::event_id event = create_event();
  memory buffer = at_line(20).allocate(memory_kind::device, 4096);
  memory pinned = at_line(21).allocate(memory_kind::pinned, 4096);
};

TEST(RaceText, RaceBetweenBranchesOfAGraphNamesItsNodesAndTheMissingEdge) {
  recording_builder program;
  const trace::stream_id stream = program.create_stream();
  const memory buffer = program.at_line(20).allocate(memory_kind::device, 4096);
  program.at_line(60).launch_graph(
      stream, {{"top", {}, {}}, {"left", {0}, {writes(buffer)}}, {"right", {0}, {reads(buffer)}}});
  EXPECT_EQ(
      text_of(program.recording()),
      "The kernel left 1 in node 2 of the graph in stream 2 (program.cu:60) writes bytes 0 to 4095 of the device "
      "allocation of program.cu:20, and the kernel right 1 in node 3 of the graph in stream 2 (program.cu:60) "
      "reads them. No edges lead from node 2 of the graph to node 3 of the graph, so they may run in either order, "
      "or at once. Let the second depend on the first. In a capture: issue both into the same stream, or "
      "record an event after the first and let the stream of the second wait for it (cudaStreamWaitEvent). "
      "In a graph built by hand: name the first among the dependencies of the second, or call "
      "cudaGraphAddDependencies. If the two were not meant to share bytes, look at the addresses passed.");
}

TEST(RaceText, RaceBetweenANodeAndTheHostNamesTheLaunchBehindWhichTheWaitBelongs) {
  recording_builder program;
  const trace::stream_id stream = program.create_stream();
  const memory buffer = program.allocate(memory_kind::pinned, 4096);
  program.at_line(50).call_of(trace::api_function::cudaMemcpyAsync);  // captured
  const trace::operation_id node =
      program.at_line(60).launch_graph(stream, {{"left", {}, {writes(buffer)}}}).front();
  program.at_line(61).host_reads(buffer);
  trace::recording recording = program.recording();
  recording.operations.at(node - 1).defined_by = static_cast<trace::call_id>(recording.calls.size() - 1);
  EXPECT_THAT(text_of(recording), HasSubstr("node 1 of the graph in stream 2 (program.cu:50) writes"));
  EXPECT_THAT(text_of(recording), HasSubstr("cudaEventSynchronize on an event recorded after program.cu:60"));
  EXPECT_EQ(places_in(recording), "program.cu:61 program.cu:60 program.cu:50 ");
}

TEST(RaceText, WaitOutsideAGraphIsNotBlamedForARaceInsideIt) {
  recording_builder program;
  const trace::stream_id stream = program.create_stream();
  const trace::event_id event = program.create_event();
  const memory buffer = program.allocate(memory_kind::device, 4096);
  program.record(event, stream);
  program.wait(stream, event);
  program.launch_graph(stream, {{"left", {}, {writes(buffer)}}, {"right", {}, {reads(buffer)}}});
  EXPECT_THAT(text_of(program.recording()), testing::Not(HasSubstr("does not help")));
}

TEST(RaceText, OfAnEventThatIsRecordedBehindTheFirstOnlyTheWaitIsAdvised) {
  unordered_pair program;
  program.first();
  program.at_line(42).record(program.event, program.one);
  program.second();
  EXPECT_THAT(
      text_of(program.recording()),
      HasSubstr(
          "Let stream 3 wait for the event that program.cu:42 records in stream 2 behind program.cu:41, "
          "before program.cu:44 (cudaStreamWaitEvent); or"));
  unordered_pair above;  // of the next round
  above.first();
  above.at_line(40).record(above.event, above.one);
  above.second();
  EXPECT_THAT(text_of(above.recording()), HasSubstr("Record an event in stream 2 after program.cu:41"));
  unordered_pair later;  // the event stands for something else then
  later.first();
  later.at_line(42).record(later.event, later.one);
  later.at_line(43).record(later.event, later.third);
  later.second();
  EXPECT_THAT(text_of(later.recording()), HasSubstr("Record an event in stream 2 after program.cu:41"));
}

TEST(RaceText, AtTheReturnAllStreamsOfALineThatNobodyWaitsForAreNamed) {
  unordered_pair program;
  const memory other = program.allocate(memory_kind::device, 4096);
  program.mark("begin:learner");
  program.at_line(41).launch("scale", program.one, {writes(program.buffer)});
  program.at_line(41).launch("scale", program.two, {writes(other)});
  program.mark("end:learner");
  program.at_line(70).launch("sum", program.third, {reads(program.buffer), reads(other)});
  const std::string text = text_of(program.recording(), analysis::part_of(program.recording(), "learner"));
  EXPECT_THAT(
      text,
      HasSubstr(
          "cudaEventSynchronize on an event recorded after program.cu:41 in each of stream 2 and stream 3, or "
          "cudaStreamSynchronize on each of them, or cudaDeviceSynchronize."));
}

TEST(RaceText, RaceBetweenStreamsNamesBothSidesTheMissingEdgeAndTheCures) {
  unordered_pair program;
  program.first();
  program.second();
  EXPECT_EQ(
      text_of(program.recording()),
      "The kernel scale 1 in stream 2 (program.cu:41) writes bytes 0 to 4095 of the device allocation of "
      "program.cu:20, and the copy D2H 1 of 4.1 KB to the host in stream 3 (program.cu:44) reads them. Nothing makes "
      "stream 3 wait for stream 2. Record an event in stream 2 after program.cu:41 (cudaEventRecord) and let stream 3 wait "
      "for it before program.cu:44 (cudaStreamWaitEvent); or issue both into one stream, if all else in the two may run "
      "one after the other; or let the host wait for stream 2 in between (cudaStreamSynchronize), which holds up "
      "what it queues next. If the two were not meant to share bytes, look at the addresses passed.");
  EXPECT_EQ(places_in(program.recording()), "program.cu:44 program.cu:41 ");
}

TEST(RaceText, WaitOfAnotherStreamIsMentioned) {
  unordered_pair program;
  program.first();
  program.at_line(42).record(program.event, program.one);
  program.at_line(43).wait(program.third, program.event);
  program.second();
  EXPECT_THAT(
      text_of(program.recording()),
      HasSubstr("cudaStreamWaitEvent (program.cu:43) does not help: it makes stream 4 wait, not stream 3."));
  EXPECT_EQ(places_in(program.recording()), "program.cu:43 program.cu:44 program.cu:41 ");
}

TEST(RaceText, WaitOfTheCallerBeforeTheFunctionIsNotBlamed) {
  unordered_pair program;
  program.at_line(42).record(program.event, program.one);
  program.at_line(43).wait(program.two, program.event);
  program.mark("begin:learner");
  program.first();
  program.second();
  program.mark("end:learner");
  EXPECT_THAT(text_of(program.recording()), HasSubstr("(program.cu:43) does not help"));
  const auto function = analysis::part_of(program.recording(), "learner");
  EXPECT_THAT(text_of(program.recording(), function), testing::Not(HasSubstr("does not help")));
}

TEST(RaceText, OfAQueryThatIsAnsweredThatWorkIsLeftItsLineIsNamedFirst) {
  unordered_pair program;
  program.mark("begin:learner");
  program.at_line(41).copy(program.buffer, program.pinned, program.one);
  program.at_line(42).query_stream(program.one, trace::answer::not_ready);
  program.mark("end:learner");
  program.at_line(43).host_reads(program.pinned);
  const auto function = analysis::part_of(program.recording(), "learner");
  EXPECT_THAT(
      text_of(program.recording(), function),
      HasSubstr(
          "cudaStreamQuery (program.cu:42) asks about stream 2 and returns at once: it waits for nothing. Its last answer was "
          "cudaErrorNotReady: the work had not ended. Use cudaStreamSynchronize there, or ask in a loop until the answer is "
          "cudaSuccess. If the two"));
  EXPECT_EQ(places_in(program.recording(), function), "program.cu:42 program.cu:43 program.cu:41 ");
}

TEST(RaceText, OfALoopOfQueriesItIsToldThatItEndedTooEarly) {
  unordered_pair program;
  program.mark("begin:learner");
  program.at_line(41).copy(program.buffer, program.pinned, program.one);
  for (const trace::answer other : {trace::answer::not_ready, trace::answer::complete}) {
    program.at_line(42).query_stream(program.one, trace::answer::not_ready);
    program.at_line(43).query_stream(program.two, other);
  }
  program.mark("end:learner");
  program.at_line(44).host_reads(program.pinned);
  const auto function = analysis::part_of(program.recording(), "learner");
  EXPECT_THAT(
      text_of(program.recording(), function),
      HasSubstr("The loop (program.cu:42) ended while stream 2 still answered cudaErrorNotReady: it must "
                "go on until each answers cudaSuccess. If the two"));
}

TEST(RaceText, AQueryInPlaceOfAWaitIsNamedBeforeAWaitForAnotherStream) {
  unordered_pair program;
  program.mark("begin:learner");
  program.at_line(41).copy(program.buffer, program.pinned, program.one);
  program.at_line(42).query_stream(program.one, trace::answer::not_ready);
  program.at_line(43).synchronize_stream(program.two);
  program.mark("end:learner");
  program.at_line(44).host_reads(program.pinned);
  const auto function = analysis::part_of(program.recording(), "learner");
  EXPECT_THAT(text_of(program.recording(), function),
              HasSubstr("cudaStreamQuery (program.cu:42) asks about stream 2 and returns at once"));
}

TEST(RaceText, OfSeveralStreamsAllAreNamedBesideTheQueryOfOne) {
  unordered_pair program;
  program.in_file("/course/mine.cu");
  program.mark("begin:learner");
  program.at_line(41).copy(program.buffer, slice(program.pinned, 0, 2048), program.one);
  program.at_line(41).copy(program.buffer, slice(program.pinned, 2048, 2048), program.two);
  program.at_line(42).query_stream(program.one, trace::answer::not_ready);
  program.mark("end:learner");
  program.in_file("/course/program.cu");
  program.at_line(70).host_reads(program.pinned);
  const trace::recording recording = recording_for_author_of_mine(program);
  EXPECT_THAT(text_of(recording, analysis::part_of(recording, "learner")),
              AllOf(HasSubstr("(mine.cu:42) asks about stream 2"), HasSubstr("Let the host wait"),
                    HasSubstr("each of stream 2 and stream 3")));
}

TEST(RaceText, AWaitThatIsNeededForAnotherOrderIsNotTurnedRound) {
  unordered_pair program;
  const memory result = program.allocate(memory_kind::device, 4096);
  program.at_line(41).launch("scale", program.two, {reads(program.buffer)});
  program.at_line(42).launch("fill", program.one, {writes(result)});
  program.at_line(43).record(program.event, program.one);
  program.at_line(44).wait(program.two, program.event);
  program.at_line(45).launch("sum", program.two, {reads(result)});
  program.at_line(46).copy(program.pinned, program.buffer, program.one);
  EXPECT_THAT(
      text_of(program.recording()),
      HasSubstr(
          "cudaStreamWaitEvent (program.cu:44) makes stream 3 wait for stream 2, which is needed too: a second wait is "
          "missing. If the two were not meant to share bytes"));
  EXPECT_EQ(places_in(program.recording()), "program.cu:46 program.cu:41 program.cu:44 program.cu:43 ");
}

TEST(RaceText, DestroyingTheStreamInPlaceOfAWaitIsNamedFirst) {
  unordered_pair program;
  program.mark("begin:learner");
  program.at_line(41).copy(program.buffer, program.pinned, program.one);
  program.at_line(45).destroy_stream(program.one);
  program.mark("end:learner");
  program.at_line(46).host_reads(program.pinned);
  const auto function = analysis::part_of(program.recording(), "learner");
  EXPECT_THAT(
      text_of(program.recording(), function),
      HasSubstr("cudaStreamDestroy (program.cu:45) does not help: it returns at once, and waits for no "
                "work. Let the host wait before program.cu:45"));
  EXPECT_EQ(places_in(program.recording(), function), "program.cu:45 program.cu:46 program.cu:41 ");
}

TEST(RaceText, OfTwoWaitsTheOneRightBehindTheReadIsMentioned) {
  unordered_pair program;
  program.at_line(40).synchronize_stream(program.one);
  program.at_line(41).copy(program.buffer, program.pinned, program.one);
  program.at_line(42).host_reads(program.pinned);
  program.at_line(43).synchronize_stream(program.one);
  EXPECT_THAT(
      text_of(program.recording()),
      HasSubstr("cudaStreamSynchronize (program.cu:43) does not help: it is not called between the two"));
}

TEST(RaceText, AWaitForWhatTheHostReadsNextIsNotBlamed) {
  unordered_pair program;
  const memory other = program.allocate(memory_kind::pinned, 4096);
  program.mark("begin:learner");
  program.at_line(41).copy(program.buffer, program.pinned, program.one);
  program.at_line(42).copy(program.buffer, other, program.two);
  program.at_line(43).synchronize_stream(program.two);
  program.at_line(44).host_reads(other);
  program.at_line(45).destroy_stream(program.two);
  program.mark("end:learner");
  program.at_line(0).host_reads(program.pinned);
  const auto function = analysis::part_of(program.recording(), "learner");
  EXPECT_THAT(text_of(program.recording(), function), testing::Not(HasSubstr("does not help")));
}

TEST(RaceText, LastWaitOfAFunctionThatReturnsTooEarlyIsMentionedWhereItIsForAnotherStream) {
  unordered_pair program;
  program.mark("begin:learner");
  program.first();
  program.at_line(42).synchronize_stream(program.third);
  program.mark("end:learner");
  program.second();
  const auto function = analysis::part_of(program.recording(), "learner");
  EXPECT_THAT(
      text_of(program.recording(), function),
      HasSubstr(
          "cudaStreamSynchronize (program.cu:42) does not help: it waits for stream 4, not for stream 2."));
  EXPECT_EQ(places_in(program.recording(), function), "program.cu:42 program.cu:41 ");
}

TEST(RaceText, EventRecordedBeforeTheWorkIsMentioned) {
  unordered_pair program;
  program.at_line(40).record(program.event, program.one);
  program.first();
  program.at_line(43).wait(program.two, program.event);
  program.second();
  EXPECT_THAT(text_of(program.recording()),
              HasSubstr("(program.cu:43) does not help: its event was recorded "
                        "(program.cu:40) before the kernel scale 1 in stream 2 was issued."));
  EXPECT_EQ(places_in(program.recording()), "program.cu:40 program.cu:43 program.cu:44 program.cu:41 ");
}

TEST(RaceText, EventRecordedInAnotherStreamIsMentioned) {
  unordered_pair program;
  program.first();
  program.at_line(42).record(program.event, program.third);
  program.at_line(43).wait(program.two, program.event);
  program.second();
  EXPECT_THAT(text_of(program.recording()),
              HasSubstr("its event was recorded in stream 4 (program.cu:42), not in stream 2."));
}

TEST(RaceText, EventRecordedAgainInAnotherStreamStandsForThatOnly) {
  unordered_pair program;
  program.first();
  program.at_line(42).record(program.event, program.one);
  program.at_line(42).record(program.event, program.third);
  program.at_line(43).wait(program.two, program.event);
  program.second();
  EXPECT_THAT(
      text_of(program.recording()),
      HasSubstr(
          "does not help: its event was recorded in stream 2 (program.cu:42), and then again in stream 4 before the wait, "
          "which takes the last record only: each of these streams needs an event of its own."));
}

TEST(RaceText, WaitOfALineThatMakesAnotherStreamWaitInTheSecondSidesPlaceNamesBoth) {
  unordered_pair program;
  const trace::event_id other = program.create_event();
  program.at_line(43).wait(program.two, program.event);
  program.first();
  program.at_line(42).record(program.event, program.one);
  program.at_line(43).wait(program.third, other);
  program.second();
  program.at_line(43).wait(program.two, program.event);
  EXPECT_THAT(
      text_of(program.recording()),
      HasSubstr(
          "cudaStreamWaitEvent (program.cu:43) does not help: between the two it makes stream 4 wait, and stream 3 only "
          "after D2H 1 is queued."));
  EXPECT_EQ(places_in(program.recording()), "program.cu:43 program.cu:44 program.cu:41 program.cu:42 ");
}

TEST(RaceText, WaitBeforeTheRecordIsMentioned) {
  unordered_pair program;
  program.first();
  program.at_line(42).wait(program.two, program.event);
  program.at_line(43).record(program.event, program.one);
  program.second();
  EXPECT_THAT(
      text_of(program.recording()),
      HasSubstr(
          "its event had not been recorded then, so it waits for nothing; the record (program.cu:43) behind scale 1 "
          "comes only after it. Queue the wait (program.cu:42) behind that record, before program.cu:44."));
  EXPECT_EQ(places_in(program.recording()), "program.cu:42 program.cu:44 program.cu:41 program.cu:43 ");
}

TEST(RaceText, WaitForAnEarlierRecordNamesBothRecords) {
  unordered_pair program;
  program.at_line(38).record(program.event, program.two);
  program.at_line(40).wait(program.two, program.event);
  program.first();
  program.at_line(43).record(program.event, program.one);
  program.second();
  EXPECT_THAT(
      text_of(program.recording()),
      HasSubstr(
          "(program.cu:40) does not help: it takes the last record of its event before it (program.cu:38), in "
          "stream 3; the record (program.cu:43) behind scale 1 comes only after it."));
  EXPECT_EQ(places_in(program.recording()), "program.cu:40 program.cu:44 program.cu:41 program.cu:43 ");
}

TEST(RaceText, WaitForTheRecordOfAnEarlierRoundIsToComeBehindTheNext) {
  unordered_pair program;
  program.at_line(43).record(program.event, program.one);
  program.first();
  program.at_line(42).wait(program.two, program.event);
  program.at_line(43).record(program.event, program.one);
  program.second();
  EXPECT_THAT(
      text_of(program.recording()),
      HasSubstr(
          "(program.cu:42) does not help: it takes the record of an earlier round or call; the record (program.cu:43) "
          "behind scale 1 comes only after it. Queue the wait (program.cu:42) behind that record, before program.cu:44."));
}

TEST(RaceText, WaitThatIsNotCalledAgainWasForTheWorkThatFollowedIt) {
  unordered_pair program;
  const memory other = program.allocate(memory_kind::device, 4096);
  program.at_line(43).record(program.event, program.one);
  program.at_line(42).wait(program.two, program.event);
  program.at_line(44).copy(other, program.pinned, program.two);
  program.first();
  program.at_line(43).record(program.event, program.one);
  program.second();
  EXPECT_THAT(
      text_of(program.recording()),
      HasSubstr("(program.cu:42) does not help: it was called for D2H 1, and not again after the record "
                "(program.cu:43) behind scale 1. Queue the wait (program.cu:42) behind that record, before "
                "program.cu:44."));
}

TEST(RaceText, WaitForARecordByOtherCodeIsToComeBehindTheRecordOfTheProgram) {
  unordered_pair program;
  program.in_file("/course/drive.cu");
  program.at_line(5).record(program.event, program.one);
  program.in_file("/course/program.cu");
  program.first();
  program.at_line(42).wait(program.two, program.event);
  program.at_line(43).record(program.event, program.one);
  program.second();
  trace::recording recording = program.recording();
  for (trace::source_file& file : recording.files) file.is_external = file.path == "/course/drive.cu";
  EXPECT_THAT(text_of(recording),
              HasSubstr("it takes a record of its event by code that is not yours; the record"));
}

TEST(RaceText, RoundsOfOneLineThatNeedEachOtherBelongInOneStream) {
  unordered_pair program;
  for (const trace::stream_id stream : {program.one, program.two})
    program.at_line(41).launch("scale", stream, {reads(program.buffer), writes(program.buffer)});
  EXPECT_THAT(
      text_of(program.recording()),
      HasSubstr("Issue both into one stream, as the second needs what the first made; or record an event in "
                "stream 2 after program.cu:41 (cudaEventRecord) and let stream 3 wait for it before "
                "program.cu:41 (cudaStreamWaitEvent), if they belong in two; or let the host"));
}

TEST(RaceText, WaitAheadOfTheRecordInALoopTakesTheRecordOfTheRoundBefore) {
  unordered_pair program;
  program.first();
  program.at_line(42).wait(program.two, program.event);
  program.at_line(43).record(program.event, program.one);
  program.second();
  program.at_line(42).wait(program.two, program.event);
  EXPECT_THAT(
      text_of(program.recording()),
      HasSubstr(
          "its event had not been recorded then, so it waits for nothing (in each later round or call it takes the "
          "record of the one before); the record (program.cu:43) behind scale 1 comes only after it."));
}

TEST(RaceText, WaitAfterTheFactIsMentioned) {
  unordered_pair program;
  program.first();
  program.record(program.event, program.one);
  program.second();
  program.at_line(50).wait(program.two, program.event);
  EXPECT_THAT(text_of(program.recording()),
              HasSubstr("(program.cu:50) does not help: it is not called between the two, only later."));
}

TEST(RaceText, WaitRightBeforeTheCopyThatItShouldWaitForComesBeforeIt) {
  unordered_pair program;
  for (int round = 0; round < 2; ++round) {
    program.at_line(40).launch("scale", program.one, {writes(program.buffer)});
    program.at_line(42).synchronize_stream(program.one);
    program.at_line(43).copy(program.buffer, program.pinned, program.one);
    program.at_line(44).host_reads(program.pinned);
  }
  EXPECT_THAT(text_of(program.recording()),
              HasSubstr("(program.cu:42) does not help: it comes before D2H 1 is queued, and does not wait "
                        "for what is queued later."));
}

TEST(RaceText, WaitThatIsAlsoMadeBeforeTheFirstSideIsNotSaidToComeOnlyLater) {
  unordered_pair program;
  for (int round = 0; round < 2; ++round) {
    program.at_line(42).synchronize_stream(program.one);
    program.at_line(41).launch("scale", program.one, {writes(program.buffer)});
    program.at_line(43).copy(program.buffer, program.pinned, program.one);
    program.at_line(44).host_reads(program.pinned);
  }
  EXPECT_THAT(text_of(program.recording()),
              HasSubstr("(program.cu:42) does not help: it is not called between the two. "));
}

TEST(RaceText, CopyThatIsQueuedBeforeItsSourceIsWrittenBelongsBehindThat) {
  unordered_pair program;
  program.mark("begin:learner");
  program.at_line(42).copy(program.pinned, program.buffer, program.one);
  program.at_line(43).host_writes(program.pinned);
  program.at_line(44).synchronize_stream(program.one);
  program.mark("end:learner");
  const auto function = analysis::part_of(program.recording(), "learner");
  EXPECT_THAT(text_of(program.recording(), function),
              HasSubstr("That is after H2D 1 was queued, and your function had put nothing there before"));
  EXPECT_THAT(text_of(program.recording(), function), HasSubstr("Queue it behind program.cu:43."));
  EXPECT_EQ(places_in(program.recording(), function), "program.cu:42 program.cu:43 ");
}

TEST(RaceText, StreamsThatALineMakesInALoopAroundTheWorkAreNamedBeforeTheCures) {
  recording_builder program;
  const memory buffer = program.allocate(memory_kind::device, 4096);
  for (int step = 0; step < 2; ++step) {
    const trace::stream_id stream = program.at_line(12).create_stream();
    program.at_line(14).launch("advance", stream, {writes(buffer)});
  }
  EXPECT_THAT(
      text_of(program.recording()),
      HasSubstr(
          "Nothing makes stream 3 wait for stream 2. Both were made by cudaStreamCreateWithFlags (program.cu:12), which "
          "made 2 streams, stream 3 only after advance 1 had been queued. One stream keeps its work in order"));
  EXPECT_THAT(places_in(program.recording()), StartsWith("program.cu:12 "));
}

TEST(RaceText, StreamsThatALineMakesAheadOfTheWorkAreNotBlamed) {
  recording_builder program;
  const memory buffer = program.allocate(memory_kind::device, 4096);
  const trace::stream_id one = program.at_line(12).create_stream();
  const trace::stream_id two = program.at_line(12).create_stream();
  program.launch("advance", one, {writes(buffer)});
  program.launch("advance", two, {writes(buffer)});
  EXPECT_THAT(text_of(program.recording()), testing::Not(HasSubstr("Both were made by")));
}

TEST(RaceText, WaitInALoopThatLeavesOutTheStreamNamesAllItsStreams) {
  unordered_pair program;
  program.first();
  for (const trace::stream_id stream : {program.two, program.third})
    program.at_line(42).synchronize_stream(stream);
  program.at_line(44).host_reads(program.buffer);
  EXPECT_THAT(text_of(program.recording()),
              HasSubstr("does not help: it waits for stream 3 and stream 4, not for stream 2."));
}

TEST(RaceText, WaitThatIsSkippedInOneRoundOnlyIsNotSaidToComeTooLate) {
  unordered_pair program;
  const memory others = program.allocate(memory_kind::device, 4096);
  program.first();
  program.second();
  program.at_line(41).launch("scale", program.one, {writes(others)});
  program.record(program.event, program.one);
  program.at_line(43).wait(program.two, program.event);
  program.at_line(44).copy(others, program.pinned, program.two);
  EXPECT_THAT(text_of(program.recording()),
              HasSubstr("(program.cu:43) does not help: it is not called between the two, only later."));
}

TEST(RaceText, WaitThatIsMadeBetweenForSomethingElseComesTooLate) {
  unordered_pair program;
  const memory other = program.allocate(memory_kind::device, 4096);
  program.launch("prepare", program.third, {writes(other)});
  program.record(program.event, program.third);
  program.first();
  program.at_line(43).wait(program.two, program.event);
  program.launch("use", program.two, {reads(program.buffer), reads(other)});
  program.record(program.event, program.one);
  program.at_line(43).wait(program.two, program.event);
  EXPECT_THAT(text_of(program.recording()), HasSubstr("(program.cu:43) does not help: it comes too late."));
}

TEST(RaceText, WaitAfterTheFactForAnEventOfAnotherStreamIsNotMentioned) {
  unordered_pair program;
  program.first();
  program.second();
  program.launch("other", program.legacy_stream());  // waits for the first side
  program.record(program.event, program.third);
  program.at_line(50).wait(program.two, program.event);
  EXPECT_THAT(text_of(program.recording()), testing::Not(HasSubstr("does not help")));
}

TEST(RaceText, WaitOfAStreamThatFailedIsMentioned) {
  unordered_pair program;
  program.first();
  program.at_line(42).call_of(trace::api_function::cudaStreamWaitEvent);
  program.fail_last_call(400, "cudaErrorInvalidResourceHandle");
  program.second();
  EXPECT_THAT(text_of(program.recording()),
              HasSubstr("cudaStreamWaitEvent (program.cu:42) does not help: it failed with "
                        "cudaErrorInvalidResourceHandle. Record an event"));
}

TEST(RaceText, WaitOfTheHostThatFailedIsMentioned) {
  unordered_pair program;
  program.second();
  program.at_line(47).destroy_stream(program.two);
  program.at_line(48).synchronize_stream(program.two);
  program.fail_last_call(400, "cudaErrorInvalidResourceHandle");
  program.at_line(49).synchronize_stream(program.one);
  program.fail_last_call(400);
  program.at_line(50).host_reads(program.pinned);
  EXPECT_THAT(
      text_of(program.recording()),
      HasSubstr(
          "cudaStreamSynchronize (program.cu:48) does not help: it failed with cudaErrorInvalidResourceHandle: "
          "cudaStreamDestroy (program.cu:47) had destroyed what it uses."));
}

TEST(RaceText, LastWaitOfAFunctionThatReturnsTooEarlyIsMentionedWhereItFailed) {
  unordered_pair program;
  program.mark("begin:learner");
  program.first();
  program.at_line(41).destroy_stream(program.one);
  program.at_line(42).synchronize_stream(program.one);
  program.fail_last_call(400);
  program.at_line(43).synchronize_stream(program.third);
  program.fail_last_call(400);
  program.mark("end:learner");
  program.second();
  const auto function = analysis::part_of(program.recording(), "learner");
  EXPECT_THAT(text_of(program.recording(), function),
              HasSubstr("cudaStreamSynchronize (program.cu:42) does not help: it failed"));
}

TEST(RaceText, HostThatWaitsForAnotherStreamIsMentioned) {
  unordered_pair program;
  program.second();
  program.at_line(48).synchronize_stream(program.one);
  program.at_line(50).host_reads(program.pinned);
  EXPECT_THAT(text_of(program.recording()),
              HasSubstr("cudaStreamSynchronize (program.cu:48) does not help: it waits "
                        "for stream 2, not for stream 3."));
}

TEST(RaceText, RaceWithTheLegacyStreamSaysWhyItIsNoBarrier) {
  recording_builder program;
  const auto stream = program.create_stream(trace::stream_blocking::non_blocking);
  const memory buffer = program.at_line(20).allocate(memory_kind::managed, 64);
  program.at_line(41).set(buffer, program.legacy_stream());
  program.at_line(44).launch("count", stream, {updates_atomically(slice(buffer, 5, 1))});
  const std::string text = text_of(program.recording());
  EXPECT_THAT(
      text, StartsWith("The memset 1 of 64 bytes in the default stream (program.cu:41) writes byte 5 of the "
                       "managed allocation of program.cu:20, and the kernel count 1 in stream 2 "
                       "(program.cu:44) atomically updates it."));
  EXPECT_THAT(
      text,
      HasSubstr(
          "(a non-blocking stream and the default stream do not wait for each other). Name a stream in "
          "program.cu:41, here stream 2: what names no stream is in the default stream. Or record an event"));
}

TEST(RaceText, EveryCallThatRacesIsToNameAStream) {
  recording_builder program;
  const auto stream = program.create_stream(trace::stream_blocking::non_blocking);
  const memory to = program.allocate(memory_kind::device, 64),
               from = program.allocate(memory_kind::device, 64);
  program.at_line(6).set(to, program.legacy_stream());
  program.at_line(7).set(from, program.legacy_stream());
  program.at_line(8).copy(from, to, stream);
  EXPECT_THAT(
      text_of(program.recording()),
      HasSubstr(
          "Name a stream in program.cu:6 and program.cu:7, here stream 2: what names no stream is in the "
          "default stream. Or record an event in the default stream after program.cu:7"));
}

TEST(RaceText, ABlockingCopyOfPageableMemoryDoesNotWaitForTheTransfer) {
  for (const memory_kind kind : {memory_kind::pageable, memory_kind::pinned}) {
    recording_builder program;
    const auto stream = program.create_stream(trace::stream_blocking::non_blocking);
    const memory buffer = program.allocate(memory_kind::device, 64), source = program.allocate(kind, 64);
    program.at_line(15).copy(source, buffer, program.legacy_stream(), trace::waiting::synchronous);
    program.at_line(16).launch("add", stream, {writes(buffer)});
    const trace::recording recording = program.recording();
    if (kind == memory_kind::pinned) {
      EXPECT_TRUE(analysis::find_races(analysis::part_of(recording, ""))->empty());
      continue;
    }
    EXPECT_THAT(
        text_of(recording),
        HasSubstr(
            "do not wait for each other). The source is pageable, so cudaMemcpy returns when it has been "
            "staged, and the transfer to the device may not be over; from pinned memory (cudaMallocHost) the "
            "call waits for that too. Name a stream in program.cu:15, here stream 2"));
  }
}

TEST(RaceText, ACallThatTakesNoStreamIsToBecomeOneThatDoes) {
  recording_builder program;
  const auto stream = program.create_stream(trace::stream_blocking::non_blocking);
  const memory buffer = program.at_line(20).allocate(memory_kind::device, 64);
  const memory pinned = program.at_line(21).allocate(memory_kind::pinned, 64);
  program.at_line(41).launch("count", stream, {writes(buffer)});
  program.at_line(44).copy(pinned, buffer, program.legacy_stream());
  trace::recording recording = program.recording();
  EXPECT_THAT(text_of(recording), HasSubstr("Name a stream in program.cu:44, here stream 2: what names"));
  recording.calls.back().function = trace::api_function::cudaMemcpy;
  EXPECT_THAT(
      text_of(recording),
      HasSubstr(
          "Name a stream in program.cu:44, here stream 2, with cudaMemcpyAsync instead of cudaMemcpy, which takes "
          "no stream: what names"));
}

TEST(RaceText, AKernelAloneInAnotherStreamThanAllElseOnItsDataIsToNameThatOne) {
  for (const bool is_of_same_kind : {true, false}) {
    recording_builder program;
    const trace::stream_id own = program.create_stream(), side = program.create_stream();
    const memory input = program.allocate(memory_kind::device, 64),
                 buffer = program.allocate(memory_kind::device, 64);
    program.at_line(40);
    if (is_of_same_kind) {
      program.launch("clean", own, {reads(input), writes(buffer)});
    } else {
      program.copy(input, buffer, own);
    }
    program.at_line(41).launch("sharpen", side, {reads(buffer), writes(slice(input, 0, 4))});
    program.at_line(42).set(input, own);
    const std::string cure =
        "All else that uses the data of sharpen 1, before and behind it, is in stream 2: name stream 2 in "
        "program.cu:41. Or record an event";
    const trace::recording& recording = program.recording();
    const auto races =
        analysis::diagnose_races(analysis::part_of(recording, ""), analysis::ordering(recording), {});
    const std::string text = race_sentences(recording, races->front());
    EXPECT_EQ(text.find(cure) != text.npos, is_of_same_kind) << text;
  }
}

TEST(RaceText, RaceWithTheHostNamesWhereToWait) {
  recording_builder program;
  const auto stream = program.create_stream();
  const memory buffer = program.at_line(20).allocate(memory_kind::device, 64);
  const memory pageable = program.allocate(memory_kind::pageable, 64);
  program.at_line(41).copy(buffer, pageable, stream);
  program.at_line(50).host_reads(slice(pageable, 8, 4));
  EXPECT_EQ(
      text_of(program.recording()),
      "The copy D2H 1 of 64 bytes to the host in stream 2 (program.cu:41) writes bytes 8 to 11 of a variable "
      "or other ordinary memory of the host, and the host (program.cu:50) reads them. Nothing makes the host wait for it. The call may wait, "
      "because this memory is pageable, but CUDA does not promise that. Let "
      "the host wait before program.cu:50: cudaEventSynchronize on an event recorded after "
      "program.cu:41, or cudaStreamSynchronize on stream 2, or cudaDeviceSynchronize.");
}

TEST(RaceText, WithSeveralDevicesTheWaitIsForTheOneThatIsCurrent) {
  recording_builder program;
  const auto stream = program.create_stream();
  const memory buffer = program.at_line(20).allocate(memory_kind::device, 64);
  const memory pinned = program.allocate(memory_kind::pinned, 64);
  program.at_line(41).copy(buffer, pinned, stream);
  program.at_line(50).host_reads(pinned);
  program.launch("other", program.create_stream());
  trace::recording recording = program.recording();
  recording.devices.resize(2);
  EXPECT_THAT(text_of(recording), HasSubstr("or cudaDeviceSynchronize.")) << "only one of them is used";
  recording.operations.back().device = 1;
  EXPECT_THAT(text_of(recording),
              HasSubstr("or cudaDeviceSynchronize while device 0 is current: it waits for no other."));
}

TEST(RaceText, WhatTheCallerReadsHasToBeWaitedForBeforeTheFunctionReturns) {
  unordered_pair program;
  program.mark("begin:learner");
  program.second();
  program.mark("end:learner");
  program.at_line(70).copy(program.pinned, program.buffer, program.third);
  const auto reader = analysis::part_of(program.recording(), "learner");
  const std::string text = text_of(program.recording(), reader);
  EXPECT_THAT(
      text,
      HasSubstr("and the caller's copy H2D 1 of 4.1 KB to the device reads them, after your function has "
                "returned. Nothing makes that wait for it. Let the host wait before you return"));
  EXPECT_EQ(places_in(program.recording(), reader), "program.cu:44 ");
}

TEST(RaceText, OfWhatTheCallerReadsNoStreamOfTheCallerIsNamed) {
  unordered_pair program;
  program.mark("begin:learner");
  program.second();
  program.at_line(45).record(program.event, program.two);
  program.at_line(46).wait(program.one, program.event);
  program.mark("end:learner");
  program.at_line(70).copy(program.pinned, program.buffer, program.third);
  const std::string text = text_of(program.recording(), analysis::part_of(program.recording(), "learner"));
  EXPECT_THAT(
      text,
      HasSubstr("cudaStreamWaitEvent (program.cu:46) does not help: it makes stream 2 wait, not the host."));
}

TEST(RaceText, WhatFollowsTheFunctionIsToldWithoutLinesOfItsCaller) {
  unordered_pair program;
  program.in_file("/course/mine.cu");
  program.mark("begin:learner");
  program.second();
  program.in_file("/course/program.cu");
  program.call_of(trace::api_function::host_work);
  program.mark("end:learner");
  program.at_line(70).host_reads(program.pinned);
  program.at_line(71).synchronize_device();
  const trace::recording recording = recording_for_author_of_mine(program);
  const auto reader = analysis::part_of(recording, "learner");
  const std::string text = text_of(recording, reader);
  EXPECT_THAT(
      text,
      HasSubstr("of the 4096 bytes of pinned memory of the caller, and the caller reads them, after your "
                "function has returned. Nothing makes that wait for it. Let the host wait before you "
                "return"));
  EXPECT_EQ(places_in(recording, reader), "mine.cu:44 ");
}

TEST(RaceText, WhatCodeOfOthersReadsNeedNotBeInACallOfTheUsersFunction) {
  unordered_pair program;
  program.in_file("/course/mine.cu");
  program.mark("begin:learner");
  program.second();
  program.in_file("/course/program.cu");
  program.at_line(12).host_reads(program.pinned);
  program.in_file("/course/mine.cu");
  program.at_line(50).synchronize_device();
  program.mark("end:learner");
  const trace::recording recording = recording_for_author_of_mine(program);
  const auto reader = analysis::part_of(recording, "learner");
  EXPECT_THAT(text_of(recording, reader),
              AllOf(HasSubstr("and the host, in code that is not yours, reads them. Nothing makes"),
                    HasSubstr("Let the host wait before that: ")));
  EXPECT_EQ(places_in(recording, reader), "mine.cu:44 mine.cu:50 ");
}

TEST(RaceText, ACalleeIsKnownAlsoWhenItCallsCudaOrRunsInAnotherThread) {
  unordered_pair program;
  program.in_file("/course/mine.cu");
  program.mark("begin:learner");
  program.second();
  program.in_file("/course/program.cu");
  program.at_line(11).synchronize_stream(program.create_stream());
  program.on_thread(2);
  program.at_line(12).host_reads(program.pinned);
  program.on_thread(1);
  program.in_file("/course/mine.cu");
  program.at_line(50).synchronize_device();
  program.mark("end:learner");
  const trace::recording recording = recording_for_author_of_mine(program);
  const auto reader = analysis::part_of(recording, "learner");
  EXPECT_THAT(text_of(recording, reader),
              HasSubstr("Host thread 2, in code that is not yours, reads bytes 0 to 4095"));
  EXPECT_THAT(places_in(recording, reader), testing::Not(HasSubstr("program.cu")));
}

std::string mistake(const trace::recording& recording, const std::optional<analysis::part>& function = {}) {
  return std::string(word_of(diagnosis_of(recording, function).mistake));
}

TEST(RaceMistake, AResultThatAnotherStreamDoesNotWaitFor) {
  unordered_pair program;
  program.first();
  program.second();
  EXPECT_EQ(mistake(program.recording()), "result_not_awaited");
}

TEST(RaceMistake, OfWhatNothingHadWrittenTheOtherOrderIsTheFirstCure) {
  unordered_pair program;
  program.launch("scale", program.one, {reads(program.buffer)});
  program.copy(program.pinned, program.buffer, program.two);
  EXPECT_THAT(
      text_of(program.recording()),
      HasSubstr(
          "Nothing had written these bytes before: if scale 1 is to have what H2D 1 writes, issue program.cu:23 first, and "
          "let stream 2 wait for an event that is recorded behind it. If the two were not meant"));
  unordered_pair written;
  written.copy(written.pinned, written.buffer, written.one);
  written.launch("scale", written.one, {reads(written.buffer)});
  written.copy(written.pinned, written.buffer, written.two);
  EXPECT_THAT(text_of(written.recording()), testing::Not(HasSubstr("Nothing had written")));
}

TEST(RaceMistake, ABufferThatIsOverwrittenWhileItIsInUse) {
  unordered_pair program;
  program.launch("scale", program.one, {reads(program.buffer)});
  program.copy(program.pinned, program.buffer, program.two);
  EXPECT_EQ(mistake(program.recording()), "buffer_reused");
  EXPECT_THAT(
      text_of(program.recording()),
      HasSubstr("If the two were not meant to share bytes, give each its own. Else: record an event"));
}

TEST(RaceText, OfTwoThreadsThatQueueIntoOneStreamTheOrderOfTheirCallsIsMissing) {
  recording_builder program;
  const auto stream = program.create_stream();
  const memory buffer = program.at_line(20).allocate(memory_kind::device, 64);
  program.at_line(41).launch("fill", stream, {writes(buffer)});
  program.on_thread(2);
  program.at_line(44).launch("use", stream, {reads(buffer)});
  EXPECT_EQ(mistake(program.recording()), "queued_unordered");
  EXPECT_THAT(
      text_of(program.recording()),
      HasSubstr(
          "Both are in stream 2, which runs them in the order of the calls. The host makes the one call and host "
          "thread 2 the other, and nothing orders the two: in another run the other is first."));
  EXPECT_EQ(places_in(program.recording()), "program.cu:44 program.cu:41 ");
}

/// Copies of one line, of which the kernel reads what the first brings, and the second is in another stream.
struct two_pieces : unordered_pair {
  void bring(std::size_t begin, std::size_t end, trace::stream_id stream) {
    at_line(40).copy(slice(pinned, begin, end - begin), slice(buffer, begin, end - begin), stream);
  }
  void use(std::size_t begin, std::size_t end) {
    at_line(41).launch("scale", one, {reads(slice(buffer, begin, end - begin))});
  }
};

TEST(RaceText, OfPiecesThatOverlapTheRangesComeBeforeTheOrder) {
  two_pieces program;
  program.bring(1024, 4096, program.one);
  program.use(1024, 4096);
  program.bring(2048, 3072, program.two);
  EXPECT_THAT(
      text_of(program.recording()),
      HasSubstr(
          "and the copy H2D 2 of 1.0 KB to the device in stream 3 (program.cu:40) writes them. H2D 1 and H2D 2, both issued "
          "at program.cu:40, write bytes 1024 to 4095 and bytes 2048 to 3071 there: the two pieces overlap. Look first at how "
          "the offset and the length of each are computed. Only if the pieces are to overlap, record an event"));
}

TEST(RaceText, WhatIsBroughtToTheSameByteAgainIsNoPieceThatOverlaps) {
  two_pieces program;
  program.bring(1024, 4096, program.one);
  program.use(1024, 4096);
  program.bring(1024, 3072, program.two);
  EXPECT_THAT(text_of(program.recording()), testing::Not(HasSubstr("pieces")));
}

TEST(RaceMistake, AWaitForAnEventThatWasRecordedTooEarly) {
  unordered_pair program;
  program.record(program.event, program.one);
  program.first();
  program.wait(program.two, program.event);
  program.second();
  EXPECT_EQ(mistake(program.recording()), "recorded_too_early");
}

TEST(RaceMistake, AResultThatTheHostReadsEarly) {
  unordered_pair program;
  program.copy(program.buffer, program.pinned, program.one);
  program.host_reads(program.pinned);
  EXPECT_EQ(mistake(program.recording()), "result_read_early");
}

TEST(RaceMistake, ASourceThatTheHostOverwrites) {
  unordered_pair program;
  program.copy(program.pinned, program.buffer, program.one);
  program.host_writes(program.pinned);
  EXPECT_EQ(mistake(program.recording()), "source_overwritten");
}

/// A result that a second thread reads while nothing makes it wait; the lane may have been in use before.
std::string mistake_of_a_consumer(bool has_an_earlier_result) {
  recording_builder program;
  const auto stream = program.create_stream();
  const memory output = program.allocate(memory_kind::pinned, 64);
  const memory buffer = program.allocate(memory_kind::device, 64);
  program.copy(buffer, output, stream);  // before the reader's function
  program.synchronize_device();
  program.pass(1, 2);
  program.mark("begin:learner");
  if (has_an_earlier_result) {
    program.copy(buffer, output, stream);
    program.synchronize_device();
    program.pass(1, 2);
  }
  program.on_thread(2);
  program.host_reads(output);
  program.on_thread(1);
  program.copy(buffer, output, stream);
  program.mark("end:learner");
  return mistake(program.recording(), analysis::part_of(program.recording(), "learner"));
}

TEST(RaceMistake, AResultThatIsReadBeforeThereIsAny) {
  EXPECT_EQ(mistake_of_a_consumer(false), "result_read_early");
}

TEST(RaceMistake, AResultThatIsOverwrittenWhileItIsRead) {
  EXPECT_EQ(mistake_of_a_consumer(true), "host_not_awaited");
}

TEST(RaceMistake, WorkThatIsUnfinishedWhenTheFunctionReturns) {
  unordered_pair program;
  program.mark("begin:learner");
  program.copy(program.buffer, program.pinned, program.one);
  program.mark("end:learner");
  program.at_line(70).copy(program.pinned, program.buffer, program.third);
  EXPECT_EQ(mistake(program.recording(), analysis::part_of(program.recording(), "learner")),
            "unfinished_at_return");
}

TEST(RaceMistake, TheDefaultStreamAndAStreamThatDoesNotCareForIt) {
  recording_builder program;
  const auto lane = program.create_stream(trace::stream_blocking::non_blocking);
  const memory buffer = program.allocate(memory_kind::device, 64);
  program.launch("fill", lane, {writes(buffer)});
  program.launch("scale", program.legacy_stream(), {reads(buffer), writes(buffer)});
  EXPECT_EQ(mistake(program.recording()), "default_stream_unordered");
}

TEST(RaceText, RaceWithAnotherHostThreadNamesTheThreadThatMustWait) {
  recording_builder program;
  const auto stream = program.create_stream();
  const memory pinned = program.at_line(20).allocate(memory_kind::pinned, 64);
  program.at_line(30).host_writes(pinned);
  program.on_thread(2);
  program.at_line(41).launch("scale", stream, {reads(pinned)});
  EXPECT_THAT(
      text_of(program.recording()),
      EndsWith("Nothing makes it start after the host is done: let host thread 2 wait for that thread "
               "(a join, a mutex or an atomic flag) before it issues the operation."));
}

TEST(RaceText, RaceWithAThreadThatRunsTheSameCodeAsksForALockUntilTheDeviceHasRead) {
  recording_builder program;
  const auto stream = program.create_stream();
  const memory pinned = program.at_line(20).allocate(memory_kind::pinned, 64);
  program.at_line(30).host_writes(pinned);
  program.on_thread(2);
  program.divide_into_steps();
  program.pass(1, 2);
  program.at_line(30).host_writes(pinned);
  program.pass(2, 3);
  program.on_thread(3);
  program.at_line(30).host_writes(pinned);
  program.on_thread(2);
  program.at_line(41).launch("scale", stream, {reads(pinned)});
  EXPECT_THAT(
      text_of(program.recording()),
      EndsWith(
          "Host thread 2 writes there too before it issues scale 1, which is to read what that thread has put "
          "there. No other thread may write there until scale 1 is done: hold one mutex from the write until "
          "then."));
}

TEST(RaceText, NamesOfStreamsAndMemoryAreUsed) {
  unordered_pair program;
  program.first();
  program.second();
  trace::recording recording = program.recording();
  recording.streams[1].name = "upload";
  recording.allocations[0].name = "input";
  EXPECT_THAT(text_of(recording),
              StartsWith("The kernel scale 1 in `upload` (program.cu:41) writes bytes 0 to "
                         "4095 of `input` (device memory), and"));
}

TEST(RaceText, UnknownLinesAreLeftOut) {
  recording_builder program;
  const auto one = program.per_thread_stream(), two = program.create_stream();
  const memory buffer = program.allocate(memory_kind::device, 64);
  program.launch("scale", one, {writes(buffer)});
  program.launch_host_function(two, {reads(buffer)});
  trace::recording recording = program.recording();
  for (trace::host_call& call : recording.calls) call.where = {};
  EXPECT_THAT(text_of(recording),
              StartsWith("The kernel scale 1 in the per-thread default stream writes bytes 0 to 63 of the "
                         "device allocation 1, and the host function 1 in stream 3 reads them."));
  EXPECT_EQ(places_in(recording), "");
}

TEST(RaceText, AWaitForAnotherDeviceSaysWhichIsCurrentThere) {
  unordered_pair program;
  program.copy(program.buffer, program.pinned, program.one);
  program.on_device(1);
  program.at_line(44).synchronize_device();
  program.at_line(45).host_reads(program.pinned);
  EXPECT_THAT(
      text_of(program.recording()),
      HasSubstr(
          "cudaDeviceSynchronize (program.cu:44) does not help: it waits for device 1 only, which is current "
          "there. Let the host wait before program.cu:45"));
  EXPECT_THAT(places_in(program.recording()), StartsWith("program.cu:44 "));
}

TEST(RaceText, StreamsOfThreadsAreToldApart) {
  recording_builder program;
  const auto one = program.per_thread_stream(), two = program.per_thread_stream();
  const memory buffer = program.allocate(memory_kind::device, 64);
  program.on_thread(2);
  program.launch("scale", one, {writes(buffer)});
  program.on_thread(3);
  program.launch("scale", two, {writes(buffer)});
  EXPECT_THAT(
      text_of(program.recording()),
      HasSubstr(
          "Nothing makes the per-thread default stream of host thread 3 wait for the per-thread default "
          "stream of host thread 2."));
}

}  // namespace
}  // namespace report

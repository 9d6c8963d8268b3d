#include <gtest/gtest.h>

#include "analysis/races.h"
#include "analysis/recording_builder.h"

namespace {

using analysis::memory;
using analysis::reads;
using analysis::recording_builder;
using analysis::updates_atomically;
using analysis::writes;
using trace::memory_kind;

std::string only_race_of(const trace::recording& seen) {
  const auto races = analysis::find_races(analysis::part_of(seen, "")).value();
  return races.size() == 1 ? analysis::describe(seen, races[0]) : std::to_string(races.size()) + " races";
}

TEST(RaceText, SideIsOneSentence) {
  recording_builder program;
  const auto one = program.create_stream(), two = program.create_stream();
  const memory buffer = program.at_line(20).allocate(memory_kind::device, 4096);
  program.at_line(41).launch("scale", one, {writes(buffer)});
  program.at_line(44).launch("sum", two, {reads(buffer)});
  const auto races = analysis::find_races(analysis::part_of(program.seen(), "")).value();
  EXPECT_EQ(analysis::describe(program.seen(), races.at(0).first, races.at(0)),
            "kernel scale in stream 2 (program.cu:41) writes bytes 0 to 4095 of the device allocation of "
            "program.cu:20");
}

TEST(RaceText, RaceBetweenStreamsNamesTheMissingEventWait) {
  recording_builder program;
  const auto one = program.create_stream(), two = program.create_stream();
  const memory buffer = program.at_line(20).allocate(memory_kind::device, 4096);
  const memory pinned = program.at_line(21).allocate(memory_kind::pinned, 4096);
  program.at_line(41).launch("scale", one, {writes(buffer)});
  program.at_line(44).copy(buffer, pinned, two);
  EXPECT_EQ(only_race_of(program.seen()),
            "Kernel scale in stream 2 (program.cu:41) writes bytes 0 to 4095 of the device allocation of "
            "program.cu:20, "
            "and the device-to-host copy in stream 3 (program.cu:44) reads them. "
            "Nothing makes stream 3 wait for stream 2. Issue both into the same stream, or record an event "
            "in stream 2 "
            "after the first one (cudaEventRecord) and let stream 3 wait for it before the second one "
            "(cudaStreamWaitEvent).");
}

TEST(RaceText, RaceWithTheLegacyStreamSaysWhyItIsNoBarrier) {
  recording_builder program;
  const auto stream = program.create_stream(trace::stream_blocking::non_blocking);
  const memory buffer = program.at_line(20).allocate(memory_kind::managed, 64);
  program.at_line(41).set(buffer, program.legacy_stream());
  program.at_line(44).launch("count", stream, {updates_atomically(part(buffer, 5, 1))});
  EXPECT_EQ(
      only_race_of(program.seen()),
      "The memset in the legacy default stream (program.cu:41) writes byte 5 of the managed allocation of "
      "program.cu:20, and kernel count in stream 2 (program.cu:44) atomically updates it. "
      "Nothing makes stream 2 wait for the legacy default stream (a non-blocking stream and the legacy "
      "default "
      "stream do not wait for each other). Issue both into the same stream, or record an event in the legacy "
      "default stream after the first one (cudaEventRecord) and let stream 2 wait for it before the second "
      "one "
      "(cudaStreamWaitEvent).");
}

TEST(RaceText, RaceWithTheHostNamesWhereToWait) {
  recording_builder program;
  const auto stream = program.create_stream();
  const memory buffer = program.at_line(20).allocate(memory_kind::device, 64);
  const memory pageable = program.allocate(memory_kind::pageable, 64);
  program.at_line(41).copy(buffer, pageable, stream);
  program.at_line(50).host_reads(part(pageable, 8, 4));
  EXPECT_EQ(only_race_of(program.seen()),
            "The device-to-host copy in stream 2 (program.cu:41) writes bytes 8 to 11 of the pageable "
            "allocation 2, and "
            "the host (program.cu:50) reads them. "
            "Nothing makes the host wait for it: call cudaStreamSynchronize on stream 2, or "
            "cudaEventSynchronize on an "
            "event recorded after it, before program.cu:50.");
}

TEST(RaceText, RaceWithAnotherHostThreadNamesTheThreadThatMustWait) {
  recording_builder program;
  const auto stream = program.create_stream();
  const memory pinned = program.at_line(20).allocate(memory_kind::pinned, 64);
  program.at_line(30).host_writes(pinned);
  program.on_thread(2);
  program.at_line(41).launch("scale", stream, {reads(pinned)});
  EXPECT_EQ(only_race_of(program.seen()),
            "The host (program.cu:30) writes bytes 0 to 63 of the pinned allocation of program.cu:20, and "
            "kernel scale "
            "in stream 2 (program.cu:41) reads them. "
            "Nothing makes it start after the host is done: let host thread 2 wait for that thread (a join, "
            "a mutex or "
            "an atomic flag) before it issues the operation.");
}

TEST(RaceText, UnknownLinesAreLeftOut) {
  recording_builder program;
  const auto one = program.per_thread_stream(), two = program.create_stream();
  const memory buffer = program.allocate(memory_kind::device, 64);
  program.launch("scale", one, {writes(buffer)});
  program.launch_host_function(two, {reads(buffer)});
  trace::recording seen = program.seen();
  for (trace::host_call& call : seen.calls) call.where = {};
  EXPECT_EQ(only_race_of(seen),
            "Kernel scale in the per-thread default stream writes bytes 0 to 63 of the device allocation 1, "
            "and the host "
            "function in stream 3 reads them. "
            "Nothing makes stream 3 wait for the per-thread default stream. Issue both into the same stream, "
            "or record an "
            "event in the per-thread default stream after the first one (cudaEventRecord) and let stream 3 "
            "wait for it "
            "before the second one (cudaStreamWaitEvent).");
}

}  // namespace

#include "report/timeline/lanes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/sample_runs.h"
#include "trace/call_promise.h"
#include "trace/recording_builder.h"

namespace report {
namespace {

using testing::ElementsAre;
using testing::IsSupersetOf;
using trace::memory_kind;

std::vector<std::string> names_of(const std::vector<lane>& lanes) {
  std::vector<std::string> names;
  for (const lane& lane : lanes) names.push_back(lane.name);
  return names;
}

const lane& lane_named(const std::vector<lane>& lanes, const std::string& name) {
  for (const lane& lane : lanes) {
    if (lane.name == name) return lane;
  }
  throw std::out_of_range("no lane named " + name);
}

std::vector<std::string> labels_of(const lane& lane) {
  std::vector<std::string> labels;
  for (const span& span : lane.spans) labels.push_back(span.labels.front());
  return labels;
}

TEST(Lanes, HostComesFirstThenEnginesThenStreams) {
  const trace::recording recording = overlapped_sample();
  EXPECT_THAT(names_of(lanes_of(analysis::part_of(recording, "learner"))),
              ElementsAre("host", "H2D copies", "kernels", "D2H copies", "stream 2", "stream 3"));
}

TEST(Lanes, AStreamWithANameIsCalledByIt) {
  trace::recording recording = overlapped_sample();
  recording.streams[1].name = "left_stream";
  EXPECT_THAT(names_of(lanes_of(analysis::part_of(recording, "learner"))),
              ElementsAre("host", "H2D copies", "kernels", "D2H copies", "left_stream", "stream 3"));
}

TEST(Lanes, OperationsAreNumberedByKindAndName) {
  sample_run run;
  run.kernel("scale", 1, 0, 10, 20);
  run.kernel("shift", 1, 4, 20, 30);
  run.kernel("scale", 1, 8, 30, 40);
  run.copy_to_host(1, 12, 40, 50);
  const auto lanes = lanes_of(analysis::part_of(run.recording, ""));
  EXPECT_THAT(labels_of(lane_named(lanes, "default stream")),
              ElementsAre("scale 1", "shift 1", "scale 2", "D2H 1"));
}

TEST(Lanes, KernelNamesLoseTypeAndArguments) {
  sample_run run;
  run.kernel("void course::scale<float, 4>(float*, int)", 1, 0, 10, 20);
  const auto lanes = lanes_of(analysis::part_of(run.recording, ""));
  EXPECT_THAT(labels_of(lane_named(lanes, "kernels")), ElementsAre("scale 1"));
}

TEST(Lanes, EachDeviceHasEnginesAndStreamsOfItsOwn) {
  sample_run run;
  run.kernel("left", 1, 0, 10, 20);
  run.kernel("right", 1, 4, 20, 30);
  run.recording.operations.back().device = 1;
  EXPECT_THAT(names_of(lanes_of(analysis::part_of(run.recording, ""))),
              ElementsAre("host", "GPU 0 kernels", "GPU 1 kernels", "GPU 0 default stream"));
}

TEST(Lanes, CopiesBetweenDevicesAreApartFromThoseInsideOne) {
  trace::recording_builder program;
  const trace::stream_id stream = program.create_stream();
  const trace::memory first = program.allocate(trace::memory_kind::device, 64);
  const trace::memory second = program.allocate(trace::memory_kind::device, 64);
  program.copy(first, first, stream);
  program.copy(first, second, stream);
  trace::recording recording = program.recording();
  recording.allocations.back().device = 1;
  for (trace::operation& copy : recording.operations) copy.end = trace::nanoseconds(1);
  EXPECT_THAT(names_of(lanes_of(analysis::part_of(recording, ""))),
              IsSupersetOf({"D2D copies", "peer copies"}));
}

TEST(Lanes, WhatHadNotEndedWhenTheRunWasEndedIsNotDrawn) {
  sample_run run;
  run.copy_to_host(1, 0, 10, 20);
  run.recording.operations.push_back(run.recording.operations.back());
  run.recording.operations.back().id = 2;
  run.recording.operations.back().start = run.recording.operations.back().end = {};
  EXPECT_THAT(labels_of(lane_named(lanes_of(analysis::part_of(run.recording, "")), "D2H copies")),
              ElementsAre("D2H 1"));
}

TEST(Lanes, ACopyWhoseMemoryIsNotKnownHasNoDirection) {
  sample_run run;
  run.copy_to_host(1, 0, 10, 20);
  run.recording.operations.back().source.reset();
  const auto lanes = lanes_of(analysis::part_of(run.recording, ""));
  EXPECT_THAT(labels_of(lane_named(lanes, "copies")), ElementsAre("copy 1"));
}

TEST(Lanes, EventsAreMomentsOfTheirStreamAndNotOfAnEngine) {
  sample_run run;
  run.record(1, 0, 5);
  run.wait(1, 2, 9);
  const auto lanes = lanes_of(analysis::part_of(run.recording, ""));
  ASSERT_THAT(names_of(lanes), ElementsAre("host", "default stream"));
  EXPECT_EQ(lanes[1].spans[0].activity, activity::record_event);
  EXPECT_EQ(lanes[1].spans[1].activity, activity::wait_for_event);
}

TEST(WaitsForDevice, SynchronousCopyThatQueuedBehindAKernelWaits) {
  sample_run run;
  run.kernel("long_one", 1, 0, 10, 900);
  run.synchronous_copy(memory_kind::device, memory_kind::pinned, 10, 900, 1000);
  EXPECT_TRUE(trace::host_waits_in(run.recording, run.recording.calls.back()));
}

TEST(WaitsForDevice, RecordingsThatSayItAreBelieved) {
  sample_run run;
  run.copy_to_device(1, 0, 10, 900);
  run.recording.calls.back().waited_for = {{{.kind = trace::constraint_kind::work_queue, .operation = 1}}};
  EXPECT_TRUE(trace::host_waits_in(run.recording, run.recording.calls.back()));
  run.synchronous_copy(memory_kind::device, memory_kind::pinned, 10, 900, 1000);
  run.recording.calls.back().waited_for.emplace();
  EXPECT_FALSE(trace::host_waits_in(run.recording, run.recording.calls.back()));
}

TEST(WaitsForDevice, AsynchronousCopyDoesNotWait) {
  sample_run run;
  run.copy_to_device(1, 0, 10, 900);
  EXPECT_FALSE(trace::host_waits_in(run.recording, run.recording.calls.back()));
}

TEST(WaitsForDevice, AsynchronousCopyThatIsStagedFromPageableMemoryWaits) {
  sample_run run;
  run.synchronous_copy(memory_kind::pageable, memory_kind::device, 10, 20, 1000);
  run.recording.calls.back().function = trace::api_function::cudaMemcpyAsync;
  run.recording.calls.back().end = std::chrono::microseconds{980};
  EXPECT_TRUE(trace::host_waits_in(run.recording, run.recording.calls.back()));
}

TEST(WaitsForDevice, LaunchesAndRecordsDoNotWait) {
  sample_run run;
  run.record(1, 0, 0);
  EXPECT_FALSE(trace::host_waits_in(run.recording, run.recording.calls.back()));
  run.kernel("short_one", 1, 4, 5, 6);
  EXPECT_FALSE(trace::host_waits_in(run.recording, run.recording.calls.back()));
}

TEST(WaitsForDevice, AQueryWaitsWhenItIsMadeAgainBeforeMoreIsQueued) {
  sample_run run;
  run.kernel("long_one", 1, 0, 10, 900);
  const auto ask = [&](int error_code) {
    trace::host_call query = run.recording.calls.back();
    query.id = static_cast<trace::call_id>(run.recording.calls.size() + 1);
    query.function = trace::api_function::cudaStreamQuery;
    query.stream = 1;
    query.operation = 0;
    query.error_code = error_code;
    run.recording.calls.push_back(query);
    return query.id;
  };
  const trace::call_id ignored = ask(trace::not_ready);
  run.kernel("another", 1, 10, 900, 1000);
  const trace::call_id polled = ask(trace::not_ready);
  const trace::call_id last = ask(0);
  const auto waits_in = [&](trace::call_id id) {
    return trace::host_waits_in(run.recording, run.recording.call_at(id));
  };
  EXPECT_FALSE(waits_in(ignored));
  EXPECT_TRUE(waits_in(polled));
  EXPECT_FALSE(waits_in(last));
}

TEST(Lanes, RangesInsideRangesHaveLanesOfTheirOwnBelowTheHost) {
  sample_run run;
  const auto range = [](const char* name, int start, int end) {
    return trace::named_range{.name = name,
                              .thread = 1,
                              .start = std::chrono::microseconds{start},
                              .end = std::chrono::microseconds{end}};
  };
  run.mark("begin:learner", 100);
  run.kernel("scale", run.stream(), 110, 120, 200);
  run.mark("end:learner", 200);
  run.recording.ranges = {range("before", 0, 90), range("outer", 50, 180), range("inner", 120, 150),
                          range("mark", 160, 160)};
  const std::vector<lane> lanes = lanes_of(analysis::part_of(run.recording, "learner"));
  ASSERT_GE(lanes.size(), 3u);
  EXPECT_EQ(lanes[1].name, "ranges");
  ASSERT_EQ(lanes[1].spans.size(), 1u);
  EXPECT_EQ(lanes[1].spans[0].start, std::chrono::microseconds{100});
  ASSERT_EQ(lanes[2].spans.size(), 2u);
  EXPECT_EQ(lanes[2].spans[0].labels.front(), "inner");
  EXPECT_EQ(lanes[2].spans[1].activity, activity::named_mark);
}

}  // namespace
}  // namespace report

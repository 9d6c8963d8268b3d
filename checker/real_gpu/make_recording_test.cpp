#include "real_gpu/make_recording.h"

#include <gmock/gmock.h>

#include "trace/references.h"
#include "trace/words.h"

namespace real_gpu {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Optional;
using testing::SizeIs;
using trace::operation_kind;

constexpr nanoseconds us(int count) { return nanoseconds(count * 1000); }

/// A run that grows call by call; each call takes a microsecond.
class MakeRecording : public testing::Test {
 protected:
  raw_call& call(const char* name) {
    raw_call& added = run.calls.emplace_back();
    added.name = name;
    added.start = us(static_cast<int>(run.calls.size()) * 2);
    added.end = added.start + us(1);
    added.correlation = static_cast<std::uint32_t>(run.calls.size() + 100);
    return added;
  }

  void create_stream(handle object, trace::stream_blocking blocking = trace::stream_blocking::non_blocking) {
    raw_call& added = call("cudaStreamCreateWithFlags");
    added.did = effect::creates_stream;
    added.stream = object;
    added.blocking = blocking;
  }

  void create_event(handle object) {
    raw_call& added = call("cudaEventCreate");
    added.did = effect::creates_event;
    added.event = object;
  }

  raw_activity& launch(handle stream, nanoseconds start, nanoseconds end) {
    raw_call& added = call("cudaLaunchKernel");
    added.stream = stream;
    raw_activity& ran = run.activities.emplace_back();
    ran.correlation = added.correlation;
    ran.name = "kernel";
    ran.start = start;
    ran.end = end;
    return ran;
  }

  void event_call(const char* name, effect did, handle event, handle stream) {
    raw_call& added = call(name);
    added.did = did;
    added.event = event;
    added.stream = stream;
  }

  trace::recording made() {
    trace::recording recording = make_recording(run);
    EXPECT_EQ(trace::first_broken_reference(recording), std::nullopt);
    return recording;
  }

  raw_run run;
};

std::vector<std::string> kinds_of(const trace::recording& recording) {
  std::vector<std::string> kinds;
  for (const trace::diagnostic& diagnostic : recording.diagnostics)
    kinds.emplace_back(trace::word_of(diagnostic.kind));
  return kinds;
}

TEST_F(MakeRecording, AnEmptyRunHasTheDefaultStreamOnly) {
  const trace::recording recording = made();
  EXPECT_EQ(recording.backend, "cupti");
  ASSERT_THAT(recording.streams, SizeIs(1));
  EXPECT_EQ(recording.streams[0].kind, trace::stream_kind::legacy_default);
  EXPECT_EQ(recording.host_accesses, std::nullopt);
}

TEST_F(MakeRecording, AKernelBelongsToTheStreamOfItsLaunch) {
  create_stream(77);
  launch(77, us(10), us(30));
  const trace::recording recording = made();
  ASSERT_THAT(recording.operations, SizeIs(1));
  EXPECT_EQ(recording.operations[0].stream, 2u);
  EXPECT_EQ(recording.operations[0].issued_by, 2u);
  EXPECT_EQ(recording.calls[1].operation, 1u);
  EXPECT_EQ(recording.operations[0].end, us(30));
  EXPECT_EQ(recording.operations[0].accesses, std::nullopt);
}

TEST_F(MakeRecording, AKernelWhoseTimesAreLostTakesNoTimeAtItsLaunch) {
  create_stream(77);
  launch(77, us(-1000), us(-1000));
  const trace::recording recording = made();
  ASSERT_THAT(recording.operations, SizeIs(1));
  EXPECT_EQ(recording.operations[0].start, recording.calls[1].end);
  EXPECT_EQ(recording.operations[0].end, recording.calls[1].end);
  EXPECT_EQ(recording.operations[0].issued, recording.calls[1].end);
}

TEST_F(MakeRecording, ACopyWhoseKindIsNotTheDirectionOfItsMemoryIsNoted) {
  for (const auto& [memory, kind] :
       {std::pair{handle{1000}, trace::memory_kind::pinned}, {handle{2000}, trace::memory_kind::device}}) {
    raw_call& made = call("cudaMalloc");
    made.did = effect::allocates;
    made.memory = memory;
    made.bytes = 100;
    made.memory_kind = kind;
  }
  const auto copy = [&](handle destination, handle source, trace::copy_direction direction) {
    raw_call& added = call("cudaMemcpyAsync");
    added.stream = legacy_stream;
    added.direction = direction;
    added.source = source;
    added.destination = destination;
  };
  copy(2000, 1050, trace::copy_direction::host_to_device);
  copy(2000, 5000, trace::copy_direction::device_to_host);  // what lies there is not known
  EXPECT_THAT(made().diagnostics, IsEmpty());
  copy(2000, 1050, trace::copy_direction::device_to_host);
  const trace::recording recording = made();
  EXPECT_THAT(kinds_of(recording), ElementsAre("wrong_copy_kind"));
  EXPECT_THAT(recording.diagnostics.back().message,
              HasSubstr("from pinned to device memory has the kind cudaMemcpyDeviceToHost"));
  EXPECT_EQ(recording.diagnostics.back().call, 5u);
}

TEST_F(MakeRecording, AHandleThatIsUsedAgainIsAnotherStream) {
  create_stream(77);
  raw_call& destroyed = call("cudaStreamDestroy");
  destroyed.did = effect::destroys_stream;
  destroyed.stream = 77;
  create_stream(77);
  launch(77, us(10), us(30));
  const trace::recording recording = made();
  ASSERT_THAT(recording.streams, SizeIs(3));
  EXPECT_EQ(recording.streams[1].destroyed_by, 2u);
  EXPECT_EQ(recording.streams[2].destroyed_by, 0u);
  EXPECT_EQ(recording.operations[0].stream, 3u);
}

TEST_F(MakeRecording, ANameBelongsToTheStreamThatTheHandleMeantThen) {
  create_stream(77);
  run.names.push_back({named::stream, 77, "upload", run.calls.size()});
  raw_call& destroyed = call("cudaStreamDestroy");
  destroyed.did = effect::destroys_stream;
  destroyed.stream = 77;
  create_stream(77);
  run.names.push_back({named::stream, 78, "none", run.calls.size()});
  const trace::recording recording = made();
  ASSERT_THAT(recording.streams, SizeIs(3));
  EXPECT_EQ(recording.streams[1].name, "upload");
  EXPECT_EQ(recording.streams[2].name, "");
}

TEST_F(MakeRecording, AnyAddressOfAnAllocationNamesIt) {
  raw_call& allocates = call("cudaMalloc");
  allocates.did = effect::allocates;
  allocates.memory = 4096;
  allocates.bytes = 100;
  run.names.push_back({named::memory, 4196, "behind", run.calls.size()});
  run.names.push_back({named::memory, 4195, "result", run.calls.size()});
  const trace::recording recording = made();
  ASSERT_THAT(recording.allocations, SizeIs(1));
  EXPECT_EQ(recording.allocations[0].name, "result");
}

TEST_F(MakeRecording, OperationsAreInTheOrderOfTheirCalls) {
  create_stream(77);
  create_stream(78);
  launch(77, us(50), us(60)).name = "late";
  launch(78, us(10), us(30)).name = "early";
  std::swap(run.activities[0], run.activities[1]);
  const trace::recording recording = made();
  EXPECT_EQ(recording.operations[0].name, "late");
  EXPECT_EQ(recording.operations[1].name, "early");
}

TEST_F(MakeRecording, PiecesOfACopyAreOneOperation) {
  raw_call& copy = call("cudaMemcpy");
  copy.stream = legacy_stream;
  for (int piece = 0; piece < 2; ++piece) {
    raw_activity& part = run.activities.emplace_back();
    part.kind = operation_kind::copy;
    part.correlation = copy.correlation;
    part.bytes = 100;
    part.start = us(10 + 10 * piece);
    part.end = us(15 + 10 * piece);
  }
  const trace::recording recording = made();
  ASSERT_THAT(recording.operations, SizeIs(1));
  EXPECT_EQ(recording.operations[0].bytes, 200u);
  EXPECT_EQ(recording.operations[0].start, us(10));
  EXPECT_EQ(recording.operations[0].end, us(25));
}

TEST_F(MakeRecording, AGraphIsALaunchAndItsNodes) {
  raw_call& graph = call("cudaGraphLaunch");
  graph.stream = legacy_stream;
  graph.did = effect::launches_graph;
  for (int node = 0; node < 3; ++node) {
    raw_activity& part = run.activities.emplace_back();
    part.kind = node == 1 ? operation_kind::kernel : operation_kind::copy;
    part.correlation = graph.correlation;
    part.start = us(10 * node);
    part.end = us(10 * node + 5);
  }
  const trace::recording recording = made();
  ASSERT_THAT(recording.operations, SizeIs(4));
  EXPECT_EQ(recording.operations[0].kind, operation_kind::graph_launch);
  EXPECT_EQ(recording.operations[0].start, us(0));
  EXPECT_EQ(recording.operations[0].end, us(25));
  EXPECT_EQ(recording.calls[0].operation, 1u);
  EXPECT_EQ(recording.operations[3].graph_launch, 1u);
}

TEST_F(MakeRecording, WhatIsCapturedIsNoWorkOfTheDevice) {
  const auto in_stream = [this](const char* name, effect did, handle stream) {
    raw_call& added = call(name);
    added.did = did;
    added.stream = stream;
  };
  create_stream(77);
  create_stream(78);
  create_event(5);
  in_stream("cudaStreamBeginCapture", effect::begins_capture, 77);
  in_stream("cudaLaunchKernel", effect::none, 77);
  event_call("cudaEventRecord", effect::records_event, 5, 77);
  event_call("cudaStreamWaitEvent", effect::waits_for_event, 5, 78);
  in_stream("cudaLaunchKernel", effect::none, 78);
  in_stream("cudaStreamEndCapture", effect::ends_capture, 77);
  launch(78, us(90), us(95));
  event_call("cudaEventRecord", effect::records_event, 5, 77);
  const trace::recording recording = made();
  ASSERT_THAT(recording.operations, SizeIs(2));
  EXPECT_EQ(recording.operations[0].kind, operation_kind::kernel);
  EXPECT_EQ(recording.operations[0].start, us(90));
  EXPECT_EQ(recording.operations[1].kind, operation_kind::event_record);
  EXPECT_THAT(kinds_of(recording), IsEmpty());
}

TEST_F(MakeRecording, AnEventIsRecordedWhenTheWorkBeforeItHasEnded) {
  create_stream(77);
  create_event(5);
  launch(77, us(10), us(90));
  event_call("cudaEventRecord", effect::records_event, 5, 77);
  const trace::recording recording = made();
  ASSERT_THAT(recording.operations, SizeIs(2));
  EXPECT_EQ(recording.operations[1].kind, operation_kind::event_record);
  EXPECT_EQ(recording.operations[1].start, us(90));
}

TEST_F(MakeRecording, AWaitEndsWithTheRecordThatItCaptured) {
  create_stream(77);
  create_stream(78);
  create_event(5);
  launch(77, us(10), us(90));
  event_call("cudaEventRecord", effect::records_event, 5, 77);
  event_call("cudaStreamWaitEvent", effect::waits_for_event, 5, 78);
  event_call("cudaEventRecord", effect::records_event, 5, 77);
  const trace::recording recording = made();
  ASSERT_THAT(recording.operations, SizeIs(4));
  EXPECT_EQ(recording.operations[2].captured, 2u);
  EXPECT_EQ(recording.operations[2].end, us(90));
}

TEST_F(MakeRecording, AWaitForAnEventThatWasNeverRecordedCapturesNothing) {
  create_stream(77);
  create_event(5);
  event_call("cudaStreamWaitEvent", effect::waits_for_event, 5, 77);
  EXPECT_EQ(made().operations.at(0).captured, 0u);
}

TEST_F(MakeRecording, AnEventInTheDefaultStreamWaitsForBlockingStreams) {
  create_stream(77, trace::stream_blocking::blocking);
  create_stream(78, trace::stream_blocking::non_blocking);
  create_event(5);
  launch(77, us(20), us(50));
  launch(78, us(20), us(500));
  event_call("cudaEventRecord", effect::records_event, 5, legacy_stream);
  EXPECT_EQ(made().operations.at(2).start, us(50));
}

TEST_F(MakeRecording, PrioritiesOutsideTheRangeAreClamped) {
  run.most_urgent_priority = -5;
  create_stream(77);
  run.calls.back().priority = -1000;
  create_stream(78);
  run.calls.back().priority = 1000;
  const trace::recording recording = made();
  EXPECT_EQ(recording.streams[1].priority, -5);
  EXPECT_EQ(recording.streams[2].priority, 0);
}

TEST_F(MakeRecording, FreedMemoryKnowsItsCall) {
  raw_call& allocated = call("cudaMallocHost");
  allocated.did = effect::allocates;
  allocated.memory = 4096;
  allocated.bytes = 64;
  allocated.memory_kind = trace::memory_kind::pinned;
  raw_call& freed = call("cudaFreeHost");
  freed.did = effect::frees;
  freed.memory = 4096;
  const trace::recording recording = made();
  ASSERT_THAT(recording.allocations, SizeIs(1));
  EXPECT_EQ(recording.allocations[0].freed_by, 2u);
  EXPECT_EQ(recording.calls[1].allocation, 1u);
}

TEST_F(MakeRecording, ACallThatFailedHasNoEffect) {
  create_stream(77);
  run.calls.back().error_code = 2;
  run.error_names[2] = "cudaErrorMemoryAllocation";
  const trace::recording recording = made();
  EXPECT_THAT(recording.streams, SizeIs(1));
  EXPECT_EQ(recording.calls[0].error_name, "cudaErrorMemoryAllocation");
}

TEST_F(MakeRecording, HostFunctionsHaveTheTimesAtWhichTheyRan) {
  run.host_functions.push_back({us(40), us(45)});
  raw_call& queued = call("cudaLaunchHostFunc");
  queued.did = effect::queues_host_function;
  queued.stream = legacy_stream;
  const trace::recording recording = made();
  ASSERT_THAT(recording.operations, SizeIs(1));
  EXPECT_EQ(recording.operations[0].kind, operation_kind::host_function);
  EXPECT_EQ(recording.operations[0].start, us(40));
  EXPECT_EQ(recording.operations[0].end, us(45));
}

TEST_F(MakeRecording, CudaInsideAHostFunctionIsNoted) {
  call("cudaGetLastError").is_in_host_function = true;
  EXPECT_THAT(kinds_of(made()), ElementsAre("cuda_call_in_host_function"));
}

TEST_F(MakeRecording, MarksKnowWhatWasIssuedBeforeThem) {
  create_stream(77);
  run.marks.push_back({"begin:learner", us(5), 1});
  launch(77, us(10), us(30));
  run.marks.push_back({"end:learner", us(35), 2});
  const trace::recording recording = made();
  EXPECT_EQ(recording.marks[0].after, 1u);
  EXPECT_EQ(recording.marks[0].after_operation, 0u);
  EXPECT_EQ(recording.marks[1].after_operation, 1u);
}

TEST_F(MakeRecording, AMissingKernelIsSaid) {
  launch(legacy_stream, us(10), us(30));
  run.activities.clear();
  EXPECT_THAT(kinds_of(made()), ElementsAre("lost_records"));
}

TEST_F(MakeRecording, DroppedRecordsAreSaid) {
  run.lost_records = 12;
  const trace::recording recording = made();
  ASSERT_THAT(kinds_of(recording), ElementsAre("lost_records"));
  EXPECT_THAT(recording.diagnostics[0].message, HasSubstr("12"));
}

TEST_F(MakeRecording, ARefusalIsSaidOnce) {
  run.refusal = "CUPTI refused";
  launch(legacy_stream, us(10), us(30));
  run.activities.clear();
  EXPECT_THAT(kinds_of(made()), ElementsAre("not_recorded"));
}

TEST_F(MakeRecording, WorkOfAnUnknownStreamIsLeftOutAndSaid) {
  launch(legacy_stream, us(10), us(30));
  run.calls.back().stream.reset();
  const trace::recording recording = made();
  EXPECT_THAT(recording.operations, IsEmpty());
  EXPECT_THAT(kinds_of(recording), ElementsAre("not_attributed"));
}

TEST_F(MakeRecording, EventsAndHostFunctionsOfAnUnknownStreamAreLeftOutAndSaid) {
  create_event(5);
  event_call("cudaEventRecord", effect::records_event, 5, legacy_stream);
  event_call("cudaEventRecord", effect::records_event, 5, 99);
  event_call("cudaStreamWaitEvent", effect::waits_for_event, 5, 99);
  event_call("cudaStreamWaitEvent", effect::waits_for_event, 5, legacy_stream);
  run.host_functions.push_back({us(20), us(21)});
  raw_call& queues = call("cudaLaunchHostFunc");
  queues.did = effect::queues_host_function;
  queues.stream = 99;
  const trace::recording recording = made();
  ASSERT_THAT(recording.operations, SizeIs(2));
  EXPECT_EQ(recording.operations[0].kind, operation_kind::event_record);
  EXPECT_EQ(recording.operations[1].captured, 0u);  // the last record is not in the recording
  EXPECT_THAT(kinds_of(recording), ElementsAre("not_attributed", "not_attributed", "not_attributed"));
}

TEST_F(MakeRecording, EventsThatNobodySawMadeAreNotOne) {
  event_call("cudaEventRecord", effect::records_event, 5, legacy_stream);
  event_call("cudaStreamWaitEvent", effect::waits_for_event, 6, legacy_stream);
  const trace::recording recording = made();
  ASSERT_THAT(recording.operations, SizeIs(2));
  EXPECT_EQ(recording.operations[1].captured, 0u);
}

TEST_F(MakeRecording, CallsSayWhatTheHostWaitedFor) {
  create_stream(77);
  launch(77, us(5), us(50));
  raw_call& wait = call("cudaStreamSynchronize");
  wait.stream = 77;
  wait.end = us(51);
  raw_call& again = call("cudaDeviceSynchronize");
  again.start = us(60);
  again.end = us(61);
  raw_call& query = call("cudaStreamQuery");
  query.stream = 77;
  const trace::recording recording = made();
  EXPECT_THAT(recording.calls.at(1).waited_for, Optional(IsEmpty()));
  const auto& waited_for = recording.calls.at(2).waited_for;
  ASSERT_THAT(waited_for, Optional(SizeIs(1)));
  EXPECT_EQ(waited_for->front(), (trace::constraint{trace::constraint_kind::completion, 1, 0, us(50)}));
  const auto& nothing_left = recording.calls.at(3).waited_for;
  ASSERT_THAT(nothing_left, Optional(SizeIs(1)));
  EXPECT_EQ(nothing_left->front().operation, 0U);
  EXPECT_THAT(recording.calls.at(4).waited_for, Optional(IsEmpty()));
}

TEST_F(MakeRecording, AWaitForNothingIsStillAWait) {
  create_stream(77);
  call("cudaStreamSynchronize").stream = 77;
  const trace::recording recording = made();
  ASSERT_THAT(recording.calls.at(1).waited_for, Optional(SizeIs(1)));
  EXPECT_EQ(recording.calls.at(1).waited_for->front().operation, 0U);
}

TEST(PlainKernelName, LosesParametersNamespacesAndTemplateArguments) {
  EXPECT_EQ(plain_kernel_name("_Z5scalePfi"), "scale");
  EXPECT_EQ(plain_kernel_name("_ZN3one3two5scaleEPfi"), "scale");
  EXPECT_EQ(plain_kernel_name("_Z5scaleIfEvPT_i"), "scale");
  EXPECT_EQ(plain_kernel_name("_ZN12_GLOBAL__N_15scaleEPfi"), "scale");
}

TEST(PlainKernelName, KeepsWhatIsNotMangled) { EXPECT_EQ(plain_kernel_name("scale"), "scale"); }

}  // namespace
}  // namespace real_gpu

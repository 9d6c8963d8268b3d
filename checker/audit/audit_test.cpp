#include "audit/audit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "device/tiny_gpu.h"

namespace audit {
namespace {

using std::chrono::nanoseconds;
using testing::HasSubstr;
using trace::api_function;
using trace::constraint_kind;
using trace::operation_kind;

device::profile gpu_of_test() {
  device::profile gpu = device::tiny_gpu();
  gpu.launch_queue = 16;
  gpu.host_calls = {{"default", nanoseconds(10)}};
  return gpu;
}

/// A copy of 1000 bytes and a kernel of 500 ns behind it in one stream, as the tiny GPU does them: calls take 10 ns, and nothing
/// has latency.
class Audit : public testing::Test {
 protected:
  Audit() {
    recording.backend = "virtual";
    recording.profile = gpu.short_name;
    recording.devices = {{0, gpu.name, gpu.compute_capability, 2, 2}};
    recording.streams = {{.id = 1, .kind = trace::stream_kind::legacy_default}, {.id = 2, .created_by = 1}};
    recording.allocations = {{.id = 1, .kind = trace::memory_kind::pinned, .bytes = 1000, .allocated_by = 2},
                             {.id = 2, .kind = trace::memory_kind::device, .bytes = 1000, .allocated_by = 3}};
    recording.host_accesses.emplace();
    call(api_function::cudaStreamCreate, 0, 10).stream = 2;
    call(api_function::cudaMallocHost, 10, 20).allocation = 1;
    call(api_function::cudaMalloc, 20, 30).allocation = 2;
    call(api_function::cudaMemcpyAsync, 30, 40);
    call(api_function::cudaLaunchKernel, 40, 50);
    trace::host_call& synchronization = call(api_function::cudaStreamSynchronize, 50, 1540);
    synchronization.stream = 2;
    synchronization.waited_for = {{{constraint_kind::completion, 2, 0, nanoseconds(1540)}}};
    trace::operation& copied = issue(operation_kind::copy, 4, 40, 1040);
    copied.bytes = 1000;
    copied.source = trace::memory_kind::pinned;
    copied.destination = trace::memory_kind::device;
    copied.accesses = {{{1, trace::access_mode::read, trace::byte_set::range(0, 1000)},
                        {2, trace::access_mode::write, trace::byte_set::range(0, 1000)}}};
    copied.waited_for = {{{constraint_kind::host_issue, 0, 4, nanoseconds(40)}}};
    trace::operation& launched = issue(operation_kind::kernel, 5, 1040, 1540);
    launched.name = "scale";
    launched.grid = {1, 1, 1};
    launched.block = {32, 1, 1};
    launched.block_times = {{{1, nanoseconds(500)}}};
    launched.waited_for = {{{constraint_kind::stream_order, 1, 0, nanoseconds(1040)},
                            {constraint_kind::host_issue, 0, 5, nanoseconds(50)}}};
    recording.end = nanoseconds(1540);
  }

  trace::host_call& call(api_function function, int start, int end) {
    trace::host_call& made = recording.calls.emplace_back();
    made.id = static_cast<trace::call_id>(recording.calls.size());
    made.function = function;
    made.thread = 1;
    made.start = nanoseconds(start);
    made.end = nanoseconds(end);
    made.waited_for.emplace();
    return made;
  }

  /// By that call, at its end.
  trace::operation& issue(operation_kind kind, trace::call_id by, int start, int end) {
    trace::operation& made = recording.operations.emplace_back();
    made.id = static_cast<trace::operation_id>(recording.operations.size());
    made.kind = kind;
    made.stream = 2;
    made.issued_by = by;
    made.issued = recording.call_at(by).end;
    made.start = nanoseconds(start);
    made.end = nanoseconds(end);
    made.accesses.emplace();
    recording.calls[by - 1].stream = 2;
    recording.calls[by - 1].operation = made.id;
    return made;
  }

  trace::operation& copy() { return recording.operations[0]; }
  trace::operation& kernel() { return recording.operations[1]; }
  trace::host_call& synchronization() { return recording.calls[5]; }
  std::string found() const { return first_contradiction(recording, gpu, settings).value_or(""); }

  const device::profile gpu = gpu_of_test();
  trace::backend_settings settings;
  trace::recording recording;
};

TEST_F(Audit, FindsNothingInAnHonestRecording) { EXPECT_EQ(found(), ""); }

TEST_F(Audit, FindsNothingWhereTheHostWaitsForThousandsOfStreams) {
  constexpr int count = 20'000;
  recording.events = {{.id = 1, .created_by = 7}};
  call(api_function::cudaEventCreate, 1540, 1550).event = 1;
  int now = 1550;
  for (trace::stream_id stream = 3; stream < 3 + count; ++stream) {
    recording.streams.push_back({.id = stream, .created_by = 1});
    const trace::call_id by = call(api_function::cudaEventRecord, now, now + 10).id;
    now += 10;
    trace::operation& record = issue(operation_kind::event_record, by, now, now);
    record.stream = recording.calls[by - 1].stream = stream;
    record.event = recording.calls[by - 1].event = 1;
    record.waited_for = {{{constraint_kind::host_issue, 0, by, nanoseconds(now)}}};
  }
  for (trace::stream_id stream = 3; stream < 3 + count; ++stream) {
    trace::host_call& wait = call(api_function::cudaStreamSynchronize, now, now + 10);
    now += 10;
    wait.stream = stream;
    wait.waited_for = {{{constraint_kind::completion, 0, 0, nanoseconds(now)}}};
  }
  EXPECT_EQ(found(), "");
}

TEST_F(Audit, FindsACopyThatIsANanosecondShorter) {
  copy().end -= nanoseconds(1);
  EXPECT_EQ(
      found(),
      "Operation 1 (copy, stream 2) ended at 1039 ns in the recording and at 1040 ns when its work is done again: 1 ns later.");
}

TEST_F(Audit, FindsAKernelThatStartsBesideTheCopyBeforeIt) {
  kernel().start = nanoseconds(50);
  EXPECT_THAT(found(),
              HasSubstr("Operation 2 (kernel, stream 2) started at 50 ns in the recording and at 1040 ns"));
}

TEST_F(Audit, FindsAKernelThatEndsBeforeItsBlocks) {
  kernel().end -= nanoseconds(1);
  synchronization().end -= nanoseconds(1);
  EXPECT_THAT(found(), HasSubstr("Operation 2 (kernel, stream 2) ended at 1539 ns"));
}

TEST_F(Audit, FindsAnotherReasonForAStart) {
  kernel().waited_for->erase(kernel().waited_for->begin());
  EXPECT_THAT(found(), HasSubstr("Operation 2 (kernel, stream 2) waited for something else"));
}

TEST_F(Audit, FindsAWaitThatReturnsBeforeItsWorkHasEnded) {
  synchronization().end -= nanoseconds(1);
  EXPECT_THAT(found(),
              HasSubstr("Call 6 (cudaStreamSynchronize) ended at 1539 ns in the recording and at 1540 ns"));
}

TEST_F(Audit, FindsAWaitThatSaysItWasNone) {
  synchronization().waited_for->clear();
  EXPECT_THAT(found(),
              HasSubstr("Call 6 (cudaStreamSynchronize) says wrongly whether the host waited in it"));
}

TEST_F(Audit, FindsACopyOfPageableMemoryThatSaysItIsPinned) {
  recording.allocations[0].kind = trace::memory_kind::pageable;
  EXPECT_THAT(found(),
              HasSubstr("Operation 1 (copy, stream 2) accessed memory of another kind than it names"));
}

TEST_F(Audit, FindsACallThatIsShorterThanTheProfileSays) {
  recording.calls[0].end -= nanoseconds(1);
  EXPECT_THAT(found(), HasSubstr("Call 1 (cudaStreamCreate) ended at 9 ns in the recording and at 10 ns"));
}

TEST_F(Audit, FindsCallsOfAThreadThatOverlap) {
  recording.calls[2].start -= nanoseconds(5);
  EXPECT_THAT(found(),
              HasSubstr("Call 3 (cudaMalloc) began before the call before it on its thread had ended"));
}

TEST_F(Audit, FindsALaunchWithoutItsOperation) {
  recording.operations.pop_back();
  recording.calls[4].operation = 0;
  EXPECT_THAT(found(), HasSubstr("Call 5 (cudaLaunchKernel) issued nothing"));
}

TEST_F(Audit, FindsAnOperationOfNoCall) {
  kernel().issued_by = 0;
  EXPECT_THAT(found(), HasSubstr("Operation 2 (kernel, stream 2) was issued by no call"));
}

TEST_F(Audit, FindsAnOperationInAnotherStreamThanThatOfItsCall) {
  kernel().stream = 1;
  EXPECT_THAT(found(), HasSubstr("Operation 2 (kernel, stream 1) is in another stream than its call says"));
}

TEST_F(Audit, FindsAnOperationThatItsCallDoesNotIssue) {
  kernel().kind = operation_kind::memset;
  EXPECT_THAT(found(), HasSubstr("Operation 2 (memset, stream 2) is nothing that its call issues"));
}

TEST_F(Audit, FindsAnOperationIssuedBeforeItsCall) {
  kernel().issued = nanoseconds(39);
  EXPECT_THAT(found(),
              HasSubstr("Operation 2 (kernel, stream 2) was issued at a time when its call did not run"));
}

TEST_F(Audit, FindsACopyThatAccessedFewerBytesThanItMoved) {
  copy().accesses->at(1).bytes = trace::byte_set::range(0, 999);
  EXPECT_THAT(found(), HasSubstr("Operation 1 (copy, stream 2) accessed more or fewer bytes than it moved"));
}

TEST_F(Audit, FindsThatAccessesAreMissing) {
  kernel().accesses.reset();
  EXPECT_THAT(found(), HasSubstr("Operation 2 (kernel, stream 2) does not say what it accessed"));
  kernel().accesses.emplace();
  recording.host_accesses.reset();
  EXPECT_THAT(found(), HasSubstr("does not say what host code accessed"));
}

TEST_F(Audit, FindsBlocksThatTheGridDoesNotHave) {
  kernel().grid = {2, 1, 1};
  EXPECT_THAT(
      found(),
      HasSubstr("Operation 2 (kernel, stream 2) has times of more or fewer blocks than its grid has"));
}

TEST_F(Audit, FindsAWaitForAnOlderRecordThanTheLast) {
  recording.events = {{.id = 1, .created_by = 1}};
  for (const int end : {1550, 1560}) {
    call(api_function::cudaEventRecord, end - 10, end).event = 1;
    issue(operation_kind::event_record, static_cast<trace::call_id>(recording.calls.size()), end, end).event =
        1;
    recording.operations.back().waited_for.emplace();
  }
  call(api_function::cudaStreamWaitEvent, 1560, 1570).event = 1;
  trace::operation& wait = issue(operation_kind::event_wait, 9, 1570, 1570);
  wait.event = 1;
  wait.captured = 3;
  wait.waited_for.emplace();
  EXPECT_THAT(
      found(),
      HasSubstr("Operation 5 (event_wait, stream 2) waits for another record of its event than the last"));
}

TEST_F(Audit, FindsAWaitOfTheHostForAnOlderRecordThanTheLast) {
  recording.events = {{.id = 1, .created_by = 1}};
  call(api_function::cudaEventRecord, 1540, 1550).event = 1;
  issue(operation_kind::event_record, 7, 1550, 1550).event = 1;
  recording.operations.back().waited_for = {{{constraint_kind::host_issue, 0, 7, nanoseconds(1550)}}};
  trace::host_call& wait = call(api_function::cudaEventSynchronize, 1550, 1560);
  wait.event = 1;
  wait.waited_for = {{{constraint_kind::completion, 0, 0, nanoseconds(1550)}}};
  EXPECT_THAT(
      found(),
      HasSubstr("Call 8 (cudaEventSynchronize) asked about another record of its event than the last"));
  wait.captured = 3;
  EXPECT_EQ(found(), "");
}

TEST_F(Audit, FindsTheRecordingOfAnotherGpuOrSchedule) {
  settings.schedule = trace::schedule_kind::slow_copies;
  EXPECT_THAT(found(), HasSubstr("of another GPU, or of another schedule"));
  settings.schedule = trace::schedule_kind::as_is;
  recording.devices[0].copy_engines = 3;
  EXPECT_THAT(found(), HasSubstr("Device 0 is not the GPU that was asked for"));
}

TEST_F(Audit, FindsAMarkThatIsNotBetweenItsCalls) {
  recording.marks = {{"begin:learner", nanoseconds(45), 3, 0}};
  EXPECT_THAT(found(), HasSubstr("The mark 'begin:learner' is not between the calls that it names"));
}

TEST_F(Audit, FindsMoreWorkThanARunCanDoInBoundedTime) {
  kernel().grid = {4'000'000'000, 1, 1};
  kernel().block_times = {{{3'999'999'999, nanoseconds(1)}, {1, nanoseconds(2)}}};
  EXPECT_THAT(found(), HasSubstr("Operation 2 (kernel, stream 2) has more blocks than a run can do"));
}

TEST_F(Audit, FindsNothingInACallThatWasUnderwayWhenTheProgramEnded) {
  call(api_function::cudaMalloc, 1540, 1540).thread = 2;
  call(api_function::cudaMalloc, 1545, 1555);
  EXPECT_EQ(found(), "");
  call(api_function::cudaMalloc, 1555, 1565);
  EXPECT_THAT(found(), HasSubstr("Call 7 (cudaMalloc) ended at 1540 ns in the recording and at 1550 ns"));
  recording.calls[6].function = api_function::host_work;
  EXPECT_EQ(found(), "");
}

TEST_F(Audit, TakesPausesOfTheHostFromTheRecording) {
  synchronization().start += nanoseconds(100);
  EXPECT_EQ(found(), "");
}

TEST_F(Audit, TakesTheWorkOfKernelsFromTheRecording) {
  kernel().block_times->front().duration = nanoseconds(400);
  kernel().end -= nanoseconds(100);
  synchronization().end -= nanoseconds(100);
  EXPECT_EQ(found(), "");
}

}  // namespace
}  // namespace audit

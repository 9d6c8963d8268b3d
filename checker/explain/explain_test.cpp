#include "explain/explain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "device/tiny_gpu.h"
#include "explain/detail/cases.h"
#include "explain/detail/examined_part.h"
#include "trace/recording_builder.h"

namespace explain {
namespace {

using analysis::dependencies;
using analysis::dependencies_of;
using analysis::part_of;
using std::chrono::nanoseconds;
using trace::memory;
using trace::recording_builder;
using trace::writes;

/// A program of which the reader wrote mine.cu (lines 10 to 19) and was given the rest.
struct program_with_a_given_half : recording_builder {
  /// Every call takes 100 ns, and every operation starts at its call and takes 100 ns.
  trace::recording recording_for_user() const {
    trace::recording result = recording();
    for (trace::source_file& file : result.files) file.is_external = file.path != "/course/mine.cu";
    for (trace::host_call& call : result.calls) {
      call.start = nanoseconds(100 * call.id);
      call.end = call.start + nanoseconds(100);
    }
    for (trace::operation& operation : result.operations) {
      operation.issued = operation.start = nanoseconds(100 * operation.issued_by);
      operation.end = operation.start + nanoseconds(100);
    }
    return result;
  }
  void mine(std::uint32_t line) {
    in_file("/course/mine.cu");
    at_line(line);
  }
  void given() { in_file("/course/program.cu"); }

  trace::stream_id stream = create_stream();
  memory buffer = allocate(trace::memory_kind::device, 4096);
  memory host = allocate(trace::memory_kind::pinned, 4096);
};

bool host_is_busy_in(const trace::recording& recording) {
  const auto whole = part_of(recording, "");
  const dependencies needed = dependencies_of(whole);
  const device::profile gpu = device::tiny_gpu();
  return examined_part(whole, needed, gpu).applies(cause::host_busy);
}

TEST(Explanation, WorkBeforeSomethingThatGivenCodeIssuesIsGivenToo) {
  program_with_a_given_half program;
  const auto event = program.create_event();
  program.mine(10);
  program.launch("scale", program.stream, {writes(program.buffer)});
  program.given();
  program.call_of(trace::api_function::host_work);
  program.record(event, program.stream);
  program.mine(11);
  program.launch("scale", program.stream, {writes(program.buffer)});
  EXPECT_FALSE(host_is_busy_in(program.recording_for_user()));
}

TEST(Explanation, ATaskThatDelaysWhatTheReadersCodeIssuesIsForTheReaderToMove) {
  program_with_a_given_half program;
  program.mine(10);
  program.launch("scale", program.stream, {writes(program.buffer)});
  program.given();
  program.call_of(trace::api_function::host_work);
  program.mine(11);
  program.launch("scale", program.stream, {writes(program.buffer)});
  EXPECT_TRUE(host_is_busy_in(program.recording_for_user()));
}

/// A kernel of the reader that waited for a marker of given code, one of them in the default stream.
explanation of_a_wait_for_given_code(trace::stream_id of_marker, trace::stream_id of_kernel) {
  program_with_a_given_half program;
  const auto event = program.create_event();
  program.given();
  const auto marker = program.record(event, of_marker);
  program.mine(12);
  const auto kernel = program.launch("scale", of_kernel, {writes(program.buffer)});
  trace::recording recording = program.recording_for_user();
  recording.operations[kernel - 1].waited_for = {
      {.kind = trace::constraint_kind::legacy_default, .operation = marker, .until = nanoseconds(1000)}};
  return explanation_of(part_of(recording, ""), nullptr);
}

TEST(Explanation, NamesTheReadersLineWhereGivenCodeUsesTheDefaultStream) {
  const explanation why = of_a_wait_for_given_code(1, 2);
  ASSERT_FALSE(why.causes.empty());
  EXPECT_EQ(why.causes.front().cause, cause::default_stream);
  EXPECT_EQ(why.causes.front().where.line, 12u);
}

TEST(Explanation, NamesTheReadersLineThatATaskOfGivenCodeDelays) {
  program_with_a_given_half program;
  program.mine(13);
  program.launch("scale", program.stream, {writes(program.buffer)});
  program.given();
  program.call_of(trace::api_function::host_work);
  program.mine(14);
  const auto late = program.launch("scale", program.stream, {writes(program.buffer)});
  trace::recording recording = program.recording_for_user();
  const trace::operation& issued = recording.operation_at(late);
  recording.operations[late - 1].waited_for = {
      {.kind = trace::constraint_kind::host_issue, .call = issued.issued_by, .until = issued.start}};
  const explanation why = explanation_of(part_of(recording, ""), nullptr);
  ASSERT_FALSE(why.causes.empty());
  EXPECT_EQ(why.causes.front().cause, cause::host_busy);
  EXPECT_EQ(why.causes.front().where.line, 14u);
}

TEST(Explanation, OfWhatABusyHostIssuedLateTellsTheCaseThatEndsAPause) {
  program_with_a_given_half program;
  program.mine(13);
  program.launch("scale", program.stream, {writes(program.buffer)});
  for (const int line : {14, 15}) {
    program.given();
    program.call_of(trace::api_function::host_work);
    program.mine(line);
    const auto stream = program.create_stream();
    program.mine(line);
    program.launch("scale", stream, {});
  }
  trace::recording recording = program.recording_for_user();
  const auto runs = [&](trace::operation_id id, int issued, int end) {
    trace::operation& operation = recording.operations[id - 1];
    operation.issued = operation.start = nanoseconds(issued);
    operation.end = nanoseconds(end);
    operation.waited_for = {
        {.kind = trace::constraint_kind::host_issue, .call = operation.issued_by, .until = operation.start}};
  };
  runs(1, 10, 1000);
  runs(2, 700, 900);
  runs(3, 1200, 1300);
  const explanation why = explanation_of(part_of(recording, ""), nullptr);
  ASSERT_FALSE(why.causes.empty());
  EXPECT_EQ(why.causes.front().cause, cause::host_busy);
  EXPECT_EQ(why.causes.front().where.line, 15u);
}

TEST(Explanation, TellsTheCaseInWhichTheTwoCouldHaveRunSideBySide) {
  recording_builder program;
  const auto stream = program.create_stream();
  const memory host = program.allocate(trace::memory_kind::pinned, 4096);
  const memory one = program.allocate(trace::memory_kind::device, 4096);
  const memory two = program.allocate(trace::memory_kind::device, 4096);
  const memory three = program.allocate(trace::memory_kind::device, 4096);
  const auto first = program.launch("scale", stream, {writes(one)});
  const auto second = program.copy(host, two, stream);
  const auto third = program.copy(host, three, stream);
  trace::recording recording = program.recording();
  const auto waits = [&](trace::operation_id late, trace::operation_id before, int until) {
    recording.operations[late - 1].waited_for = {
        {.kind = trace::constraint_kind::stream_order, .operation = before, .until = nanoseconds(until)}};
  };
  waits(second, first, 100);
  waits(third, second, 200);
  recording.operations[third - 1].end = nanoseconds(300);
  const explanation why = explanation_of(part_of(recording, ""), nullptr);
  ASSERT_FALSE(why.causes.empty());
  EXPECT_EQ(why.causes.front().cause, cause::one_stream);
  EXPECT_EQ(why.causes.front().late, second);
}

TEST(Explanation, AReleaseBetweenAKernelAndTheCopyOfItsResultHoldsUpNothing) {
  recording_builder program;
  const auto stream = program.create_stream();
  const memory host = program.allocate(trace::memory_kind::pinned, 4096);
  const memory result = program.allocate(trace::memory_kind::device, 4096);
  const memory other = program.allocate(trace::memory_kind::device, 4096);
  const auto kernel = program.launch("scale", stream, {writes(result)});
  const auto release = program.launch("release", stream, {writes(other)});
  const auto copy = program.copy(result, host, stream);
  trace::recording recording = program.recording();
  recording.operations[release - 1].kind = trace::operation_kind::release;
  const auto waits = [&](trace::operation_id late, trace::operation_id before, int until) {
    recording.operations[late - 1].waited_for = {
        {.kind = trace::constraint_kind::stream_order, .operation = before, .until = nanoseconds(until)}};
  };
  waits(release, kernel, 100);
  waits(copy, release, 100);
  recording.operations[copy - 1].end = nanoseconds(300);
  for (const auto& found : explanation_of(part_of(recording, ""), nullptr).causes)
    EXPECT_NE(found.late, copy);
}

TEST(Explanation, MarkersBetweenTwoOperationsOfAStreamHideNotThatTheOneWaitsForTheOther) {
  recording_builder program;
  const auto stream = program.create_stream();
  const auto event = program.create_event();
  const memory host = program.allocate(trace::memory_kind::pinned, 4096);
  const memory one = program.allocate(trace::memory_kind::device, 4096);
  const memory two = program.allocate(trace::memory_kind::device, 4096);
  const auto copy = program.copy(one, host, stream);
  const auto record = program.record(event, stream);
  const auto kernel = program.launch("scale", stream, {writes(two)});
  trace::recording recording = program.recording();
  const auto waits = [&](trace::operation_id late, trace::operation_id before) {
    recording.operations[late - 1].waited_for = {
        {.kind = trace::constraint_kind::stream_order, .operation = before, .until = nanoseconds(100)}};
  };
  waits(record, copy);
  waits(kernel, record);
  recording.operations[kernel - 1].end = nanoseconds(300);
  const explanation why = explanation_of(part_of(recording, ""), nullptr);
  ASSERT_FALSE(why.causes.empty());
  EXPECT_EQ(why.causes.front().cause, cause::one_stream);
  EXPECT_EQ(why.causes.front().late, kernel);
  EXPECT_EQ(why.causes.front().behind, copy);
}

/// A kernel that waits for a copy of another stream by an event; that copy waited for a marker in the default stream.
TEST(CausesThatDelayed, AreFollowedThroughTheEventThatWasWaitedFor) {
  recording_builder program;
  const auto of_copy = program.create_stream();
  const auto of_kernel = program.create_stream();
  const auto event = program.create_event();
  const memory host = program.allocate(trace::memory_kind::pinned, 4096);
  const memory buffer = program.allocate(trace::memory_kind::device, 4096);
  const auto marker = program.record(event, 1);
  const auto copy = program.copy(host, buffer, of_copy);
  const auto record = program.record(event, of_copy);
  program.wait(of_kernel, event);
  const auto kernel = program.launch("scale", of_kernel, {writes(buffer)});
  trace::recording recording = program.recording();
  const auto waits = [&](trace::operation_id late, trace::constraint_kind kind, trace::operation_id before) {
    recording.operations[late - 1].waited_for = {
        {.kind = kind, .operation = before, .until = nanoseconds(1000)}};
  };
  waits(copy, trace::constraint_kind::legacy_default, marker);
  waits(record, trace::constraint_kind::stream_order, copy);
  waits(kernel, trace::constraint_kind::event, record);
  const auto whole = part_of(recording, "");
  const auto causes = causes_that_delayed({kernel}, whole, nullptr, explanation_of(whole, nullptr));
  ASSERT_FALSE(causes.empty());
  EXPECT_EQ(causes.front().cause, cause::default_stream);
  EXPECT_EQ(causes.front().late, copy);
}

/// How many of the host's waits something on the host needs, and how many keep two streams in order.
std::pair<std::ptrdiff_t, std::ptrdiff_t> waits_in(const trace::recording& recording) {
  const auto whole = part_of(recording, "");
  const dependencies needed = dependencies_of(whole);
  const device::profile gpu = device::tiny_gpu();
  const examined_part part(whole, needed, gpu);
  return {std::count(part.is_needed.begin(), part.is_needed.end(), true),
          std::count(part.orders_streams.begin(), part.orders_streams.end(), true)};
}

struct waits_of_the_host : testing::Test {
  recording_builder program;
  trace::stream_id one = program.create_stream(trace::stream_blocking::non_blocking);
  trace::stream_id two = program.create_stream(trace::stream_blocking::non_blocking);
  memory buffer = program.allocate(trace::memory_kind::device, 4096);
};

TEST_F(waits_of_the_host, OneThatKeepsTwoStreamsInOrderIsToldApart) {
  program.launch("writer", one, {writes(buffer)});
  program.synchronize_stream(one);
  program.launch("reader", two, {trace::reads(buffer)});
  EXPECT_THAT(waits_in(program.recording()), testing::Pair(0, 1));
}

TEST_F(waits_of_the_host, OneBeforeWorkOfTheSameStreamIsForNothing) {
  program.launch("writer", one, {writes(buffer)});
  program.synchronize_stream(one);
  program.launch("reader", one, {trace::reads(buffer)});
  EXPECT_THAT(waits_in(program.recording()), testing::Pair(0, 0));
}

TEST_F(waits_of_the_host, TheTextOfAKernelNeedsTheFirstOne) {
  const auto kernel = program.launch("hello", one);
  program.synchronize_stream(one);
  program.launch("other", one);
  trace::recording recording = program.recording();
  recording.operations[kernel - 1].prints = true;
  EXPECT_EQ(waits_in(recording).first, 1);
}

TEST_F(waits_of_the_host, OneThatSaysAnErrorIsNeeded) {
  program.launch("writer", one, {writes(buffer)});
  program.synchronize_stream(one);
  trace::recording recording = program.recording();
  recording.calls.back().error_code = 700;
  EXPECT_EQ(waits_in(recording).first, 1);
}

/// A copy to the host in one stream, a wait for it, and a kernel in the other: what the host reads then, it could wait for then.
TEST_F(waits_of_the_host, OneThatTheHostNeedsBehindLaterWorkCouldComeLater) {
  const memory result = program.allocate(trace::memory_kind::pinned, 4096);
  const auto copy = program.copy(buffer, result, one);
  program.synchronize_stream(one);
  program.launch("other", two);
  program.synchronize_stream(two);
  program.host_reads(result);
  const trace::recording recording = program.recording();
  EXPECT_THAT(waits_in(recording), testing::Pair(0, 0));
  const auto whole = part_of(recording, "");
  const dependencies needed = dependencies_of(whole);
  const device::profile gpu = device::tiny_gpu();
  const examined_part part(whole, needed, gpu);
  const auto found = std::find_if(part.is_needed_later.begin(), part.is_needed_later.end(),
                                  [](const auto& later) { return !later.empty(); });
  ASSERT_NE(found, part.is_needed_later.end());
  EXPECT_EQ(found->front().operation, copy - 1);
  EXPECT_EQ(found->front().step, part.recorded.steps.size() - 1);
  EXPECT_TRUE(part.applies(cause::synchronization));
}

TEST_F(waits_of_the_host, OneThatTheHostNeedsAtOnceStays) {
  const memory result = program.allocate(trace::memory_kind::pinned, 4096);
  program.copy(buffer, result, one);
  program.synchronize_stream(one);
  program.host_reads(result);
  program.launch("other", two);
  EXPECT_THAT(waits_in(program.recording()), testing::Pair(1, 0));
}

/// Behind the copy that brings what the host reads, a kernel in the same stream, or work in another one.
TEST_F(waits_of_the_host, OneForMoreThanTheHostNeedsCouldBeForLess) {
  for (const bool is_for_device : {false, true}) {
    const memory result = program.allocate(trace::memory_kind::pinned, 4096);
    const auto copy = program.copy(buffer, result, one);
    program.launch("other", is_for_device ? two : one);
    if (is_for_device) {
      program.synchronize_device();
    } else {
      program.synchronize_stream(one);
    }
    program.host_reads(result);
    trace::recording recording = program.recording();
    recording.calls.back().start = nanoseconds(10);
    recording.operations.back().end = nanoseconds(11);
    const auto whole = part_of(recording, "");
    const dependencies needed = dependencies_of(whole);
    const device::profile gpu = device::tiny_gpu();
    const examined_part part(whole, needed, gpu);
    const std::uint32_t last = static_cast<std::uint32_t>(part.recorded.steps.size() - 1);
    EXPECT_FALSE(part.is_needed[last]);
    ASSERT_EQ(part.is_needed_later[last].size(), 1u);
    EXPECT_EQ(part.is_needed_later[last].front().operation, copy - 1);
    EXPECT_EQ(part.is_needed_later[last].front().step, last);
    recording.operations.back().end = nanoseconds(10);  // over when the host comes to wait
    EXPECT_TRUE(examined_part(whole, needed, gpu).is_needed[last]);
  }
}

TEST_F(waits_of_the_host, AsksThatEndWithYesAreOneWait) {
  const memory result = program.allocate(trace::memory_kind::pinned, 4096);
  const trace::event_id event = program.create_event();
  program.copy(buffer, result, one);
  program.record(event, one);
  for (const trace::answer reply :
       {trace::answer::not_ready, trace::answer::not_ready, trace::answer::complete})
    program.at_line(20).query_event(event, reply);
  program.host_reads(result);
  program.launch("next", one, {writes(buffer)});
  trace::recording recording = program.recording();
  for (trace::host_call& call : recording.calls) {
    call.start = nanoseconds(10 * call.id);
    call.end = call.start + nanoseconds(10);
  }
  recording.operations.back().end = recording.calls.back().end + nanoseconds(1);
  EXPECT_THAT(waits_in(recording), testing::Pair(1, 0));  // for what the host reads then
  const auto whole = part_of(recording, "");
  const std::vector<host_wait> found = explanation_of(whole, nullptr).host_waits;
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found.front().times, 1U);
  EXPECT_EQ(found.front().waited, nanoseconds(30));
  EXPECT_EQ(recording.call_at(found.front().call).error_code, 0);
}

/// A cause that held up nothing as far as the recording knows, in the program with a last call that takes longer.
cause_cost described(const program_with_a_given_half& program, cause cause) {
  trace::recording recording = program.recording_for_user();
  recording.calls.back().end += nanoseconds(50);
  const auto whole = part_of(recording, "");
  const dependencies needed = dependencies_of(whole);
  const analysis::reasons reasons(whole);
  cause_cost cost;
  cost.cause = cause;
  cases(whole, {}, needed, reasons, nullptr, nullptr).describe(cost);
  return cost;
}

TEST(Cases, OfACauseWithoutAWaitTheLineThatTookLongestIsNamedWithWhatWasIssuedAfterIt) {
  program_with_a_given_half program;
  const memory pageable = program.allocate(trace::memory_kind::pageable, 4096);
  program.mine(10);
  program.copy(program.buffer, pageable, program.stream);
  program.mine(10);
  program.copy(program.buffer, pageable, program.stream);
  program.mine(11);
  program.launch("scale", program.stream, {writes(program.buffer)});
  program.mine(12);
  program.copy(program.buffer, pageable, program.stream);
  const cause_cost cost = described(program, cause::pageable_memory);
  EXPECT_EQ(cost.where.line, 10U);
  EXPECT_EQ(cost.late, 2U);
  EXPECT_EQ(cost.times, 3U);
}

TEST(Cases, ACallBehindTheLastWorkHoldsNothingUp) {
  program_with_a_given_half program;
  program.mine(10);
  program.launch("scale", program.stream, {writes(program.buffer)});
  program.mine(11);
  const memory between = program.allocate(trace::memory_kind::device, 4096);
  program.mine(12);
  program.launch("scale", program.stream, {writes(between)});
  program.mine(13);
  program.allocate(trace::memory_kind::device, 4096);
  EXPECT_EQ(described(program, cause::memory_management).where.line, 11U);
}

TEST(Cases, ACopyBehindOneThatWaitsForItsKernelInTheOnlyQueueOfCopiesIsOfTheOrderOfIssue) {
  program_with_a_given_half program;
  const trace::stream_id other = program.create_stream();
  const memory next = program.allocate(trace::memory_kind::device, 4096);
  program.mine(10);
  const auto kernel = program.launch("scale", program.stream, {writes(program.buffer)});
  program.mine(11);
  const auto back = program.copy(program.buffer, program.host, program.stream);
  program.mine(12);
  const auto late = program.copy(program.host, next, other);
  trace::recording recording = program.recording_for_user();
  const auto follows = [&](trace::operation_id id, trace::constraint_kind why, trace::operation_id before) {
    trace::operation& operation = recording.operations[id - 1];
    operation.start = recording.operation_at(before).end + nanoseconds(500);
    operation.end = operation.start + nanoseconds(100);
    operation.waited_for = {{.kind = why, .operation = before, .until = operation.start}};
  };
  follows(back, trace::constraint_kind::stream_order, kernel);
  follows(late, trace::constraint_kind::engine_busy, back);
  const auto whole = part_of(recording, "");
  const dependencies needed = dependencies_of(whole);
  const analysis::reasons reasons(whole);
  device::profile gpu = device::tiny_gpu();
  EXPECT_FALSE(cases(whole, whole.operations, needed, reasons, &gpu, nullptr).has(cause::issue_order));
  gpu.copy_queues = 1;
  EXPECT_TRUE(cases(whole, whole.operations, needed, reasons, &gpu, nullptr).has(cause::issue_order));
}

}  // namespace
}  // namespace explain

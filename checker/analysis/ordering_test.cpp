#include "analysis/ordering.h"

#include <gtest/gtest.h>

#include "trace/recording_builder.h"

namespace {

using analysis::host_point;
using analysis::ordering;
using trace::answer;
using trace::memory;
using trace::memory_kind;
using trace::recording_builder;
using trace::waiting;
constexpr auto non_blocking = trace::stream_blocking::non_blocking;

/// The point on thread 1 after everything that the program has done so far.
host_point now(const recording_builder& program) {
  return {1, static_cast<trace::call_id>(program.recording().calls.size())};
}

TEST(Ordering, OperationsOfOneStreamFollowEachOther) {
  recording_builder program;
  const auto stream = program.create_stream();
  const auto first = program.launch("first", stream), second = program.launch("second", stream);
  const ordering order(program.recording());
  EXPECT_TRUE(order.is_before(first, second));
  EXPECT_FALSE(order.is_before(second, first));
  EXPECT_FALSE(order.is_before(first, first));
}

TEST(Ordering, OperationsOfTwoStreamsHaveNoOrder) {
  recording_builder program;
  const auto one = program.create_stream(), two = program.create_stream();
  const auto first = program.launch("first", one), second = program.launch("second", two);
  const ordering order(program.recording());
  EXPECT_FALSE(order.is_before(first, second));
  EXPECT_FALSE(order.is_before(second, first));
}

TEST(Ordering, EventWaitOrdersLaterWorkOfTheStreamAfterTheRecord) {
  recording_builder program;
  const auto one = program.create_stream(), two = program.create_stream();
  const auto event = program.create_event();
  const auto unaware = program.launch("unaware", two), first = program.launch("first", one);
  program.record(event, one);
  const auto after_record = program.launch("after_record", one);
  program.wait(two, event);
  const auto second = program.launch("second", two);
  const ordering order(program.recording());
  EXPECT_TRUE(order.is_before(first, second));
  EXPECT_FALSE(order.is_before(after_record, second));
  EXPECT_FALSE(order.is_before(first, unaware));
}

TEST(Ordering, EventWaitsPassOnWhatTheyHaveLearned) {
  recording_builder program;
  const auto one = program.create_stream(), two = program.create_stream(), three = program.create_stream();
  const auto event = program.create_event();
  const auto first = program.launch("first", one);
  program.record(event, one);
  program.wait(two, event);
  program.record(event, two);
  program.wait(three, event);
  const auto last = program.launch("last", three);
  EXPECT_TRUE(ordering(program.recording()).is_before(first, last));
}

TEST(Ordering, WaitForAnEventThatWasNeverRecordedOrdersNothing) {
  recording_builder program;
  const auto one = program.create_stream(), two = program.create_stream();
  const auto event = program.create_event();
  const auto first = program.launch("first", one);
  program.wait(two, event);
  program.record(event, one);
  const auto second = program.launch("second", two);
  EXPECT_FALSE(ordering(program.recording()).is_before(first, second));
}

TEST(Ordering, WaitKeepsWhatWasCapturedWhenTheEventIsRecordedAgain) {
  recording_builder program;
  const auto one = program.create_stream(), two = program.create_stream(), three = program.create_stream();
  const auto event = program.create_event();
  const auto captured = program.launch("captured", one);
  program.record(event, one);
  program.wait(three, event);
  const auto later = program.launch("later", two);
  program.record(event, two);
  const auto last = program.launch("last", three);
  const ordering order(program.recording());
  EXPECT_TRUE(order.is_before(captured, last));
  EXPECT_FALSE(order.is_before(later, last));
}

TEST(Ordering, LegacyStreamIsABarrierAmongBlockingStreams) {
  recording_builder program;
  const auto one = program.create_stream(), two = program.create_stream();
  const auto first = program.launch("first", one);
  const auto legacy = program.launch("legacy", program.legacy_stream());
  const auto second = program.launch("second", two);
  const ordering order(program.recording());
  EXPECT_TRUE(order.is_before(first, legacy));
  EXPECT_TRUE(order.is_before(legacy, second));
  EXPECT_TRUE(order.is_before(first, second));
}

TEST(Ordering, LegacyStreamIsNoBarrierForNonBlockingStreams) {
  recording_builder program;
  const auto one = program.create_stream(non_blocking), two = program.create_stream(non_blocking);
  const auto first = program.launch("first", one);
  const auto legacy = program.launch("legacy", program.legacy_stream());
  const auto second = program.launch("second", two);
  const ordering order(program.recording());
  EXPECT_FALSE(order.is_before(first, legacy));
  EXPECT_FALSE(order.is_before(legacy, second));
}

TEST(Ordering, EventRecordInTheLegacyStreamIsABarrierToo) {
  recording_builder program;
  const auto one = program.create_stream(), two = program.create_stream();
  const auto first = program.launch("first", one);
  program.record(program.create_event(), program.legacy_stream());
  const auto second = program.launch("second", two);
  EXPECT_TRUE(ordering(program.recording()).is_before(first, second));
}

TEST(Ordering, OnlyAWaitThatHasARecordIsABarrierInTheLegacyStream) {
  for (const bool has_record : {false, true}) {
    recording_builder program;
    const auto one = program.create_stream(), two = program.create_stream();
    const auto event = program.create_event();
    if (has_record) program.record(event, program.create_stream(non_blocking));
    const auto first = program.launch("first", one);
    program.wait(program.legacy_stream(), event);
    const auto second = program.launch("second", two);
    EXPECT_EQ(ordering(program.recording()).is_before(first, second), has_record);
  }
}

TEST(Ordering, PerThreadDefaultStreamMeetsTheLegacyStreamButNoOther) {
  recording_builder program;
  const auto own = program.per_thread_stream(), created = program.create_stream();
  const auto first = program.launch("first", created), second = program.launch("second", own);
  const auto legacy = program.launch("legacy", program.legacy_stream());
  const ordering order(program.recording());
  EXPECT_FALSE(order.is_before(first, second));
  EXPECT_TRUE(order.is_before(second, legacy));
}

TEST(Ordering, LegacyStreamsOfTwoDevicesDoNotOrderEachOther) {
  recording_builder program;
  const auto stream = program.create_stream();
  const auto first = program.launch("first", stream);
  const auto other = program.launch("other", program.legacy_stream(1));
  EXPECT_FALSE(ordering(program.recording()).is_before(first, other));
}

TEST(Ordering, StreamSynchronizeWaitsForItsStreamOnly) {
  recording_builder program;
  const auto one = program.create_stream(), two = program.create_stream();
  const auto first = program.launch("first", one), second = program.launch("second", two);
  program.synchronize_stream(one);
  const auto point = now(program);
  const auto third = program.launch("third", two);
  const ordering order(program.recording());
  EXPECT_TRUE(order.is_before(first, point));
  EXPECT_FALSE(order.is_before(second, point));
  EXPECT_FALSE(order.is_before(third, point));
  EXPECT_FALSE(order.is_before(first, host_point{1, point.after - 1}));
}

TEST(Ordering, WorkIssuedAfterTheHostWaitedComesAfterWhatItWaitedFor) {
  recording_builder program;
  const auto one = program.create_stream(), two = program.create_stream();
  const auto first = program.launch("first", one);
  program.synchronize_stream(one);
  const auto second = program.launch("second", two);
  EXPECT_TRUE(ordering(program.recording()).is_before(first, second));
}

TEST(Ordering, SynchronizingTheLegacyStreamWaitsForBlockingStreamsOnly) {
  recording_builder program;
  const auto blocking = program.create_stream(), independent = program.create_stream(non_blocking);
  const auto first = program.launch("first", blocking), second = program.launch("second", independent);
  program.synchronize_stream(program.legacy_stream());
  const ordering order(program.recording());
  EXPECT_TRUE(order.is_before(first, now(program)));
  EXPECT_FALSE(order.is_before(second, now(program)));
}

TEST(Ordering, DeviceSynchronizeWaitsForAllStreamsOfTheCurrentDeviceOnly) {
  recording_builder program;
  const auto independent = program.create_stream(non_blocking);
  const auto first = program.launch("first", independent);
  program.on_device(1);
  const auto elsewhere = program.create_stream();
  const auto second = program.launch("second", elsewhere);
  program.on_device(0);
  program.synchronize_device();
  const ordering order(program.recording());
  EXPECT_TRUE(order.is_before(first, now(program)));
  EXPECT_FALSE(order.is_before(second, now(program)));
}

TEST(Ordering, EventSynchronizeWaitsForWhatWasCapturedOnly) {
  recording_builder program;
  const auto stream = program.create_stream();
  const auto event = program.create_event();
  const auto first = program.launch("first", stream);
  program.record(event, stream);
  const auto later = program.launch("later", stream);
  program.synchronize_event(event);
  const ordering order(program.recording());
  EXPECT_TRUE(order.is_before(first, now(program)));
  EXPECT_FALSE(order.is_before(later, now(program)));
}

TEST(Ordering, QueryOrdersOnlyWhenItSaysComplete) {
  for (const answer reply : {answer::complete, answer::not_ready}) {
    recording_builder program;
    const auto one = program.create_stream(), two = program.create_stream();
    const auto event = program.create_event();
    const auto first = program.launch("first", one), second = program.launch("second", two);
    program.record(event, two);
    program.query_stream(one, reply);
    program.query_event(event, reply);
    const ordering order(program.recording());
    EXPECT_EQ(order.is_before(first, now(program)), reply == answer::complete);
    EXPECT_EQ(order.is_before(second, now(program)), reply == answer::complete);
  }
}

TEST(Ordering, CallThatFailedOrdersNothing) {
  recording_builder program;
  const auto stream = program.create_stream();
  const auto first = program.launch("first", stream);
  program.synchronize_stream(stream);
  program.fail_last_call(400);
  EXPECT_FALSE(ordering(program.recording()).is_before(first, now(program)));
}

TEST(Ordering, NothingRunsAnyMoreOnADeviceThatHasFailed) {
  recording_builder program;
  const auto faulty = program.launch("faulty", program.create_stream());
  const auto other = program.launch("other", program.create_stream());
  program.synchronize_device();
  program.fail_last_call(700);
  const ordering order(program.recording());
  EXPECT_TRUE(order.is_before(faulty, now(program)));
  EXPECT_TRUE(order.is_before(other, now(program)));
}

TEST(Ordering, FreeingMemoryOrdersNothing) {
  recording_builder program;
  const auto stream = program.create_stream();
  const memory buffer = program.allocate(memory_kind::device, 64);
  const auto first = program.launch("first", stream);
  program.free(buffer);
  program.allocate(memory_kind::device, 64);
  EXPECT_FALSE(ordering(program.recording()).is_before(first, now(program)));
}

/// Whether the host knows that a copy between two kinds of memory is complete when its call has returned.
bool host_waits_for_copy(memory_kind from, memory_kind to, waiting how) {
  recording_builder program;
  const auto copied =
      program.copy(program.allocate(from, 64), program.allocate(to, 64), program.legacy_stream(), how);
  return ordering(program.recording()).is_before(copied, now(program));
}

TEST(Ordering, SynchronousCopiesWaitAsDocumented) {
  const auto waits = [](memory_kind from, memory_kind to) {
    return host_waits_for_copy(from, to, waiting::synchronous);
  };
  EXPECT_FALSE(waits(memory_kind::pageable, memory_kind::device));
  EXPECT_TRUE(waits(memory_kind::pinned, memory_kind::device));
  EXPECT_TRUE(waits(memory_kind::device, memory_kind::pageable));
  EXPECT_TRUE(waits(memory_kind::device, memory_kind::pinned));
  EXPECT_FALSE(waits(memory_kind::device, memory_kind::device));
  EXPECT_TRUE(waits(memory_kind::pageable, memory_kind::pinned));
}

TEST(Ordering, AsynchronousCopiesWaitOnlyBetweenHostMemories) {
  const auto waits = [](memory_kind from, memory_kind to) {
    return host_waits_for_copy(from, to, waiting::asynchronous);
  };
  EXPECT_FALSE(waits(memory_kind::pageable, memory_kind::device));
  EXPECT_FALSE(waits(memory_kind::device, memory_kind::pageable));
  EXPECT_FALSE(waits(memory_kind::pinned, memory_kind::device));
  EXPECT_TRUE(waits(memory_kind::pageable, memory_kind::pageable));
}

TEST(Ordering, SourceIsFreeAfterASynchronousPageableCopyOnly) {
  for (const waiting how : {waiting::synchronous, waiting::asynchronous}) {
    recording_builder program;
    const memory from = program.allocate(memory_kind::pageable, 64),
                 to = program.allocate(memory_kind::device, 64);
    const auto copied = program.copy(from, to, program.legacy_stream(), how);
    EXPECT_EQ(ordering(program.recording()).source_is_free(copied, now(program)),
              how == waiting::synchronous);
  }
}

TEST(Ordering, SynchronousMemsetWaitsForPinnedMemoryOnly) {
  for (const memory_kind kind : {memory_kind::pinned, memory_kind::device}) {
    recording_builder program;
    const auto done = program.set(program.allocate(kind, 64), program.legacy_stream(), waiting::synchronous);
    EXPECT_EQ(ordering(program.recording()).is_before(done, now(program)), kind == memory_kind::pinned);
  }
}

TEST(Ordering, HostIsPastAPointBeforeWhatItIssuesLater) {
  recording_builder program;
  const auto stream = program.create_stream();
  const auto first = program.launch("first", stream);
  const auto between = now(program);
  const auto second = program.launch("second", stream);
  const ordering order(program.recording());
  EXPECT_TRUE(order.is_before(between, second));
  EXPECT_FALSE(order.is_before(between, first));
}

TEST(Ordering, OtherThreadsKnowNothingWithoutAnEdge) {
  for (const bool joins : {false, true}) {
    recording_builder program;
    const auto stream = program.create_stream();
    const auto before_worker = now(program);
    if (joins) program.pass(1, 2);
    program.on_thread(2);
    const auto first = program.launch("first", stream);
    program.synchronize_stream(stream);
    if (joins) program.pass(2, 1);
    const ordering order(program.recording());
    EXPECT_EQ(order.is_before(first, before_worker), joins);  // the join lies between the same two calls
    EXPECT_EQ(order.is_before(before_worker, first), joins);
  }
}

TEST(Ordering, SynchronizeCoversOnlyWorkThatTheThreadKnowsToBeIssued) {
  for (const bool passes : {false, true}) {
    recording_builder program;
    const auto stream = program.create_stream();
    program.on_thread(2);
    const auto first = program.launch("first", stream);
    if (passes) program.pass(2, 1);
    program.on_thread(1);
    program.synchronize_stream(stream);
    EXPECT_EQ(ordering(program.recording()).is_before(first, now(program)), passes);
  }
}

TEST(Ordering, WaitOfAStreamCoversOnlyARecordThatItsThreadKnowsToBeMade) {
  for (const bool passes : {false, true}) {
    recording_builder program;
    const auto stream = program.create_stream(), other = program.create_stream();
    const auto event = program.create_event();
    program.pass(1, 2);
    program.on_thread(2);
    const auto first = program.launch("first", stream);
    program.record(event, stream);
    if (passes) program.pass(2, 1);
    program.on_thread(1);
    program.wait(other, event);
    const auto second = program.launch("second", other);
    EXPECT_EQ(ordering(program.recording()).is_before(first, second), passes);
  }
}

TEST(Ordering, HostFunctionThatLetsAThreadGoOnOrdersWhatCameBeforeIt) {
  recording_builder program;
  const auto stream = program.create_stream();
  const auto first = program.launch("first", stream);
  const auto function = program.launch_host_function(stream);
  const auto later = program.launch("later", stream);
  program.pass_from_host_function(function, 1);
  const ordering order(program.recording());
  EXPECT_TRUE(order.is_before(first, now(program)));
  EXPECT_FALSE(order.is_before(later, now(program)));
}

TEST(Ordering, WhatIsTakenUpLateOrdersWhatItsGiverHadDoneThen) {
  recording_builder program;
  const auto stream = program.create_stream(), other = program.create_stream();
  program.on_thread(2);
  const auto launched = program.launch("given", other);
  program.synchronize_stream(other);
  const trace::call_id gave_after = program.recording().calls.back().id;
  const auto later = program.launch("later", other);
  program.synchronize_stream(other);
  program.on_thread(1);
  const auto first = program.launch("first", stream);
  const auto function = program.launch_host_function(stream);
  program.pass_from_host_function(function, 1);
  trace::recording recording = program.recording();
  recording.host_edges.push_back(
      {.from = 2, .from_after = gave_after, .to = 1, .to_after = recording.calls.back().id});
  const ordering order(recording);
  EXPECT_TRUE(order.is_before(launched, now(program)));
  EXPECT_FALSE(order.is_before(later, now(program)));
  EXPECT_TRUE(order.is_before(first, now(program)));  // the function, taken up before the late edge
}

TEST(Ordering, WhatTwoThreadsIssueIntoOneStreamIsInTheOrderOfTheCallsWhereThatIsKnown) {
  recording_builder program;
  const auto stream = program.create_stream();
  const auto first = program.launch("first", stream);
  program.on_thread(2);
  const auto second = program.launch("second", stream);
  program.pass(2, 1);
  program.on_thread(1);
  const auto third = program.launch("third", stream);
  const ordering order(program.recording());
  EXPECT_FALSE(order.is_before(first, second));
  EXPECT_FALSE(order.is_before(second, first));
  EXPECT_TRUE(order.is_before(first, third));
  EXPECT_TRUE(order.is_before(second, third));
}

TEST(Ordering, CostsOfManyStreamsGrowWithTheOperations) {
  const auto bytes_of_rounds = [](int streams) {
    recording_builder program;
    const auto hub = program.create_stream(non_blocking);
    const auto hub_event = program.create_event();
    std::vector<trace::stream_id> others;
    std::vector<trace::event_id> events;
    for (int i = 0; i < streams; ++i) {
      others.push_back(program.create_stream(non_blocking));
      events.push_back(program.create_event());
    }
    for (int round = 0; round < 3; ++round) {
      program.record(hub_event, hub);
      for (int i = 0; i < streams; ++i) {
        program.wait(others[i], hub_event);
        program.record(events[i], others[i]);
        program.wait(hub, events[i]);
      }
      program.synchronize_stream(others.front());
    }
    return ordering(program.recording()).clock_bytes();
  };
  EXPECT_LT(bytes_of_rounds(4000), 6 * bytes_of_rounds(1000));
}

TEST(Ordering, BeyondItsLimitTheRecordingIsRefused) {
  recording_builder program;
  for (int i = 0; i < 100; ++i) program.launch("kernel", program.create_stream());
  program.synchronize_device();
  EXPECT_NO_THROW(ordering(program.recording(), 100'000));
  EXPECT_THROW(ordering(program.recording(), 100), analysis::too_large);
}

}  // namespace

#include "analysis/races.h"

#include <gtest/gtest.h>

#include "trace/recording_builder.h"

// Each rule is a pair of programs, one that keeps it and one that breaks it, told apart by an argument.

namespace {

using analysis::part;
using analysis::race;
using trace::answer;
using trace::memory;
using trace::memory_kind;
using trace::reads;
using trace::recording_builder;
using trace::updates_atomically;
using trace::waiting;
using trace::writes;

constexpr std::uint64_t size = 4096;

std::vector<race> races_in(const recording_builder& program) {
  return analysis::find_races(analysis::part_of(program.recording(), "")).value();
}

/// A program with two created streams, a device buffer, and pinned memory.
struct two_streams : recording_builder {
  explicit two_streams(trace::stream_blocking blocking = trace::stream_blocking::blocking)
      : one(create_stream(blocking)),
        two(create_stream(blocking)),
        event(create_event()),
        buffer(allocate(memory_kind::device, size)),
        pinned(allocate(memory_kind::pinned, size)),
        pageable(allocate(memory_kind::pageable, size)) {}
  trace::stream_id one, two;
  trace::event_id event;
  memory buffer, pinned, pageable;
};

enum class edge { present, missing, too_early };

std::size_t races_with_event(edge edge) {
  two_streams program;
  if (edge == edge::too_early) program.record(program.event, program.one);
  program.launch("produce", program.one, {writes(program.buffer)});
  if (edge == edge::present) program.record(program.event, program.one);
  if (edge != edge::missing) program.wait(program.two, program.event);
  program.launch("consume", program.two, {reads(program.buffer)});
  return races_in(program).size();
}

TEST(Races, KernelThatWaitsForTheEventOfItsProducerIsOrdered) {
  EXPECT_EQ(races_with_event(edge::present), 0u);
}
TEST(Races, MissingEventWaitIsARace) { EXPECT_EQ(races_with_event(edge::missing), 1u); }
TEST(Races, EventRecordedBeforeTheProducerIsARace) { EXPECT_EQ(races_with_event(edge::too_early), 1u); }

TEST(Races, APrefetchRacesWithNothing) {
  two_streams program;
  const memory managed = program.allocate(memory_kind::managed, size);
  program.launch("write", program.one, {writes(managed)});
  program.prefetch(managed, program.two);
  EXPECT_TRUE(races_in(program).empty());
}

TEST(Races, BothSidesAndTheFirstCommonBytesAreNamed) {
  two_streams program;
  const auto first = program.launch("produce", program.one, {writes(slice(program.buffer, 0, 100))});
  const auto second = program.launch("consume", program.two, {reads(slice(program.buffer, 40, 200))});
  const std::vector<race> races = races_in(program);
  ASSERT_EQ(races.size(), 1u);
  EXPECT_EQ(races[0].first.operation, first);
  EXPECT_EQ(races[0].first.mode, trace::access_mode::write);
  EXPECT_EQ(races[0].second.operation, second);
  EXPECT_EQ(races[0].second.mode, trace::access_mode::read);
  EXPECT_EQ(races[0].allocation, program.buffer.allocation);
  EXPECT_EQ(races[0].bytes, (trace::byte_range{40, 100}));
}

// Cases 1 to 4 are those in which a published detector (CuSan) is known to be wrong.

std::size_t races_after_event_synchronize(bool records_after_the_kernel) {
  two_streams program;
  if (!records_after_the_kernel) program.record(program.event, program.one);
  program.launch("kernel", program.one, {writes(program.pinned)});
  if (records_after_the_kernel) program.record(program.event, program.one);
  program.synchronize_event(program.event);
  program.host_reads(program.pinned);
  return races_in(program).size();
}

TEST(Races, Case1EventSynchronizeDoesNotCoverLaterWorkOfTheStream) {
  EXPECT_EQ(races_after_event_synchronize(false), 1u);
}
TEST(Races, Case1EventSynchronizeCoversWhatWasCaptured) {
  EXPECT_EQ(races_after_event_synchronize(true), 0u);
}

std::size_t races_after_legacy_record(trace::stream_blocking blocking) {
  two_streams program(blocking);
  program.launch("kernel", program.one, {writes(program.pinned)});
  program.record(program.event, program.legacy_stream());
  program.synchronize_event(program.event);
  program.host_reads(program.pinned);
  return races_in(program).size();
}

TEST(Races, Case2EventRecordedInTheLegacyStreamCoversBlockingStreams) {
  EXPECT_EQ(races_after_legacy_record(trace::stream_blocking::blocking), 0u);
}
TEST(Races, Case2EventRecordedInTheLegacyStreamDoesNotCoverNonBlockingStreams) {
  EXPECT_EQ(races_after_legacy_record(trace::stream_blocking::non_blocking), 1u);
}

std::size_t races_after_second_record(bool waits_after_the_second_record) {
  two_streams program;
  const auto third = program.create_stream();
  program.record(program.event, program.one);
  program.launch("kernel", program.two, {writes(program.buffer)});
  if (!waits_after_the_second_record) program.wait(third, program.event);
  program.record(program.event, program.two);
  if (waits_after_the_second_record) program.wait(third, program.event);
  program.launch("consume", third, {reads(program.buffer)});
  return races_in(program).size();
}

TEST(Races, Case3WaitAfterTheEventWasRecordedAgainOrdersTheSecondStream) {
  EXPECT_EQ(races_after_second_record(true), 0u);
}
TEST(Races, Case3WaitBeforeTheEventWasRecordedAgainDoesNot) {
  EXPECT_EQ(races_after_second_record(false), 1u);
}

std::size_t races_of_chunks(std::uint64_t second_offset) {
  two_streams program;
  const memory first = slice(program.buffer, 0, 1024), second = slice(program.buffer, second_offset, 1024);
  program.launch("chunk", program.one, {reads(first), writes(first)});
  program.launch("chunk", program.two, {reads(second), writes(second)});
  return races_in(program).size();
}

TEST(Races, Case4KernelsOnDisjointChunksOfOneAllocationDoNotRace) { EXPECT_EQ(races_of_chunks(1024), 0u); }
TEST(Races, Case4KernelsOnChunksThatShareOneByteRace) { EXPECT_EQ(races_of_chunks(1023), 1u); }

std::size_t races_across_legacy_kernel(trace::stream_blocking blocking) {
  two_streams program(blocking);
  program.launch("produce", program.one, {writes(program.buffer)});
  program.launch("legacy", program.legacy_stream());
  program.launch("consume", program.two, {reads(program.buffer)});
  return races_in(program).size();
}

TEST(Races, LegacyKernelBetweenBlockingStreamsOrdersThem) {
  EXPECT_EQ(races_across_legacy_kernel(trace::stream_blocking::blocking), 0u);
}
TEST(Races, LegacyKernelBetweenNonBlockingStreamsOrdersNothing) {
  EXPECT_EQ(races_across_legacy_kernel(trace::stream_blocking::non_blocking), 1u);
}

std::size_t races_of_early_read(bool synchronizes) {
  two_streams program;
  program.copy(program.buffer, program.pinned, program.one);
  if (synchronizes) program.synchronize_stream(program.one);
  program.host_reads(program.pinned);
  return races_in(program).size();
}

TEST(Races, HostThatReadsAfterSynchronizingIsOrdered) { EXPECT_EQ(races_of_early_read(true), 0u); }
TEST(Races, HostThatReadsBeforeSynchronizingRaces) { EXPECT_EQ(races_of_early_read(false), 1u); }

std::size_t races_of_overwritten_source(bool synchronizes) {
  two_streams program;
  program.host_writes(program.pinned);
  program.copy(program.pinned, program.buffer, program.one);
  if (synchronizes) program.synchronize_stream(program.one);
  program.host_writes(program.pinned);
  return races_in(program).size();
}

TEST(Races, HostThatOverwritesTheSourceOfAFinishedCopyIsOrdered) {
  EXPECT_EQ(races_of_overwritten_source(true), 0u);
}
TEST(Races, HostThatOverwritesTheSourceOfAnAsynchronousCopyRaces) {
  EXPECT_EQ(races_of_overwritten_source(false), 1u);
}

std::size_t races_of_pageable_copy(waiting how) {
  two_streams program;
  program.copy(program.pageable, program.buffer, program.legacy_stream(), how);
  program.host_writes(program.pageable);
  return races_in(program).size();
}

TEST(Races, SourceOfASynchronousPageableCopyMayBeOverwrittenAtOnce) {
  EXPECT_EQ(races_of_pageable_copy(waiting::synchronous), 0u);
}
TEST(Races, SourceOfAnAsynchronousPageableCopyMayNot) {
  EXPECT_EQ(races_of_pageable_copy(waiting::asynchronous), 1u);
}

TEST(Races, LaterCopyMayOverwriteTheStagedSourceOfASynchronousOne) {
  two_streams program(trace::stream_blocking::non_blocking);
  program.copy(program.pageable, program.buffer, program.legacy_stream(), waiting::synchronous);
  const memory other = program.allocate(memory_kind::device, size);
  program.copy(other, program.pageable, program.one);
  EXPECT_EQ(races_in(program).size(), 0u);
}

TEST(Races, DestinationOfASynchronousPageableCopyIsNotFinished) {
  two_streams program(trace::stream_blocking::non_blocking);
  program.copy(program.pageable, program.buffer, program.legacy_stream(), waiting::synchronous);
  program.launch("consume", program.one, {reads(program.buffer)});
  EXPECT_EQ(races_in(program).size(), 1u);
}

std::size_t races_across_free(bool synchronizes) {
  two_streams program;
  const memory unrelated = program.allocate(memory_kind::device, size);
  program.copy(program.buffer, program.pinned, program.one);
  program.free(unrelated);
  if (synchronizes) program.synchronize_device();
  program.host_reads(program.pinned);
  return races_in(program).size();
}

TEST(Races, FreeingMemoryIsNoSynchronization) {
  EXPECT_EQ(races_across_free(false), 1u);
  EXPECT_EQ(races_across_free(true), 0u);
}

TEST(Races, PollingUntilTheQuerySaysCompleteOrdersTheHost) {
  for (const answer last : {answer::complete, answer::not_ready}) {
    two_streams program;
    program.copy(program.buffer, program.pinned, program.one);
    program.record(program.event, program.one);
    program.query_event(program.event, answer::not_ready);
    program.query_event(program.event, last);
    program.host_reads(program.pinned);
    EXPECT_EQ(races_in(program).size(), last == answer::complete ? 0u : 1u);
  }
}

TEST(Races, ReadsAndAtomicsDoNotRaceAmongThemselves) {
  two_streams program;
  const memory low = slice(program.buffer, 0, 8), high = slice(program.buffer, 8, 8);
  program.launch("first", program.one, {reads(low), updates_atomically(high)});
  program.launch("second", program.two, {reads(low), updates_atomically(high)});
  EXPECT_EQ(races_in(program).size(), 0u);
}

TEST(Races, AtomicRacesWithReadAndWithWrite) {
  for (const bool is_read : {true, false}) {
    two_streams program;
    program.launch("count", program.one, {updates_atomically(program.buffer)});
    program.launch("other", program.two, {is_read ? reads(program.buffer) : writes(program.buffer)});
    EXPECT_EQ(races_in(program).size(), 1u);
  }
}

TEST(Races, InterleavedElementsOfTwoStreamsDoNotRace) {
  for (const std::uint64_t offset : {4, 3}) {
    two_streams program;
    const auto every_other = [&](std::uint64_t begin) {
      return trace::access{program.buffer.allocation, trace::access_mode::write,
                           trace::byte_set::from_runs({{begin, 4, 8, 500}})};
    };
    program.launch("even", program.one, {every_other(0)});
    program.launch("odd", program.two, {every_other(offset)});
    EXPECT_EQ(races_in(program).size(), offset == 4 ? 0u : 1u);
  }
}

TEST(Races, OlderAccessIsFoundBehindANewerOneThatTouchesOtherBytes) {
  two_streams program;
  const auto column = [&](std::uint64_t begin) {
    return trace::access{program.buffer.allocation, trace::access_mode::write,
                         trace::byte_set::from_runs({{begin, 4, 16, 200}})};
  };
  const auto first = program.launch("first", program.one, {column(0)});
  program.launch("second", program.one, {column(4)});
  program.launch("third", program.two, {column(0)});
  const std::vector<race> races = races_in(program);
  ASSERT_EQ(races.size(), 1u);
  EXPECT_EQ(races[0].first.operation, first);
}

TEST(Races, PairThatConflictsInSeveralWaysIsOneRaceAndReadsWhatWasWritten) {
  two_streams program;
  program.launch("fill", program.one, {writes(program.buffer), writes(program.pinned)});
  program.launch(
      "scale", program.two,
      {writes(program.buffer), writes(program.pinned), reads(program.buffer), reads(program.pinned)});
  const std::vector<race> races = races_in(program);
  ASSERT_EQ(races.size(), 1u);
  EXPECT_EQ(races[0].second.mode, trace::access_mode::read);
}

TEST(Races, LoopThatRacesGivesOneRaceForEachStreamAndIteration) {
  two_streams program;
  for (int i = 0; i < 10; ++i) {
    program.launch("produce", program.one, {writes(program.buffer)});
    program.launch("consume", program.two, {reads(program.buffer)});
  }
  EXPECT_EQ(races_in(program).size(), 19u);
}

TEST(Races, HostReadOfManyCopiesNamesTheLatestOfEachStream) {
  two_streams program;
  for (int chunk = 0; chunk < 8; ++chunk) {
    const memory from = slice(program.buffer, chunk * 512u, 512),
                 to = slice(program.pinned, chunk * 512u, 512);
    program.copy(from, to, chunk % 2 == 0 ? program.one : program.two);
  }
  program.host_reads(program.pinned);
  const std::vector<race> races = races_in(program);
  ASSERT_EQ(races.size(), 2u);
  EXPECT_EQ(races[0].bytes, (trace::byte_range{6 * 512, 7 * 512}));
  EXPECT_EQ(races[1].bytes, (trace::byte_range{7 * 512, 8 * 512}));
}

TEST(Races, WriteThatEverythingIsOrderedBeforeDoesNotHideLaterRaces) {
  two_streams program;
  const auto third = program.create_stream();
  program.launch("left", program.one, {writes(slice(program.buffer, 0, 2048))});
  program.record(program.event, program.one);
  program.wait(program.two, program.event);
  const auto whole = program.launch("whole", program.two, {writes(program.buffer)});
  program.launch("reader", third, {reads(slice(program.buffer, 100, 8))});
  const std::vector<race> races = races_in(program);
  ASSERT_EQ(races.size(), 1u);
  EXPECT_EQ(races[0].first.operation, whole);
}

std::size_t races_between_threads(bool joins) {
  two_streams program;
  program.host_writes(program.pinned);
  if (joins) program.pass(1, 2);
  program.on_thread(2);
  program.copy(program.pinned, program.buffer, program.one);
  program.synchronize_stream(program.one);
  if (joins) program.pass(2, 1);
  program.on_thread(1);
  program.create_event();
  program.host_writes(program.pinned);
  return races_in(program).size();
}

TEST(Races, ThreadsThatWaitForEachOtherDoNotRace) { EXPECT_EQ(races_between_threads(true), 0u); }
TEST(Races, ThreadsThatDoNotWaitForEachOtherRace) { EXPECT_EQ(races_between_threads(false), 2u); }

TEST(Races, OnlyOperationsOfThePartAreLookedAt) {
  two_streams program;
  program.launch("serial", program.one, {writes(program.buffer)});
  program.mark("begin:learner");
  program.launch("learner", program.two, {writes(program.buffer)});
  program.mark("end:learner");
  program.host_reads(program.buffer);
  const auto races = analysis::find_races(analysis::part_of(program.recording(), "learner")).value();
  ASSERT_EQ(races.size(), 1u);
  EXPECT_EQ(races[0].first.operation, 2u);
}

TEST(Races, OfAnEndedRunAreThoseUpToItsEnd) {
  two_streams program;
  program.launch("first", program.one, {writes(program.buffer)});
  program.launch("second", program.two, {writes(program.buffer)});
  program.launch("unfinished", program.one);
  trace::recording recording = program.recording();
  recording.operations.back().accesses.reset();
  recording.operations.back().end = trace::nanoseconds(0);
  const auto races = analysis::find_races(analysis::part_of(recording, ""));
  ASSERT_TRUE(races);
  EXPECT_EQ(races->size(), 1u);
}

TEST(Races, AreUnknownWhereAccessesWereNotRecorded) {
  two_streams program;
  program.launch("kernel", program.one);
  trace::recording recording = program.recording();
  recording.operations.back().accesses.reset();
  recording.operations.back().end = trace::nanoseconds(1);
  EXPECT_FALSE(analysis::find_races(analysis::part_of(recording, "")));
  recording = program.recording();
  recording.host_accesses.reset();
  EXPECT_FALSE(analysis::find_races(analysis::part_of(recording, "")));
}

TEST(Races, OneAccessIsReportedWithALimitedNumberOfEarlierOnes) {
  recording_builder program;
  const memory buffer = program.allocate(memory_kind::device, size);
  for (std::size_t i = 0; i < analysis::max_races_of_access + 20; ++i)
    program.launch("kernel", program.create_stream(trace::stream_blocking::non_blocking), {writes(buffer)});
  std::size_t of_last = 0;
  for (const race& race : races_in(program))
    of_last += race.second.operation == program.recording().operations.size() ? 1 : 0;
  EXPECT_EQ(of_last, analysis::max_races_of_access);
}

TEST(Races, AreNotSearchedForAmongTooManyAccesses) {
  recording_builder program;
  const memory buffer = program.allocate(memory_kind::device, size);
  for (std::uint64_t i = 0; i < 20; ++i)
    program.launch("kernel", program.create_stream(trace::stream_blocking::non_blocking),
                   {reads(slice(buffer, i, 100))});
  const part whole = analysis::part_of(program.recording(), "");
  const analysis::ordering order(program.recording());
  EXPECT_NO_THROW(analysis::find_races(whole, order, 1000));
  EXPECT_THROW(analysis::find_races(whole, order, 50), analysis::too_large);
}

enum class hand_over { none, by_thread, to_function, from_function };

std::size_t races_of_host_code(hand_over how) {
  two_streams program;
  program.divide_into_steps();
  program.on_thread(2);
  program.host_writes(program.pageable);
  if (how == hand_over::by_thread) program.pass(2, 1);
  program.on_thread(1);
  program.host_reads(program.pageable);
  return races_in(program).size();
}

TEST(Races, WhatTwoThreadsQueueIntoOneStreamRacesUnlessBothUpdateTheSameBytes) {
  const auto races_of = [](bool reads_too, bool has_order) {
    two_streams program;
    const auto accesses = [&] {
      return reads_too ? std::vector<trace::access>{reads(program.buffer), writes(program.buffer)}
                       : std::vector<trace::access>{writes(program.buffer)};
    };
    program.launch("first", program.one, accesses());
    if (has_order) program.pass(1, 2);
    program.on_thread(2);
    program.launch("second", program.one, accesses());
    return races_in(program).size();
  };
  EXPECT_EQ(races_of(false, false), 1u);
  EXPECT_EQ(races_of(false, true), 0u);
  EXPECT_EQ(races_of(true, false), 0u);
}

TEST(Races, TwoThreadsThatShareMemoryHaveToHandItOver) {
  EXPECT_EQ(races_of_host_code(hand_over::by_thread), 0u);
  EXPECT_EQ(races_of_host_code(hand_over::none), 1u);
}

/// Of a host function that touches what thread 2 wrote: as it begins, then after it took over from there.
std::size_t races_of_host_function(hand_over how, bool is_early = false) {
  two_streams program;
  program.divide_into_steps();
  program.on_thread(2);
  program.host_writes(program.pageable);
  program.on_thread(1);
  const auto function = program.launch_host_function(program.one);
  const auto later = program.launch_host_function(program.one, {reads(program.pageable)});
  if (is_early) program.touch(function, writes(program.pageable));
  if (how == hand_over::to_function) program.pass_to_host_function(2, function);
  if (!is_early) program.touch(function, writes(program.pageable));
  if (how == hand_over::from_function) program.pass_from_host_function(later, 2);
  return races_in(program).size();
}

TEST(Races, AHostFunctionThatAcquiresComesAfterTheThreadAndSoDoesWhatFollowsInItsStream) {
  EXPECT_EQ(races_of_host_function(hand_over::to_function), 0u);
  EXPECT_GE(races_of_host_function(hand_over::none), 1u);
  EXPECT_GE(races_of_host_function(hand_over::from_function), 1u);
}

TEST(Races, WhatAHostFunctionTouchesBeforeItAcquiresRaces) {
  EXPECT_EQ(races_of_host_function(hand_over::to_function, true), 1u);
}

TEST(Races, WhatAHostFunctionTouchesAfterItsReleaseRaces) {
  const auto races_of = [](bool is_late) {
    two_streams program;
    program.divide_into_steps();
    const auto function = program.launch_host_function(program.one);
    if (!is_late) program.touch(function, writes(program.pageable));
    program.pass_from_host_function(function, 2);
    if (is_late) program.touch(function, writes(program.pageable));
    program.on_thread(2);
    program.host_reads(program.pageable);
    return races_in(program).size();
  };
  EXPECT_EQ(races_of(false), 0u);
  EXPECT_EQ(races_of(true), 1u);
}

}  // namespace

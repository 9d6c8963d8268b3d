#include "explain/detail/cures.h"

#include <gtest/gtest.h>

#include "device/tiny_gpu.h"
#include "trace/recording_builder.h"

namespace explain {
namespace {

using analysis::dependencies;
using analysis::dependencies_of;
using analysis::part_of;
using trace::memory;
using trace::reads;
using trace::recording_builder;
using trace::writes;

struct waits_for_events : testing::Test {
  recording_builder program;
  trace::stream_id recorder = program.create_stream();
  trace::stream_id waiter = program.create_stream();
  trace::event_id event = program.create_event();
  memory first = program.allocate(trace::memory_kind::device, 4096);
  memory second = program.allocate(trace::memory_kind::device, 4096);

  std::optional<cause> what_is_wrong_with(trace::operation_id wait) const {
    const auto whole = part_of(program.recording(), "");
    const dependencies needed = dependencies_of(whole);
    const device::profile gpu = device::tiny_gpu();
    return examined_part(whole, needed, gpu).wrong_wait[wait - whole.operations.front()];
  }
};

TEST_F(waits_for_events, NothingIsWrongWhereTheResultIsRead) {
  program.launch("writer", recorder, {writes(first)});
  program.record(event, recorder);
  const auto wait = program.wait(waiter, event);
  program.launch("reader", waiter, {reads(first)});
  EXPECT_EQ(what_is_wrong_with(wait), std::nullopt);
}

TEST_F(waits_for_events, ARecordBehindOtherWorkIsLate) {
  program.launch("writer", recorder, {writes(first)});
  program.launch("other", recorder, {writes(second)});
  program.record(event, recorder);
  const auto wait = program.wait(waiter, event);
  program.launch("reader", waiter, {reads(first)});
  EXPECT_EQ(what_is_wrong_with(wait), cause::event_recorded_late);
}

TEST_F(waits_for_events, ASecondRecordOfTheEventIsNoticed) {
  const auto third = program.create_stream();
  program.launch("writer", recorder, {writes(first)});
  program.record(event, recorder);
  program.launch("other", third, {writes(second)});
  program.record(event, third);
  const auto wait = program.wait(waiter, event);
  program.launch("reader", waiter, {reads(first)});
  EXPECT_EQ(what_is_wrong_with(wait), cause::event_recorded_again);
}

TEST_F(waits_for_events, AWaitOfWhichNothingIsNeededIsNeedless) {
  program.launch("writer", recorder, {writes(first)});
  program.record(event, recorder);
  const auto wait = program.wait(waiter, event);
  program.launch("other", waiter, {writes(second)});
  EXPECT_EQ(what_is_wrong_with(wait), cause::needless_wait);
}

TEST_F(waits_for_events, AWaitToOverwriteWhatIsReadIsThatOfASharedBuffer) {
  program.launch("reader", recorder, {reads(first)});
  program.record(event, recorder);
  const auto wait = program.wait(waiter, event);
  program.launch("writer", waiter, {writes(first)});
  EXPECT_EQ(what_is_wrong_with(wait), cause::shared_buffer);
}

/// Whether larger chunks are a cure of eight pairs of kernels of that length that each work on those bytes.
bool larger_chunks_would_help(bool each_builds_on_the_one_before, trace::nanoseconds length) {
  recording_builder program;
  const auto stream = program.create_stream();
  const memory values = program.allocate(trace::memory_kind::device, 4096);
  for (int pair = 0; pair < 8; ++pair) {
    const memory own =
        each_builds_on_the_one_before ? values : program.allocate(trace::memory_kind::device, 4096);
    const memory note = program.allocate(trace::memory_kind::device, 4);
    program.launch("advance", stream, {reads(own), writes(own)});
    program.launch("take_note", stream, {reads(own), writes(note)});
  }
  trace::recording recording = program.recording();
  for (trace::operation& operation : recording.operations) operation.end = operation.start + length;
  const auto whole = part_of(recording, "");
  const dependencies needed = dependencies_of(whole);
  device::profile gpu = device::tiny_gpu();
  gpu.kernel_gap = 1000;
  return examined_part(whole, needed, gpu).applies(cause::small_chunks);
}

TEST(Cures, StepsThatBuildOnEachOtherAreNoChunks) {
  EXPECT_TRUE(larger_chunks_would_help(false, std::chrono::microseconds(5)));
  EXPECT_FALSE(larger_chunks_would_help(true, std::chrono::microseconds(5)));
}

TEST(Cures, LongKernelsAreNotCutTooSmall) {
  EXPECT_FALSE(larger_chunks_would_help(false, std::chrono::milliseconds(10)));
}

TEST(Cures, WhatComesInPieceByPieceIsNotInOnePiece) {
  recording_builder program;
  const auto stream = program.create_stream();
  const memory landing = program.allocate(trace::memory_kind::pinned, 4096);
  const memory chunk = program.allocate(trace::memory_kind::device, 4096);
  const memory sum = program.allocate(trace::memory_kind::device, 4096);
  const auto is_in_one_piece = [&] {
    const auto whole = part_of(program.recording(), "");
    const dependencies needed = dependencies_of(whole);
    const device::profile gpu = device::tiny_gpu();
    return examined_part(whole, needed, gpu).applies(cause::one_piece);
  };
  program.copy(landing, chunk, stream);
  program.launch("add", stream, {reads(chunk), reads(sum), writes(sum)});
  EXPECT_TRUE(is_in_one_piece());
  program.copy(landing, chunk, stream);
  program.launch("add", stream, {reads(chunk), reads(sum), writes(sum)});
  EXPECT_FALSE(is_in_one_piece());
}

TEST(Cures, AllInputsOfAChunkAreCutWithIt) {
  recording_builder program;
  const auto stream = program.create_stream();
  const memory left = program.allocate(trace::memory_kind::pinned, 4096);
  const memory right = program.allocate(trace::memory_kind::pinned, 4096);
  const memory sum = program.allocate(trace::memory_kind::pinned, 4096);
  const memory device_left = program.allocate(trace::memory_kind::device, 4096);
  const memory device_right = program.allocate(trace::memory_kind::device, 4096);
  const memory device_sum = program.allocate(trace::memory_kind::device, 4096);
  program.copy(left, device_left, stream);
  program.copy(right, device_right, stream);
  program.launch("add", stream, {reads(device_left), reads(device_right), writes(device_sum)});
  program.copy(device_sum, sum, stream);
  const auto whole = part_of(program.recording(), "");
  const dependencies needed = dependencies_of(whole);
  const device::profile gpu = device::tiny_gpu();
  for (const variant& variant : without(examined_part(whole, needed, gpu), {cause::one_piece}))
    EXPECT_EQ(variant.program.operations.size(), 4 * variant.how.pieces);
}

}  // namespace
}  // namespace explain

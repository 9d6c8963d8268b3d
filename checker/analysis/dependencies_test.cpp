#include "analysis/dependencies.h"

#include <gtest/gtest.h>

#include "trace/recording_builder.h"

namespace analysis {
namespace {

using trace::memory;
using trace::reads;
using trace::recording_builder;
using trace::updates_atomically;
using trace::writes;

/// What the operation with that id depends on: a minus sign where it does not read what that one wrote.
std::vector<int> inputs_of(const recording_builder& program, trace::operation_id id) {
  const auto whole = part_of(program.recording(), "");
  const dependencies needed = dependencies_of(whole);
  std::vector<int> result;
  for (const dependency& dependency : needed.of_operation.at(id - 1))
    result.push_back(dependency.is_flow ? static_cast<int>(dependency.earlier)
                                        : -static_cast<int>(dependency.earlier));
  return result;
}

struct needs_of_host : testing::Test {
  recording_builder program;
  trace::stream_id stream = program.create_stream();
  memory pinned = program.allocate(trace::memory_kind::pinned, 4096);
  memory device = program.allocate(trace::memory_kind::device, 4096);

  std::vector<trace::operation_id> operations() const {
    const auto whole = part_of(program.recording(), "");
    std::vector<trace::operation_id> result;
    for (const host_need& need : dependencies_of(whole).of_host) result.push_back(need.operation);
    return result;
  }
};
using ids = std::vector<trace::operation_id>;

TEST(Dependencies, AReaderDependsOnTheLastWriterOfItsBytes) {
  recording_builder program;
  const auto stream = program.create_stream();
  const memory buffer = program.allocate(trace::memory_kind::device, 4096);
  program.launch("old", stream, {writes(buffer)});
  const auto writer = program.launch("new", stream, {writes(buffer)});
  const auto reader = program.launch("reader", stream, {reads(buffer)});
  EXPECT_EQ(inputs_of(program, reader), std::vector<int>{static_cast<int>(writer)});
}

TEST(Dependencies, AWriterDependsOnTheReadersBeforeItButReadsNothingOfThem) {
  recording_builder program;
  const auto stream = program.create_stream();
  const memory buffer = program.allocate(trace::memory_kind::device, 4096);
  program.launch("one", stream, {reads(buffer)});
  program.launch("two", stream, {reads(buffer)});
  const auto writer = program.launch("writer", stream, {writes(buffer)});
  EXPECT_EQ(inputs_of(program, writer), (std::vector<int>{-1, -2}));
}

TEST(Dependencies, WorkOnOtherBytesOfTheSameAllocationIsIndependent) {
  recording_builder program;
  const auto stream = program.create_stream();
  const memory buffer = program.allocate(trace::memory_kind::device, 4096);
  program.launch("left", stream, {writes(slice(buffer, 0, 2048))});
  const auto right = program.launch("right", stream, {reads(slice(buffer, 2048, 2048))});
  EXPECT_EQ(inputs_of(program, right), std::vector<int>{});
}

TEST(Dependencies, AtomicUpdatesOfTwoKernelsCommute) {
  recording_builder program;
  const auto stream = program.create_stream();
  const memory counter = program.allocate(trace::memory_kind::device, 4);
  program.launch("one", stream, {updates_atomically(counter)});
  const auto two = program.launch("two", stream, {updates_atomically(counter)});
  EXPECT_EQ(inputs_of(program, two), std::vector<int>{});
}

TEST(Dependencies, WhatUsesMemoryOfAPoolLiesBetweenItsAllocationAndItsRelease) {
  recording_builder program;
  const auto stream = program.create_stream();
  const memory buffer = program.allocate_from_pool(stream, 4096);
  const auto writer = program.launch("writer", stream, {writes(buffer)});
  const auto release = program.free_to_pool(buffer, stream);
  EXPECT_EQ(inputs_of(program, writer), std::vector<int>{static_cast<int>(writer) - 1});
  EXPECT_EQ(inputs_of(program, release), std::vector<int>{static_cast<int>(writer)});
}

TEST(Dependencies, APrefetchKeepsItsPlaceAmongTheWorkOnItsBytes) {
  recording_builder program;
  const auto stream = program.create_stream();
  const memory buffer = program.allocate(trace::memory_kind::managed, 4096);
  const auto before = program.launch("before", stream, {reads(slice(buffer, 0, 2048))});
  program.launch("elsewhere", stream, {reads(slice(buffer, 2048, 2048))});
  const auto prefetch = program.prefetch(slice(buffer, 0, 2048), stream);
  const auto behind = program.launch("behind", stream, {reads(slice(buffer, 0, 2048))});
  EXPECT_EQ(inputs_of(program, prefetch), std::vector<int>{static_cast<int>(before)});
  EXPECT_EQ(inputs_of(program, behind), std::vector<int>{static_cast<int>(prefetch)});
}

TEST_F(needs_of_host, AReleaseInStreamOrderNeedsNothingOfTheHost) {
  const memory buffer = program.allocate_from_pool(stream, 4096);
  program.launch("writer", stream, {writes(buffer)});
  program.free_to_pool(buffer, stream);
  EXPECT_EQ(operations(), ids{});
}

TEST_F(needs_of_host, AStatementThatReadsAResultNeedsTheCopyThatBringsIt) {
  program.copy(pinned, device, stream);
  const auto back = program.copy(device, pinned, stream);
  program.host_reads(pinned);
  EXPECT_EQ(operations(), ids{back});
}

TEST_F(needs_of_host, AResultIsReadByAStatementOrAnOperation) {
  const auto is_read = [&](trace::operation_id id) {
    const auto whole = part_of(program.recording(), "");
    return static_cast<bool>(dependencies_of(whole).is_read.at(id - 1));
  };
  const auto writer = program.launch("writer", stream, {writes(device)});
  const auto first = program.copy(device, pinned, stream);
  program.host_writes(pinned);  // the first result is lost
  const auto second = program.copy(device, pinned, stream);
  EXPECT_FALSE(is_read(second));
  program.host_reads(pinned);
  EXPECT_TRUE(is_read(writer));
  EXPECT_FALSE(is_read(first));
  EXPECT_TRUE(is_read(second));
}

TEST_F(needs_of_host, AStatementThatRefillsABufferNeedsTheCopyThatReadsIt) {
  const auto copy = program.copy(pinned, device, stream);
  program.host_writes(pinned);
  EXPECT_EQ(operations(), ids{copy});
}

TEST_F(needs_of_host, AThreadThatIsToldNeedsWhatTheOtherOneWaitedFor) {
  program.divide_into_steps();
  program.on_thread(2);
  const auto back = program.copy(device, pinned, stream);
  program.synchronize_stream(stream);
  program.on_thread(3);
  program.host_reads(pinned);  // a race
  EXPECT_EQ(operations(), ids{});
  program.pass(2, 1);
  program.pass(1, 3);
  program.host_reads(pinned);
  EXPECT_EQ(operations(), ids{back});
  const auto whole = part_of(program.recording(), "");
  EXPECT_EQ(dependencies_of(whole).of_host.front().after, program.recording().calls.back().id);
}

TEST_F(needs_of_host, AFreeNeedsWhatUsesTheMemory) {
  const auto copy = program.copy(pinned, device, stream);
  program.free(device);
  EXPECT_EQ(operations(), ids{copy});
}

TEST_F(needs_of_host, NothingIsNeededOfWorkOnOtherMemory) {
  const memory other = program.allocate(trace::memory_kind::pinned, 64);
  program.copy(pinned, device, stream);
  program.host_writes(other);
  EXPECT_EQ(operations(), ids{});
}

TEST(Dependencies, AHostFunctionNeedsTheWorkBeforeIt) {
  recording_builder program;
  const auto stream = program.create_stream();
  const auto kernel = program.launch("kernel", stream);
  program.record(program.create_event(), stream);
  const auto function = program.launch_host_function(stream);
  const auto whole = part_of(program.recording(), "");
  const auto needs = dependencies_of(whole).of_operation.at(function - whole.operations.front());
  ASSERT_EQ(needs.size(), 1u);
  EXPECT_EQ(needs[0].earlier, kernel);
  EXPECT_TRUE(needs[0].is_flow);
}

TEST(Dependencies, AreNotKnownWhereAnOperationHidesItsBytes) {
  recording_builder program;
  program.launch("seen", program.create_stream(), {});
  trace::recording recording = program.recording();
  EXPECT_TRUE(dependencies_of(part_of(recording, "")).are_known);
  recording.operations.front().accesses.reset();
  EXPECT_TRUE(dependencies_of(part_of(recording, "")).are_known)
      << "it was still to be done when the run was ended";
  recording.operations.front().end = trace::nanoseconds(1);
  EXPECT_FALSE(dependencies_of(part_of(recording, "")).are_known);
}

}  // namespace
}  // namespace analysis

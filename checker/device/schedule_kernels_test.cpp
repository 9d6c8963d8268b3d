// Kernels: room on the multiprocessors, tails, priorities, work queues, kernels that wait for memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "device/bench.h"
#include "device/schedule.h"

namespace device {
namespace {

using trace::constraint_kind;
using trace::stream_blocking;

constexpr kernel_shape whole_device{.blocks = 4, .threads_per_block = 32};
constexpr kernel_shape two_waves{.blocks = 8, .threads_per_block = 32};

TEST(ScheduleKernels, AKernelWaitsForRoomOnTheMultiprocessors) {
  bench on;
  const auto first = on.kernel(on.stream(), 10, whole_device);
  const auto second = on.kernel(on.stream(), 10);
  on.run();
  EXPECT_EQ(on.end(first), 10);
  EXPECT_EQ(on.start(second), 10);
  EXPECT_EQ(on.reason(second).kind, constraint_kind::no_room);
  EXPECT_EQ(on.reason(second).operation, first);
}

TEST(ScheduleKernels, AKernelStartsInTheTailOfAnother) {
  bench on;
  const auto first = on.kernel(on.stream(), 10, {.blocks = 6, .threads_per_block = 32});
  const auto second = on.kernel(on.stream(), 10, {.blocks = 2, .threads_per_block = 32});
  on.run();
  EXPECT_EQ(on.end(first), 20);
  EXPECT_EQ(on.start(second), 10);
  EXPECT_EQ(on.end(second), 20);
}

TEST(ScheduleKernels, AKernelEndsWithItsLongestBlock) {
  bench on;
  const auto kernel = on.kernel(on.stream(), {10, 40, 10, 10}, whole_device);
  on.run();
  EXPECT_EQ(on.end(kernel), 40);
}

TEST(ScheduleKernels, ABlockTakesThePlaceOfTheFirstThatEnds) {
  bench on;
  const auto kernel = on.kernel(on.stream(), {10, 40, 40, 40, 25}, {.blocks = 5, .threads_per_block = 32});
  const auto other = on.kernel(on.stream(), 5);
  on.run();
  EXPECT_EQ(on.end(kernel), 40);
  EXPECT_EQ(on.start(other), 35);
}

TEST(ScheduleKernels, NoMoreKernelsRunAtOnceThanTheDeviceHolds) {
  profile gpu = tiny_gpu();
  gpu.resident_grids = 2;
  bench on(gpu);
  const auto first = on.kernel(on.stream(), 10);
  const auto second = on.kernel(on.stream(), 20);
  const auto third = on.kernel(on.stream(), 10);
  on.run();
  EXPECT_EQ(on.start(first), 0);
  EXPECT_EQ(on.start(second), 0);
  EXPECT_EQ(on.start(third), 10);
}

TEST(ScheduleKernels, AnUrgentKernelTakesTheNextRoomAndInterruptsNothing) {
  bench on;
  const auto low = on.kernel(on.stream(), 10, two_waves);
  on.at(5);
  const auto urgent = on.kernel(on.stream(stream_blocking::non_blocking, -1), 10, whole_device);
  on.run();
  EXPECT_EQ(on.start(urgent), 10);
  EXPECT_EQ(on.end(urgent), 20);
  EXPECT_EQ(on.end(low), 30);
}

TEST(ScheduleKernels, AKernelsOwnPriorityCountsInsteadOfItsStreams) {
  bench on;
  const auto low = on.kernel(on.stream(), 10, two_waves);
  on.at(5);
  const auto urgent = on.urgent_kernel(on.stream(), 10, whole_device, -1);
  on.run();
  EXPECT_EQ(on.start(urgent), 10);
  EXPECT_EQ(on.end(low), 30);
}

TEST(ScheduleKernels, WithoutAPriorityTheKernelThatCameFirstPlacesAllItsBlocksFirst) {
  bench on;
  const auto first = on.kernel(on.stream(), 10, two_waves);
  on.at(5);
  const auto second = on.kernel(on.stream(), 10, whole_device);
  on.run();
  EXPECT_EQ(on.end(first), 20);
  EXPECT_EQ(on.start(second), 20);
}

// The issue order that hides concurrency when all streams share one work queue, and the one that does not.
TEST(ScheduleKernels, InOneWorkQueueDepthFirstIssueHoldsOtherStreamsBack) {
  profile gpu = tiny_gpu();
  gpu.work_queues = 1;
  bench on(gpu);
  const auto a = on.stream();
  const auto b = on.stream();
  on.kernel(a, 10);
  const auto second_of_a = on.kernel(a, 10);
  const auto first_of_b = on.kernel(b, 10);
  on.run();
  EXPECT_EQ(on.start(second_of_a), 10);
  EXPECT_EQ(on.start(first_of_b), 10);
  EXPECT_EQ(on.reason(first_of_b).kind, constraint_kind::work_queue);
}

TEST(ScheduleKernels, InOneWorkQueueBreadthFirstIssueKeepsStreamsConcurrent) {
  profile gpu = tiny_gpu();
  gpu.work_queues = 1;
  bench on(gpu);
  const auto a = on.stream();
  const auto b = on.stream();
  const auto first_of_a = on.kernel(a, 10);
  const auto first_of_b = on.kernel(b, 10);
  on.kernel(a, 10);
  on.kernel(b, 10);
  on.run();
  EXPECT_EQ(on.start(first_of_a), 0);
  EXPECT_EQ(on.start(first_of_b), 0);
}

TEST(ScheduleKernels, StreamsShareWorkQueuesInTheOrderOfTheirCreation) {
  profile gpu = tiny_gpu();
  gpu.work_queues = 2;
  bench on(gpu);
  const auto first = on.stream();
  const auto second = on.stream();
  const auto third = on.stream();
  on.kernel(first, 10);
  on.kernel(first, 10);
  const auto in_other_queue = on.kernel(second, 10);
  const auto in_same_queue = on.kernel(third, 10);
  on.run();
  EXPECT_EQ(on.start(in_other_queue), 0);
  EXPECT_EQ(on.start(in_same_queue), 10);
}

TEST(ScheduleKernels, AKernelThatWaitsForMemoryRunsFromWhereItIsResumed) {
  bench on;
  const auto stream = on.stream();
  const auto waiting = on.waiting_kernel(stream);
  const auto after = on.kernel(stream, 5);
  const auto other = on.kernel(on.stream(), 20);
  on.advance_to(50);
  EXPECT_FALSE(on.schedule().is_complete(waiting));
  EXPECT_TRUE(on.schedule().is_complete(other));
  on.resume(waiting, 10);
  on.run();
  EXPECT_EQ(on.start(waiting), 0);
  EXPECT_EQ(on.end(waiting), 60);
  EXPECT_EQ(on.start(after), 60);
}

TEST(ScheduleKernels, AKernelThatWaitsForMemoryHoldsItsRoom) {
  bench on;
  const auto waiting = on.waiting_kernel(on.stream(), whole_device);
  const auto other = on.kernel(on.stream(), 5);
  on.advance_to(50);
  EXPECT_FALSE(on.schedule().is_complete(other));
  on.resume(waiting, 10);
  on.run();
  EXPECT_EQ(on.start(other), 60);
  EXPECT_EQ(on.reason(other).kind, constraint_kind::no_room);
  EXPECT_EQ(on.reason(other).operation, waiting);
}

TEST(ScheduleKernels, ALargeKernelThatWaitedForMemoryRunsTheRestOfItsBlocksAfterwards) {
  bench on;
  const auto waiting = on.waiting_kernel(on.stream(), two_waves);
  on.advance_to(50);
  on.resume(waiting, 10);
  on.run();
  EXPECT_EQ(on.end(waiting), 70);
}

TEST(ScheduleKernels, StressMakesKernelsLongerAndLeavesCopiesAlone) {
  bench on(tiny_gpu(), {.copies = 1, .kernels = 10});
  const auto kernel = on.kernel(on.stream(), 10);
  const auto copy = on.copy_in(on.stream(), 10);
  on.run();
  EXPECT_EQ(on.end(kernel), 100);
  EXPECT_EQ(on.end(copy), 10);
}

}  // namespace
}  // namespace device

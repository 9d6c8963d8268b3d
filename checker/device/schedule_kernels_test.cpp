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
  bench gpu;
  const auto first = gpu.kernel(gpu.stream(), 10, whole_device);
  const auto second = gpu.kernel(gpu.stream(), 10);
  gpu.run();
  EXPECT_EQ(gpu.end(first), 10);
  EXPECT_EQ(gpu.start(second), 10);
  EXPECT_EQ(gpu.reason(second).kind, constraint_kind::no_room);
  EXPECT_EQ(gpu.reason(second).operation, first);
}

TEST(ScheduleKernels, AKernelStartsInTheTailOfAnother) {
  bench gpu;
  const auto first = gpu.kernel(gpu.stream(), 10, {.blocks = 6, .threads_per_block = 32});
  const auto second = gpu.kernel(gpu.stream(), 10, {.blocks = 2, .threads_per_block = 32});
  gpu.run();
  EXPECT_EQ(gpu.end(first), 20);
  EXPECT_EQ(gpu.start(second), 10);
  EXPECT_EQ(gpu.end(second), 20);
}

TEST(ScheduleKernels, AKernelEndsWithItsLongestBlock) {
  bench gpu;
  const auto kernel = gpu.kernel(gpu.stream(), {10, 40, 10, 10}, whole_device);
  gpu.run();
  EXPECT_EQ(gpu.end(kernel), 40);
}

TEST(ScheduleKernels, ABlockTakesThePlaceOfTheFirstThatEnds) {
  bench gpu;
  const auto kernel = gpu.kernel(gpu.stream(), {10, 40, 40, 40, 25}, {.blocks = 5, .threads_per_block = 32});
  const auto other = gpu.kernel(gpu.stream(), 5);
  gpu.run();
  EXPECT_EQ(gpu.end(kernel), 40);
  EXPECT_EQ(gpu.start(other), 35);
}

TEST(ScheduleKernels, NoMoreKernelsRunAtOnceThanTheDeviceHolds) {
  profile model = tiny_gpu();
  model.resident_grids = 2;
  bench gpu(model);
  const auto first = gpu.kernel(gpu.stream(), 10);
  const auto second = gpu.kernel(gpu.stream(), 20);
  const auto third = gpu.kernel(gpu.stream(), 10);
  gpu.run();
  EXPECT_EQ(gpu.start(first), 0);
  EXPECT_EQ(gpu.start(second), 0);
  EXPECT_EQ(gpu.start(third), 10);
}

TEST(ScheduleKernels, AnUrgentKernelTakesTheNextRoomAndInterruptsNothing) {
  bench gpu;
  const auto low = gpu.kernel(gpu.stream(), 10, two_waves);
  gpu.issue_at(5);
  const auto urgent = gpu.kernel(gpu.stream(stream_blocking::non_blocking, -1), 10, whole_device);
  gpu.run();
  EXPECT_EQ(gpu.start(urgent), 10);
  EXPECT_EQ(gpu.end(urgent), 20);
  EXPECT_EQ(gpu.end(low), 30);
}

TEST(ScheduleKernels, AKernelsOwnPriorityCountsInsteadOfItsStreams) {
  bench gpu;
  const auto low = gpu.kernel(gpu.stream(), 10, two_waves);
  gpu.issue_at(5);
  const auto urgent = gpu.urgent_kernel(gpu.stream(), 10, whole_device, -1);
  gpu.run();
  EXPECT_EQ(gpu.start(urgent), 10);
  EXPECT_EQ(gpu.end(low), 30);
}

TEST(ScheduleKernels, WithoutAPriorityTheKernelThatCameFirstPlacesAllItsBlocksFirst) {
  bench gpu;
  const auto first = gpu.kernel(gpu.stream(), 10, two_waves);
  gpu.issue_at(5);
  const auto second = gpu.kernel(gpu.stream(), 10, whole_device);
  gpu.run();
  EXPECT_EQ(gpu.end(first), 20);
  EXPECT_EQ(gpu.start(second), 20);
}

// The issue order that hides concurrency when all streams share one work queue, and the one that does not.
TEST(ScheduleKernels, InOneWorkQueueDepthFirstIssueHoldsOtherStreamsBack) {
  profile model = tiny_gpu();
  model.work_queues = 1;
  bench gpu(model);
  const auto a = gpu.stream();
  const auto b = gpu.stream();
  gpu.kernel(a, 10);
  const auto second_of_a = gpu.kernel(a, 10);
  const auto first_of_b = gpu.kernel(b, 10);
  gpu.run();
  EXPECT_EQ(gpu.start(second_of_a), 10);
  EXPECT_EQ(gpu.start(first_of_b), 10);
  EXPECT_EQ(gpu.reason(first_of_b).kind, constraint_kind::work_queue);
}

TEST(ScheduleKernels, InOneWorkQueueBreadthFirstIssueKeepsStreamsConcurrent) {
  profile model = tiny_gpu();
  model.work_queues = 1;
  bench gpu(model);
  const auto a = gpu.stream();
  const auto b = gpu.stream();
  const auto first_of_a = gpu.kernel(a, 10);
  const auto first_of_b = gpu.kernel(b, 10);
  gpu.kernel(a, 10);
  gpu.kernel(b, 10);
  gpu.run();
  EXPECT_EQ(gpu.start(first_of_a), 0);
  EXPECT_EQ(gpu.start(first_of_b), 0);
}

TEST(ScheduleKernels, StreamsShareWorkQueuesInTheOrderOfTheirCreation) {
  profile model = tiny_gpu();
  model.work_queues = 2;
  bench gpu(model);
  const auto first = gpu.stream();
  const auto second = gpu.stream();
  const auto third = gpu.stream();
  gpu.kernel(first, 10);
  gpu.kernel(first, 10);
  const auto in_other_queue = gpu.kernel(second, 10);
  const auto in_same_queue = gpu.kernel(third, 10);
  gpu.run();
  EXPECT_EQ(gpu.start(in_other_queue), 0);
  EXPECT_EQ(gpu.start(in_same_queue), 10);
}

TEST(ScheduleKernels, AKernelThatWaitsForMemoryRunsFromWhereItIsResumed) {
  bench gpu;
  const auto stream = gpu.stream();
  const auto waiting = gpu.waiting_kernel(stream);
  const auto after = gpu.kernel(stream, 5);
  const auto other = gpu.kernel(gpu.stream(), 20);
  gpu.advance_to(50);
  EXPECT_FALSE(gpu.schedule().is_complete(waiting));
  EXPECT_TRUE(gpu.schedule().is_complete(other));
  gpu.resume(waiting, 10);
  gpu.run();
  EXPECT_EQ(gpu.start(waiting), 0);
  EXPECT_EQ(gpu.end(waiting), 60);
  EXPECT_EQ(gpu.start(after), 60);
}

TEST(ScheduleKernels, AKernelThatWaitsForMemoryHoldsItsRoom) {
  bench gpu;
  const auto waiting = gpu.waiting_kernel(gpu.stream(), whole_device);
  const auto other = gpu.kernel(gpu.stream(), 5);
  gpu.advance_to(50);
  EXPECT_FALSE(gpu.schedule().is_complete(other));
  gpu.resume(waiting, 10);
  gpu.run();
  EXPECT_EQ(gpu.start(other), 60);
  EXPECT_EQ(gpu.reason(other).kind, constraint_kind::no_room);
  EXPECT_EQ(gpu.reason(other).operation, waiting);
}

TEST(ScheduleKernels, ALargeKernelThatWaitedForMemoryRunsTheRestOfItsBlocksAfterwards) {
  bench gpu;
  const auto waiting = gpu.waiting_kernel(gpu.stream(), two_waves);
  gpu.advance_to(50);
  gpu.resume(waiting, 10);
  gpu.run();
  EXPECT_EQ(gpu.end(waiting), 70);
}

TEST(ScheduleKernels, StressMakesKernelsLongerAndLeavesCopiesAlone) {
  bench gpu(tiny_gpu(), {.copies = 1, .kernels = 10});
  const auto kernel = gpu.kernel(gpu.stream(), 10);
  const auto copy = gpu.copy_in(gpu.stream(), 10);
  gpu.run();
  EXPECT_EQ(gpu.end(kernel), 100);
  EXPECT_EQ(gpu.end(copy), 10);
}

TEST(ScheduleKernels, StressCanMakeEachKernelLongerByAShareOfItsOwn) {
  bench gpu(tiny_gpu(), {.copies = 1, .kernels = 10, .kernel_spread = 0.5});
  const auto stream = gpu.stream();
  const auto first = gpu.kernel(stream, 10);
  const auto second = gpu.kernel(stream, 10);
  gpu.run();
  const auto of_first = gpu.end(first), of_second = gpu.end(second) - of_first;
  EXPECT_NE(of_first, of_second);
  for (const auto length : {of_first, of_second}) {
    EXPECT_GE(length, 100);
    EXPECT_LE(length, 150);
  }
}

TEST(ScheduleKernels, AStreamTakesTheQueueOfOneThatWasDestroyedBeforeIt) {
  profile model = tiny_gpu();
  model.work_queues = 2;
  model.max_work_queues = 2;
  bench gpu(model);
  const auto kept = gpu.stream();
  const auto destroyed = gpu.stream();
  gpu.kernel(kept, 10);
  gpu.kernel(destroyed, 10);
  gpu.run();
  gpu.destroy(destroyed, 5);
  const auto later = gpu.stream_created_by(6);
  gpu.kernel(kept, 100);
  gpu.kernel(kept, 100);  // its queue stands still until the first has ended
  const auto kernel = gpu.kernel(later, 10);
  gpu.run();
  EXPECT_EQ(gpu.start(kernel), 10);
}

TEST(ScheduleKernels, TheDefaultStreamHasTheLastQueue) {
  bench gpu(tiny_gpu());
  const auto legacy = gpu.legacy_stream();
  gpu.kernel(legacy, 100);
  gpu.kernel(legacy, 100);
  const auto kernel = gpu.kernel(gpu.stream(), 10);
  gpu.run();
  EXPECT_EQ(gpu.start(kernel), 0);
}

TEST(ScheduleKernels, AStreamTakesNoQueueInWhichADestroyedOneStillWorks) {
  bench gpu(tiny_gpu());
  const auto destroyed = gpu.stream();
  gpu.kernel(destroyed, 100);
  gpu.kernel(destroyed, 100);
  gpu.destroy(destroyed, 5);
  const auto kernel = gpu.kernel(gpu.stream_created_by(6), 10);
  gpu.run();
  EXPECT_EQ(gpu.start(kernel), 0);
}

}  // namespace
}  // namespace device

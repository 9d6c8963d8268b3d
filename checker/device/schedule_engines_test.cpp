// In which order engines serve their queues, and what shares the multiprocessors with kernels: as an H200 answered
// (driver 580, CUDA 13.0, 2026-11-22, checker/tools/random_plans).
#include <gtest/gtest.h>

#include <vector>

#include "device/bench.h"
#include "device/schedule.h"

namespace device {
namespace {

kernel_shape filling() { return {.blocks = 4, .threads_per_block = 32}; }

TEST(ScheduleEngines, ACopyEngineEmptiesAQueueBeforeItTurnsToTheNext) {
  bench gpu;
  const auto first = gpu.stream(), second = gpu.stream();
  gpu.copy_in(first, 100);
  const auto other = gpu.copy_in(second, 100);
  const auto same = gpu.copy_in(first, 100);
  gpu.run();
  EXPECT_EQ(gpu.start(same), 100);
  EXPECT_EQ(gpu.start(other), 200);
}

TEST(ScheduleEngines, ACopyEngineTurnsToTheNextQueueWhenTheWorkOfOneIsNotReady) {
  bench gpu;
  const auto first = gpu.stream(), second = gpu.stream();
  gpu.copy_in(first, 100);
  gpu.kernel(first, 50);
  const auto late = gpu.copy_in(first, 100);
  const auto other = gpu.copy_in(second, 100);
  gpu.run();
  EXPECT_EQ(gpu.start(other), 100);
  EXPECT_EQ(gpu.start(late), 200);
}

TEST(ScheduleEngines, ACopyEngineTakesTimeToTurnToAnotherQueue) {
  profile model = tiny_gpu();
  model.copy_queue_change = 7;
  bench gpu(model);
  const auto first = gpu.stream(), second = gpu.stream();
  gpu.copy_in(first, 100);
  const auto same = gpu.copy_in(first, 100);
  const auto other = gpu.copy_in(second, 100);
  gpu.run();
  EXPECT_EQ(gpu.end(same), 200);
  EXPECT_EQ(gpu.end(other), 307);
}

TEST(ScheduleEngines, PrioritiesDoNotCountForCopies) {
  bench gpu;
  const auto low = gpu.stream();
  const auto high = gpu.stream(trace::stream_blocking::non_blocking, -5);
  gpu.copy_in(low, 100);
  const auto urgent = gpu.copy_in(high, 100);
  const auto behind = gpu.copy_in(low, 100);
  gpu.run();
  EXPECT_EQ(gpu.start(behind), 100);
  EXPECT_EQ(gpu.start(urgent), 200);
}

TEST(ScheduleEngines, AStreamGetsItsCopyQueueWithItsFirstCopyInThatDirection) {
  profile model = tiny_gpu();
  model.copy_queues = 2;
  bench gpu(model);
  const auto first = gpu.stream(), unused = gpu.stream(), third = gpu.stream();
  gpu.copy_in(unused, 10);
  gpu.kernel(first, 1000);
  gpu.copy_out(first, 100);  // holds the first queue
  const auto free = gpu.copy_out(third, 100);
  gpu.run();
  EXPECT_EQ(gpu.start(free), 0);
}

TEST(ScheduleEngines, MemsetsAndCopiesInsideTheDeviceWaitForRoomAsKernelsDo) {
  bench gpu;
  const auto kernel = gpu.kernel(gpu.stream(), 1000, filling());
  const auto memset = gpu.memset(gpu.stream(), 100);
  const auto inside = gpu.copy(gpu.stream(), copy_route::device_to_device, 100);
  gpu.run();
  EXPECT_EQ(gpu.start(memset), gpu.end(kernel));
  EXPECT_EQ(gpu.start(inside), gpu.end(kernel));
  EXPECT_EQ(gpu.reason(memset).kind, trace::constraint_kind::no_room);
}

TEST(ScheduleEngines, AKernelWaitsForAMemsetThatFillsTheDevice) {
  bench gpu;
  const auto memset = gpu.memset(gpu.stream(), 4 * 8192);
  const auto kernel = gpu.kernel(gpu.stream(), 10);
  gpu.run();
  EXPECT_EQ(gpu.end(memset), 4 * 8192);
  EXPECT_EQ(gpu.start(kernel), gpu.end(memset));
}

TEST(ScheduleEngines, TheLatencyOfAMemsetBehindAKernelIsItsOnlyGap) {
  profile model = tiny_gpu();
  model.kernel_gap = 20;
  model.memset_latency = 30;
  bench gpu(model);
  const auto stream = gpu.stream();
  const auto kernel = gpu.kernel(stream, 100);
  const auto memset = gpu.memset(stream, 100);
  gpu.run();
  EXPECT_EQ(gpu.end(memset) - gpu.end(kernel), 30 + 100);
}

profile with_pushed_copies() {
  profile model = tiny_gpu();
  model.pushed_copy = 10;
  model.pushed_copy_time = 5;
  model.inline_copy = 50;
  return model;
}

TEST(ScheduleEngines, ASmallCopyOnAnIdleStreamPassesABusyCopyEngine) {
  bench gpu(with_pushed_copies());
  gpu.copy_in(gpu.stream(), 1000);
  const auto small = gpu.copy_in(gpu.stream(), 50);
  const auto large = gpu.copy_in(gpu.stream(), 51);
  gpu.run();
  EXPECT_EQ(gpu.end(small), 5);
  EXPECT_EQ(gpu.start(large), 1000);
}

TEST(ScheduleEngines, BehindOtherWorkOfItsStreamOnlyATinyCopyNeedsNoCopyEngine) {
  profile model = with_pushed_copies();
  model.engine_handover = 20;
  model.kernel_gap = 3;
  bench gpu(model);
  const auto one = gpu.stream(), two = gpu.stream();
  const auto kernel = gpu.kernel(one, 100);
  const auto tiny = gpu.copy_in(one, 10);
  gpu.kernel(two, 100);
  const auto small = gpu.copy_in(two, 11);
  gpu.run();
  EXPECT_EQ(gpu.start(tiny), gpu.end(kernel) + 3);
  EXPECT_EQ(gpu.start(small), gpu.end(kernel) + 20);
}

TEST(ScheduleEngines, ASmallCopyNeedsACopyEngineUntilTheHostKnowsThatItsStreamIsIdle) {
  profile model = with_pushed_copies();
  model.synchronize_return = 20;
  bench gpu(model);
  const auto known = gpu.stream(), unknown = gpu.stream();
  gpu.kernel(known, 100);
  gpu.kernel(unknown, 101);
  gpu.kernel(gpu.stream(), 120);
  gpu.run();
  gpu.copy_in(gpu.stream(), 1000);
  const auto pushed = gpu.copy_in(known, 50);
  const auto behind = gpu.copy_in(unknown, 50);
  gpu.run();
  EXPECT_EQ(gpu.end(pushed), 120 + 5);
  EXPECT_EQ(gpu.end(behind), 120 + 1000 + 50);
}

profile with_stamps_that_take_turns() {
  profile model = tiny_gpu();
  model.stamps_take_turns = true;
  return model;
}

TEST(ScheduleEngines, ATimeStampBehindACopyHasItsTurnAtTheEngineOfThatCopy) {
  bench gpu(with_stamps_that_take_turns());
  const auto out = gpu.stream(), in = gpu.stream();
  gpu.copy_out(out, 10);
  gpu.copy_in(in, 10);
  gpu.issue_at(20);
  const auto busy = gpu.copy_out(gpu.stream(), 1000);
  const auto stamp = gpu.record(out);
  const auto without_timing = gpu.record(out, false);
  const auto other_direction = gpu.record(in);
  const auto of_no_copy = gpu.record(gpu.stream());
  gpu.run();
  EXPECT_EQ(gpu.end(stamp), gpu.end(busy));
  EXPECT_EQ(gpu.reason(stamp).kind, trace::constraint_kind::engine_busy);
  EXPECT_EQ(gpu.reason(stamp).operation, busy);
  EXPECT_EQ(gpu.end(without_timing), gpu.end(stamp));  // behind it in its stream
  EXPECT_EQ(gpu.end(other_direction), 20);
  EXPECT_EQ(gpu.end(of_no_copy), 20);
}

TEST(ScheduleEngines, ATimeStampRightBehindItsCopyComesBeforeTheCopiesOfOthers) {
  bench gpu(with_stamps_that_take_turns());
  const auto one = gpu.stream();
  const auto copy = gpu.copy_out(one, 100);
  const auto stamp = gpu.record(one);
  const auto other = gpu.copy_out(gpu.stream(), 1000);
  gpu.run();
  EXPECT_EQ(gpu.end(stamp), gpu.end(copy));
  EXPECT_EQ(gpu.start(other), gpu.end(copy));
}

TEST(ScheduleEngines, ATimeStampIsNotOvertakenByACopyIssuedAfterIt) {
  profile model = with_stamps_that_take_turns();
  model.launch_latency = 30;
  model.copy_issue_latency = 10;
  bench gpu(model);
  const auto one = gpu.stream();
  gpu.copy_out(one, 10);
  gpu.run();
  gpu.issue_at(100);
  const auto stamp = gpu.record(one);
  gpu.issue_at(101);
  gpu.copy_out(gpu.stream(), 1000);
  gpu.run();
  EXPECT_EQ(gpu.end(stamp), 100 + 30);
}

TEST(ScheduleEngines, AnEventWithoutTimingWaitsForNoEngine) {
  bench gpu(with_stamps_that_take_turns());
  const auto one = gpu.stream();
  gpu.copy_out(one, 10);
  gpu.issue_at(20);
  gpu.copy_out(gpu.stream(), 1000);
  const auto record = gpu.record(one, false);
  gpu.run();
  EXPECT_EQ(gpu.end(record), 20);
}

TEST(ScheduleEngines, LaunchesOfSeveralStreamsTakeTurns) {
  profile model = tiny_gpu();
  model.launch_interval = 7;
  bench gpu(model);
  const auto first = gpu.kernel(gpu.stream(), 100), second = gpu.kernel(gpu.stream(), 100);
  const auto third = gpu.memset(gpu.stream(), 100);
  gpu.run();
  EXPECT_EQ(gpu.start(first), 0);
  EXPECT_EQ(gpu.start(second), 7);
  EXPECT_EQ(gpu.reason(second).kind, trace::constraint_kind::host_issue);
  EXPECT_EQ(gpu.start(third), 14);
}

/// Kernels of 100, one after another in each of the streams.
void launch_rows(bench& gpu, int streams, int kernels) {
  std::vector<trace::stream_id> ids;
  for (int i = 0; i < streams; ++i) ids.push_back(gpu.stream());
  for (int i = 0; i < streams * kernels; ++i) gpu.kernel(ids[static_cast<std::size_t>(i % streams)], 100);
  gpu.run();
}

profile with_two_queues_at_hand() {
  profile model = tiny_gpu();
  model.queues_at_hand = 2;
  model.queue_load = 7;
  return model;
}

TEST(ScheduleEngines, LaunchesFromAsManyQueuesAsAreAtHandWaitForNone) {
  bench gpu(with_two_queues_at_hand());
  launch_rows(gpu, 2, 3);
  EXPECT_EQ(gpu.end(6), 300);
}

TEST(ScheduleEngines, WithMoreQueuesALaunchWaitsUntilItsQueueIsAtHand) {
  bench gpu(with_two_queues_at_hand());
  launch_rows(gpu, 3, 1);
  EXPECT_EQ(gpu.start(2), 0);
  EXPECT_EQ(gpu.start(3), 7);
}

TEST(ScheduleEngines, ATimeStampBehindAKernelTakesATurnToo) {
  profile model = tiny_gpu();
  model.launch_interval = 1;
  model.event_record = 10;
  bench gpu(model);
  const auto one = gpu.stream();
  gpu.kernel(one, 100);
  gpu.record(one);
  const auto other = gpu.stream();
  gpu.issue_at(101);
  const auto kernel = gpu.kernel(other, 50);
  gpu.run();
  EXPECT_EQ(gpu.start(kernel), 110);
}

TEST(ScheduleEngines, AStreamHandsOverToAnotherEngineWhileItWaitsForAnEvent) {
  profile model = tiny_gpu();
  model.engine_handover = 50;
  model.kernel_gap = 10;
  model.event_wait = 15;
  bench gpu(model);
  const auto stream = gpu.stream(), other = gpu.stream();
  gpu.copy_in(stream, 20);
  const auto kernel = gpu.kernel(other, 200);
  gpu.wait(stream, gpu.record(other, false));
  const auto behind = gpu.kernel(stream, 10);
  gpu.run();
  EXPECT_EQ(gpu.start(behind), gpu.end(kernel) + 15);
}

}  // namespace
}  // namespace device

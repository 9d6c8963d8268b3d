// Copies and memsets: engines, the shared host link, queues, pageable memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "device/bench.h"
#include "device/migration.h"
#include "device/schedule.h"

namespace device {
namespace {

using trace::constraint_kind;

profile with_slowdown(double slowdown) {
  profile gpu = tiny_gpu();
  gpu.duplex_slowdown = slowdown;
  return gpu;
}

TEST(ScheduleCopies, CopiesOfOneDirectionTakeTurns) {
  bench gpu;
  const auto first = gpu.copy_in(gpu.stream(), 100);
  const auto second = gpu.copy_in(gpu.stream(), 100);
  gpu.run();
  EXPECT_EQ(gpu.end(first), 100);
  EXPECT_EQ(gpu.start(second), 100);
  EXPECT_EQ(gpu.end(second), 200);
  EXPECT_EQ(gpu.reason(second).kind, constraint_kind::engine_busy);
  EXPECT_EQ(gpu.reason(second).operation, first);
  EXPECT_EQ(gpu.reason(second).until.count(), 100);
}

TEST(ScheduleCopies, CopiesOfBothDirectionsAndInsideTheDeviceRunTogether) {
  bench gpu;
  const auto copy_in = gpu.copy_in(gpu.stream(), 100);
  const auto out = gpu.copy_out(gpu.stream(), 100);
  const auto inside = gpu.copy(gpu.stream(), copy_route::device_to_device, 100);
  const auto kernel = gpu.kernel(gpu.stream(), 100);
  gpu.run();
  for (const auto id : {copy_in, out, inside, kernel}) {
    EXPECT_EQ(gpu.start(id), 0);
    EXPECT_EQ(gpu.end(id), 100);
  }
}

TEST(ScheduleCopies, APrefetchHasItsTurnAmongTheCopiesOfItsDirection) {
  profile model = tiny_gpu();
  model.prefetched_page_to_device = 7;
  bench gpu(model);
  const auto copy = gpu.copy_in(gpu.stream(), 100);
  const auto prefetch = gpu.prefetch(gpu.stream(), copy_route::host_to_device, managed_page_bytes + 1);
  const auto back = gpu.prefetch(gpu.stream(), copy_route::device_to_host, 100);
  gpu.run();
  EXPECT_EQ(gpu.start(prefetch), gpu.end(copy));
  EXPECT_EQ(gpu.reason(prefetch).operation, copy);
  EXPECT_EQ(gpu.end(prefetch) - gpu.start(prefetch), managed_page_bytes + 1 + 2 * 7);
  EXPECT_EQ(gpu.start(back), 0);
}

TEST(ScheduleCopies, APrefetchAndACopyTheOtherWaySlowEachOtherDown) {
  bench gpu(with_slowdown(1.5));
  const auto prefetch = gpu.prefetch(gpu.stream(), copy_route::host_to_device, 100);
  const auto copy = gpu.copy_out(gpu.stream(), 100);
  gpu.run();
  EXPECT_EQ(gpu.end(prefetch), 150);
  EXPECT_EQ(gpu.end(copy), 150);
}

TEST(ScheduleCopies, APrefetchOfNothingTakesNoTime) {
  profile model = tiny_gpu();
  model.h2d_latency = 50;
  bench gpu(model);
  const auto prefetch = gpu.prefetch(gpu.stream(), copy_route::host_to_device, 0);
  gpu.run();
  EXPECT_EQ(gpu.end(prefetch), gpu.start(prefetch));
}

TEST(ScheduleCopies, CopiesToAnotherDeviceHaveAnEngineAndALinkOfTheirOwn) {
  bench gpu;
  const auto direct = gpu.copy(gpu.stream(), copy_route::peer, 100);
  const auto staged = gpu.copy(gpu.stream(), copy_route::peer_staged, 100);
  const auto out = gpu.copy_out(gpu.stream(), 100);
  gpu.run();
  EXPECT_EQ(gpu.end(direct), 50);
  EXPECT_EQ(gpu.start(staged), 50);
  EXPECT_EQ(gpu.end(staged), 250);
  EXPECT_EQ(gpu.end(out), 100);
}

profile gpu_of_two() {
  profile model = tiny_gpu();
  model.device_handover = 10;
  return model;
}

trace::stream_id stream_on(bench& gpus, std::uint32_t device) {
  return gpus.stream(trace::stream_blocking::non_blocking, 0, trace::stream_kind::created, device);
}

TEST(ScheduleCopies, TheSourcesDeviceMakesACopyWhicheverDeviceIssuesIt) {
  bench gpus({gpu_of_two(), gpu_of_two()});
  const auto pushed = gpus.copy_between(stream_on(gpus, 0), 0, 100);
  const auto pulled = gpus.copy_between(stream_on(gpus, 1), 0, 100);
  const auto other_way = gpus.copy_between(stream_on(gpus, 1), 1, 100);
  gpus.run();
  EXPECT_EQ(gpus.end(pushed), 50);
  EXPECT_EQ(gpus.start(pulled), 50);
  EXPECT_EQ(gpus.reason(pulled).kind, constraint_kind::engine_busy);
  EXPECT_EQ(gpus.reason(pulled).operation, pushed);
  EXPECT_EQ(gpus.end(other_way), 50);
}

TEST(ScheduleCopies, ACopyThatTheDestinationsDeviceIssuesIsToldToTheSourceAndBack) {
  bench gpus({gpu_of_two(), gpu_of_two()});
  const auto stream = stream_on(gpus, 1);
  const auto before = gpus.kernel(stream, 100);
  const auto pulled = gpus.copy_between(stream, 0, 100);
  const auto behind = gpus.kernel(stream, 100);
  gpus.run();
  EXPECT_EQ(gpus.start(pulled), gpus.end(before) + 10);
  EXPECT_EQ(gpus.end(pulled), gpus.start(pulled) + 50);
  EXPECT_EQ(gpus.start(behind), gpus.end(pulled) + 10);
}

TEST(ScheduleCopies, WhatADeviceWantsFromAnotherComesInTheOrderOfIssue) {
  bench gpus({gpu_of_two(), gpu_of_two()});
  const auto busy = stream_on(gpus, 1);
  gpus.kernel(busy, 100);
  const auto first = gpus.copy_between(busy, 0, 100);
  const auto second = gpus.copy_between(stream_on(gpus, 1), 0, 100);
  const auto own = gpus.copy_between(stream_on(gpus, 0), 0, 100);
  gpus.run();
  EXPECT_EQ(gpus.start(own), 0);
  EXPECT_EQ(gpus.start(first), 110);
  EXPECT_EQ(gpus.start(second), 160);
}

TEST(ScheduleCopies, AnEventOfAnotherDeviceComesLater) {
  bench gpus({gpu_of_two(), gpu_of_two()});
  const auto stream = stream_on(gpus, 0);
  const auto before = gpus.kernel(stream, 100);
  const auto record = gpus.record(stream, false);
  const auto here = stream_on(gpus, 0), there = stream_on(gpus, 1);
  gpus.wait(here, record);
  gpus.wait(there, record);
  const auto behind_here = gpus.kernel(here, 10), behind_there = gpus.kernel(there, 10);
  gpus.run();
  EXPECT_EQ(gpus.start(behind_here), gpus.end(before));
  EXPECT_EQ(gpus.start(behind_there), gpus.end(before) + 10);
}

TEST(ScheduleCopies, WithOneCopyEngineBothDirectionsTakeTurns) {
  profile model = tiny_gpu();
  model.copy_engines = 1;
  model.duplex_slowdown = 2;
  bench gpu(model);
  const auto copy_in = gpu.copy_in(gpu.stream(), 100);
  const auto out = gpu.copy_out(gpu.stream(), 100);
  gpu.run();
  EXPECT_EQ(gpu.end(copy_in), 100);
  EXPECT_EQ(gpu.start(out), 100);
  EXPECT_EQ(gpu.end(out), 200);
  EXPECT_EQ(gpu.reason(out).kind, constraint_kind::engine_busy);
}

TEST(ScheduleCopies, BothDirectionsSlowEachOtherDown) {
  bench gpu(with_slowdown(1.5));
  const auto copy_in = gpu.copy_in(gpu.stream(), 100);
  const auto out = gpu.copy_out(gpu.stream(), 100);
  gpu.run();
  EXPECT_EQ(gpu.end(copy_in), 150);
  EXPECT_EQ(gpu.end(out), 150);
}

TEST(ScheduleCopies, ACopyIsFasterAgainWhenTheOtherDirectionHasEnded) {
  bench gpu(with_slowdown(1.5));
  const auto copy_in = gpu.copy_in(gpu.stream(), 100);
  const auto out = gpu.copy_out(gpu.stream(), 60);
  gpu.run();
  EXPECT_EQ(gpu.end(out), 90);       // 60 bytes at 2/3
  EXPECT_EQ(gpu.end(copy_in), 130);  // 60 bytes until then, and 40 undisturbed
}

TEST(ScheduleCopies, ACopyIsSlowerFromTheMomentTheOtherDirectionBegins) {
  bench gpu(with_slowdown(1.5));
  const auto copy_in = gpu.copy_in(gpu.stream(), 100);
  gpu.issue_at(50);
  const auto out = gpu.copy_out(gpu.stream(), 100);
  gpu.run();
  EXPECT_EQ(gpu.end(copy_in), 125);  // 50 undisturbed, 50 at 2/3
  EXPECT_EQ(gpu.end(out), 175);      // 50 bytes until 125, and 50 undisturbed
}

TEST(ScheduleCopies, TheLatencyOfACopyDisturbsNobody) {
  profile model = with_slowdown(2);
  model.h2d_latency = 100;
  bench gpu(model);
  const auto copy_in = gpu.copy_in(gpu.stream(), 50);
  const auto out = gpu.copy_out(gpu.stream(), 100);
  gpu.run();
  EXPECT_EQ(gpu.end(out), 100);
  EXPECT_EQ(gpu.start(copy_in), 0);
  EXPECT_EQ(gpu.end(copy_in), 150);
}

TEST(ScheduleCopies, ACopyBehindOneThatCannotStartWaitsInTheirSharedQueue) {
  profile model = tiny_gpu();
  model.copy_queues = 1;
  bench gpu(model);
  const auto one = gpu.stream();
  gpu.kernel(one, 100);
  const auto blocked = gpu.copy_in(one, 10);
  const auto behind = gpu.copy_in(gpu.stream(), 10);
  gpu.run();
  EXPECT_EQ(gpu.start(blocked), 100);
  EXPECT_EQ(gpu.start(behind), 110);
}

TEST(ScheduleCopies, WithEnoughQueuesACopyOvertakesOneThatCannotStart) {
  bench gpu;
  const auto one = gpu.stream();
  gpu.kernel(one, 100);
  const auto blocked = gpu.copy_in(one, 10);
  const auto free = gpu.copy_in(gpu.stream(), 10);
  gpu.run();
  EXPECT_EQ(gpu.start(free), 0);
  EXPECT_EQ(gpu.start(blocked), 100);
}

TEST(ScheduleCopies, AnEngineTakesTheCopyThatWasReadyFirst) {
  bench gpu;
  const auto one = gpu.stream();
  const auto other = gpu.stream();
  gpu.copy_in(gpu.stream(), 100);
  gpu.kernel(one, 20);
  const auto issued_first = gpu.copy_in(one, 10);
  gpu.kernel(other, 10);
  const auto ready_first = gpu.copy_in(other, 10);
  gpu.run();
  EXPECT_EQ(gpu.start(ready_first), 100);
  EXPECT_EQ(gpu.start(issued_first), 110);
}

TEST(ScheduleCopies, AMemsetTakesItsLatencyAndItsBytes) {
  profile model = tiny_gpu();
  model.memset_latency = 7;
  model.memset_bandwidth = 2;
  bench gpu(model);
  const auto memset = gpu.memset(gpu.stream(), 100);
  gpu.run();
  EXPECT_EQ(gpu.end(memset), 57);
}

TEST(ScheduleCopies, APageableCopyIsAsSlowAsTheHostStagesIt) {
  bench gpu;
  const auto copy = gpu.pageable_copy_in(gpu.stream(), 100, 0);
  gpu.run();
  EXPECT_EQ(gpu.end(copy), 200);
}

TEST(ScheduleCopies, AStagedCopyLetsTheHostGoWhenTheLastByteIsStaged) {
  bench gpu;
  const auto copy = gpu.pageable_copy_in(gpu.stream(), 300, 200);
  gpu.advance_to(399);
  EXPECT_FALSE(gpu.schedule().is_staged(copy));
  gpu.advance_to(400);  // 200 bytes at half a byte a nanosecond
  EXPECT_TRUE(gpu.schedule().is_staged(copy));
  EXPECT_FALSE(gpu.schedule().is_complete(copy));
  gpu.run();
  EXPECT_EQ(gpu.end(copy), 450);  // and the last half buffer crosses the link
}

TEST(ScheduleCopies, TheHostCopiesOnWhatHasCrossedTheLink) {
  bench gpu;
  const auto copy = gpu.pageable_copy_out(gpu.stream(), 300);
  gpu.run();
  EXPECT_EQ(gpu.end(copy), 650);  // the first half buffer crosses the link, then half a byte a nanosecond
}

TEST(ScheduleCopies, ACopyThatIsCompleteIsStaged) {
  bench gpu;
  const auto copy = gpu.copy_in(gpu.stream(), 10);
  EXPECT_FALSE(gpu.schedule().is_staged(copy));
  gpu.run();
  EXPECT_TRUE(gpu.schedule().is_staged(copy));
}

TEST(ScheduleCopies, StressMakesCopiesLongerAndLeavesKernelsAlone) {
  profile model = tiny_gpu();
  model.h2d_latency = 2;
  bench gpu(model, {.copies = 10, .kernels = 1});
  const auto copy = gpu.copy_in(gpu.stream(), 100);
  const auto inside = gpu.copy(gpu.stream(), copy_route::device_to_device, 100);
  const auto memset = gpu.memset(gpu.stream(), 100);
  const auto kernel = gpu.kernel(gpu.stream(), 100);
  gpu.run();
  EXPECT_EQ(gpu.end(copy), 1020);
  EXPECT_EQ(gpu.end(inside), 1000);
  EXPECT_EQ(gpu.end(memset) - gpu.start(memset), 1000);
  EXPECT_EQ(gpu.end(kernel), 100);
}

}  // namespace
}  // namespace device

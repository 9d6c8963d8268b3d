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
  bench on;
  const auto first = on.copy_in(on.stream(), 100);
  const auto second = on.copy_in(on.stream(), 100);
  on.run();
  EXPECT_EQ(on.end(first), 100);
  EXPECT_EQ(on.start(second), 100);
  EXPECT_EQ(on.end(second), 200);
  EXPECT_EQ(on.reason(second).kind, constraint_kind::engine_busy);
  EXPECT_EQ(on.reason(second).operation, first);
  EXPECT_EQ(on.reason(second).until.count(), 100);
}

TEST(ScheduleCopies, CopiesOfBothDirectionsAndInsideTheDeviceRunTogether) {
  bench on;
  const auto in = on.copy_in(on.stream(), 100);
  const auto out = on.copy_out(on.stream(), 100);
  const auto inside = on.copy(on.stream(), copy_route::device_to_device, 100);
  const auto kernel = on.kernel(on.stream(), 100);
  on.run();
  for (const auto each : {in, out, inside, kernel}) {
    EXPECT_EQ(on.start(each), 0);
    EXPECT_EQ(on.end(each), 100);
  }
}

TEST(ScheduleCopies, APrefetchHasItsTurnAmongTheCopiesOfItsDirection) {
  profile gpu = tiny_gpu();
  gpu.prefetched_page_to_device = 7;
  bench on(gpu);
  const auto copy = on.copy_in(on.stream(), 100);
  const auto prefetch = on.prefetch(on.stream(), copy_route::host_to_device, managed_page_bytes + 1);
  const auto back = on.prefetch(on.stream(), copy_route::device_to_host, 100);
  on.run();
  EXPECT_EQ(on.start(prefetch), on.end(copy));
  EXPECT_EQ(on.reason(prefetch).operation, copy);
  EXPECT_EQ(on.end(prefetch) - on.start(prefetch), managed_page_bytes + 1 + 2 * 7);
  EXPECT_EQ(on.start(back), 0);
}

TEST(ScheduleCopies, APrefetchAndACopyTheOtherWaySlowEachOtherDown) {
  bench on(with_slowdown(1.5));
  const auto prefetch = on.prefetch(on.stream(), copy_route::host_to_device, 100);
  const auto copy = on.copy_out(on.stream(), 100);
  on.run();
  EXPECT_EQ(on.end(prefetch), 150);
  EXPECT_EQ(on.end(copy), 150);
}

TEST(ScheduleCopies, APrefetchOfNothingTakesNoTime) {
  profile gpu = tiny_gpu();
  gpu.h2d_latency = 50;
  bench on(gpu);
  const auto prefetch = on.prefetch(on.stream(), copy_route::host_to_device, 0);
  on.run();
  EXPECT_EQ(on.end(prefetch), on.start(prefetch));
}

TEST(ScheduleCopies, CopiesToAnotherDeviceHaveAnEngineAndALinkOfTheirOwn) {
  bench on;
  const auto direct = on.copy(on.stream(), copy_route::peer, 100);
  const auto staged = on.copy(on.stream(), copy_route::peer_staged, 100);
  const auto out = on.copy_out(on.stream(), 100);
  on.run();
  EXPECT_EQ(on.end(direct), 50);
  EXPECT_EQ(on.start(staged), 50);
  EXPECT_EQ(on.end(staged), 250);
  EXPECT_EQ(on.end(out), 100);
}

TEST(ScheduleCopies, WithOneCopyEngineBothDirectionsTakeTurns) {
  profile gpu = tiny_gpu();
  gpu.copy_engines = 1;
  gpu.duplex_slowdown = 2;
  bench on(gpu);
  const auto in = on.copy_in(on.stream(), 100);
  const auto out = on.copy_out(on.stream(), 100);
  on.run();
  EXPECT_EQ(on.end(in), 100);
  EXPECT_EQ(on.start(out), 100);
  EXPECT_EQ(on.end(out), 200);
  EXPECT_EQ(on.reason(out).kind, constraint_kind::engine_busy);
}

TEST(ScheduleCopies, BothDirectionsSlowEachOtherDown) {
  bench on(with_slowdown(1.5));
  const auto in = on.copy_in(on.stream(), 100);
  const auto out = on.copy_out(on.stream(), 100);
  on.run();
  EXPECT_EQ(on.end(in), 150);
  EXPECT_EQ(on.end(out), 150);
}

TEST(ScheduleCopies, ACopyIsFasterAgainWhenTheOtherDirectionHasEnded) {
  bench on(with_slowdown(1.5));
  const auto in = on.copy_in(on.stream(), 100);
  const auto out = on.copy_out(on.stream(), 60);
  on.run();
  EXPECT_EQ(on.end(out), 90);  // 60 bytes at 2/3
  EXPECT_EQ(on.end(in), 130);  // 60 bytes until then, and 40 undisturbed
}

TEST(ScheduleCopies, ACopyIsSlowerFromTheMomentTheOtherDirectionBegins) {
  bench on(with_slowdown(1.5));
  const auto in = on.copy_in(on.stream(), 100);
  on.at(50);
  const auto out = on.copy_out(on.stream(), 100);
  on.run();
  EXPECT_EQ(on.end(in), 125);   // 50 undisturbed, 50 at 2/3
  EXPECT_EQ(on.end(out), 175);  // 50 bytes until 125, and 50 undisturbed
}

TEST(ScheduleCopies, TheLatencyOfACopyDisturbsNobody) {
  profile gpu = with_slowdown(2);
  gpu.h2d_latency = 100;
  bench on(gpu);
  const auto in = on.copy_in(on.stream(), 50);
  const auto out = on.copy_out(on.stream(), 100);
  on.run();
  EXPECT_EQ(on.end(out), 100);
  EXPECT_EQ(on.start(in), 0);
  EXPECT_EQ(on.end(in), 150);
}

TEST(ScheduleCopies, ACopyBehindOneThatCannotStartWaitsInTheirSharedQueue) {
  profile gpu = tiny_gpu();
  gpu.copy_queues = 1;
  bench on(gpu);
  const auto one = on.stream();
  on.kernel(one, 100);
  const auto blocked = on.copy_in(one, 10);
  const auto behind = on.copy_in(on.stream(), 10);
  on.run();
  EXPECT_EQ(on.start(blocked), 100);
  EXPECT_EQ(on.start(behind), 110);
}

TEST(ScheduleCopies, WithEnoughQueuesACopyOvertakesOneThatCannotStart) {
  bench on;
  const auto one = on.stream();
  on.kernel(one, 100);
  const auto blocked = on.copy_in(one, 10);
  const auto free = on.copy_in(on.stream(), 10);
  on.run();
  EXPECT_EQ(on.start(free), 0);
  EXPECT_EQ(on.start(blocked), 100);
}

TEST(ScheduleCopies, AnEngineTakesTheCopyThatWasReadyFirst) {
  bench on;
  const auto one = on.stream();
  const auto other = on.stream();
  on.copy_in(on.stream(), 100);
  on.kernel(one, 20);
  const auto issued_first = on.copy_in(one, 10);
  on.kernel(other, 10);
  const auto ready_first = on.copy_in(other, 10);
  on.run();
  EXPECT_EQ(on.start(ready_first), 100);
  EXPECT_EQ(on.start(issued_first), 110);
}

TEST(ScheduleCopies, AMemsetTakesItsLatencyAndItsBytes) {
  profile gpu = tiny_gpu();
  gpu.memset_latency = 7;
  gpu.memset_bandwidth = 2;
  bench on(gpu);
  const auto memset = on.memset(on.stream(), 100);
  on.run();
  EXPECT_EQ(on.end(memset), 57);
}

TEST(ScheduleCopies, APageableCopyIsAsSlowAsTheHostStagesIt) {
  bench on;
  const auto copy = on.pageable_copy_in(on.stream(), 100, 0);
  on.run();
  EXPECT_EQ(on.end(copy), 200);
}

TEST(ScheduleCopies, AStagedCopyLetsTheHostGoWhenTheLastByteIsStaged) {
  bench on;
  const auto copy = on.pageable_copy_in(on.stream(), 300, 200);
  on.advance_to(399);
  EXPECT_FALSE(on.schedule().is_staged(copy));
  on.advance_to(400);  // 200 bytes at half a byte a nanosecond
  EXPECT_TRUE(on.schedule().is_staged(copy));
  EXPECT_FALSE(on.schedule().is_complete(copy));
  on.run();
  EXPECT_EQ(on.end(copy), 450);  // and the last half buffer crosses the link
}

TEST(ScheduleCopies, TheHostCopiesOnWhatHasCrossedTheLink) {
  bench on;
  const auto copy = on.pageable_copy_out(on.stream(), 300);
  on.run();
  EXPECT_EQ(on.end(copy), 650);  // the first half buffer crosses the link, then half a byte a nanosecond
}

TEST(ScheduleCopies, ACopyThatIsCompleteIsStaged) {
  bench on;
  const auto copy = on.copy_in(on.stream(), 10);
  EXPECT_FALSE(on.schedule().is_staged(copy));
  on.run();
  EXPECT_TRUE(on.schedule().is_staged(copy));
}

TEST(ScheduleCopies, StressMakesCopiesLongerAndLeavesKernelsAlone) {
  profile gpu = tiny_gpu();
  gpu.h2d_latency = 2;
  bench on(gpu, {.copies = 10, .kernels = 1});
  const auto copy = on.copy_in(on.stream(), 100);
  const auto inside = on.copy(on.stream(), copy_route::device_to_device, 100);
  const auto memset = on.memset(on.stream(), 100);
  const auto kernel = on.kernel(on.stream(), 100);
  on.run();
  EXPECT_EQ(on.end(copy), 1020);
  EXPECT_EQ(on.end(inside), 1000);
  EXPECT_EQ(on.end(memset) - on.start(memset), 1000);
  EXPECT_EQ(on.end(kernel), 100);
}

}  // namespace
}  // namespace device

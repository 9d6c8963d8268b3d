// What makes issue order matter on old GPUs: one compute queue with withheld signals, one copy engine, no
// concurrent kernels, implicit synchronization; and the bounds of the queues.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "device/bench.h"

namespace device {
namespace {

using trace::constraint_kind;
using trace::operation_id;
using trace::stream_id;

/// As Fermi: one queue for kernels that run concurrently, signals withheld, one queue each way for copies.
profile fermi() {
  profile gpu = tiny_gpu();
  gpu.work_queues = 1;
  gpu.work_queues_most = 1;
  gpu.copy_queues = 1;
  gpu.withholds_signals = 1;
  return gpu;
}

/// As GT200: one queue for kernels that run one at a time, one engine with one queue for copies of both directions.
profile tesla() {
  profile gpu = tiny_gpu();
  gpu.work_queues = 1;
  gpu.work_queues_most = 1;
  gpu.resident_grids = 1;
  gpu.copy_engines = 1;
  gpu.copy_queues = 1;
  return gpu;
}

constexpr kernel_shape whole_gpu{.blocks = 2, .threads_per_block = 64};

TEST(OldGpus, FermiHoldsBackACopyUntilTheLastOfTheKernelsInARowEnds) {
  bench on(fermi());
  const stream_id first = on.stream();
  const stream_id second = on.stream();
  const operation_id kernel = on.kernel(first, 100, whole_gpu);
  const operation_id last = on.kernel(second, 100, whole_gpu);
  const operation_id out = on.copy_out(first, 10);
  on.run();
  EXPECT_EQ(on.end(kernel), 100);
  EXPECT_EQ(on.end(last), 200);
  EXPECT_EQ(on.start(out), 200);
  const trace::constraint withheld{constraint_kind::withheld_signal, last, 0, nanoseconds(200)};
  const trace::constraint ended{constraint_kind::stream_order, kernel, 0, nanoseconds(100)};
  EXPECT_EQ(on.reasons(out).at(0), withheld);
  EXPECT_EQ(on.reasons(out).at(1), ended);
}

TEST(OldGpus, ACopyIssuedBetweenTwoKernelsEndsTheirRow) {
  bench on(fermi());
  const stream_id first = on.stream();
  const operation_id kernel = on.kernel(first, 100, whole_gpu);
  const operation_id out = on.copy_out(first, 10);
  on.kernel(on.stream(), 100, whole_gpu);
  on.run();
  EXPECT_EQ(on.start(out), on.end(kernel));
}

TEST(OldGpus, GpusAfterFermiSignalEachKernel) {
  profile gpu = fermi();
  gpu.withholds_signals = 0;
  bench on(gpu);
  const stream_id first = on.stream();
  const operation_id kernel = on.kernel(first, 100, whole_gpu);
  on.kernel(on.stream(), 100, whole_gpu);
  const operation_id out = on.copy_out(first, 10);
  on.run();
  EXPECT_EQ(on.start(out), on.end(kernel));
}

TEST(OldGpus, KernelsInARowOfOneStreamFollowEachOtherWithoutASignal) {
  bench on(fermi());
  const stream_id first = on.stream();
  const operation_id one = on.kernel(first, 100, whole_gpu);
  const operation_id two = on.kernel(first, 50, whole_gpu);
  const operation_id out = on.copy_out(first, 10);
  on.run();
  EXPECT_EQ(on.start(two), on.end(one));
  EXPECT_EQ(on.start(out), 150);
}

TEST(OldGpus, AKernelIssuedWhenTheSignalIsWithheldNeedNotWaitForIt) {
  bench on(fermi());
  const stream_id first = on.stream();
  on.kernel(first, 10);
  const operation_id last = on.kernel(on.stream(), 100);
  on.advance_to(50);
  on.at(50);
  const operation_id behind = on.kernel(first, 10);
  on.run();
  EXPECT_EQ(on.start(behind), 50);
  EXPECT_EQ(on.end(last), 100);
}

TEST(OldGpus, AKernelOfALaterRowNeedNotWaitForItsOwnRowEither) {
  bench on(fermi());
  const stream_id first = on.stream();
  on.copy_out(first, 10);  // ends the row before
  on.kernel(first, 10);
  on.kernel(on.stream(), 100);
  on.advance_to(50);
  on.at(50);
  const operation_id behind = on.kernel(first, 10);
  on.run();
  EXPECT_EQ(on.start(behind), 50);
}

TEST(OldGpus, AKernelWhoseSignalIsWithheldIsNotComplete) {
  bench on(fermi());
  const operation_id kernel = on.kernel(on.stream(), 10);
  const operation_id last = on.kernel(on.stream(), 100);
  on.advance_to(50);
  EXPECT_EQ(on.end(kernel), 10);
  EXPECT_FALSE(on.schedule().is_complete(kernel));
  on.advance_to(100);
  EXPECT_TRUE(on.schedule().is_complete(kernel));
  EXPECT_TRUE(on.schedule().is_complete(last));
}

TEST(OldGpus, AnEventBetweenKernelsInARowCannotLockThemUp) {
  bench on(fermi());
  const stream_id first = on.stream();
  const stream_id second = on.stream();
  const operation_id kernel = on.kernel(first, 100);
  on.wait(second, on.record(first));
  const operation_id behind = on.kernel(second, 10);
  on.run();
  EXPECT_EQ(on.start(behind), on.end(kernel));
}

TEST(OldGpus, OneCopyEngineServesBothDirectionsInOrderOfIssue) {
  bench on(tesla());
  const stream_id first = on.stream();
  on.kernel(first, 100);
  const operation_id out = on.copy_out(first, 10);
  const operation_id in = on.copy_in(on.stream(), 10);
  on.run();
  EXPECT_EQ(on.start(out), 100);
  EXPECT_EQ(on.start(in), 110);
  EXPECT_EQ(on.reason(in).kind, constraint_kind::engine_busy);
}

TEST(OldGpus, WithoutConcurrentKernelsOneWaitsForTheOther) {
  bench on(tesla());
  on.kernel(on.stream(), 100);
  const operation_id second = on.kernel(on.stream(), 10);
  on.run();
  EXPECT_EQ(on.start(second), 100);
}

/// Three chunks of three stages of 100 ns, every kernel as large as the GPU; the time until all have ended.
long long depth_first(const profile& gpu) {
  bench on(gpu);
  for (int i = 0; i < 3; ++i) {
    const stream_id in = on.stream();
    on.copy_in(in, 100);
    on.kernel(in, 100, whole_gpu);
    on.copy_out(in, 100);
  }
  on.run();
  return on.schedule().now().count();
}

long long breadth_first(const profile& gpu) {
  bench on(gpu);
  const std::vector<stream_id> streams{on.stream(), on.stream(), on.stream()};
  for (const stream_id each : streams) on.copy_in(each, 100);
  for (const stream_id each : streams) on.kernel(each, 100, whole_gpu);
  for (const stream_id each : streams) on.copy_out(each, 100);
  on.run();
  return on.schedule().now().count();
}

TEST(OldGpus, OnTeslaBreadthFirstWins) {
  EXPECT_EQ(depth_first(tesla()), 900);
  EXPECT_EQ(breadth_first(tesla()), 600);
}

TEST(OldGpus, OnFermiDepthFirstWins) {
  EXPECT_EQ(depth_first(fermi()), 500);
  EXPECT_EQ(breadth_first(fermi()), 700);
}

TEST(OldGpus, WithHyperQBothOrdersAreAlike) {
  EXPECT_EQ(depth_first(tiny_gpu()), 500);
  EXPECT_EQ(breadth_first(tiny_gpu()), 500);
}

TEST(OldGpus, AMemsetThereWaitsForAllStreamsAndAllForIt) {
  profile gpu = tiny_gpu();
  gpu.implicit_synchronization = 1;
  bench on(gpu);
  const operation_id before = on.kernel(on.stream(), 100);
  const operation_id cleared = on.memset(on.stream(), 10);
  const operation_id after = on.kernel(on.stream(), 10);
  on.run();
  EXPECT_EQ(on.start(cleared), 100);
  EXPECT_EQ(on.start(after), 110);
  EXPECT_EQ(on.reason(cleared).kind, constraint_kind::implicit_synchronization);
  EXPECT_EQ(on.reason(cleared).operation, before);
  EXPECT_EQ(on.reason(after).kind, constraint_kind::implicit_synchronization);
  EXPECT_EQ(on.reason(after).operation, cleared);
}

TEST(OldGpus, AMemsetOnLaterGpusHoldsUpNothing) {
  bench on;
  on.kernel(on.stream(), 100);
  const operation_id cleared = on.memset(on.stream(), 10);
  const operation_id after = on.kernel(on.stream(), 10);
  on.run();
  EXPECT_EQ(on.start(cleared), 0);
  EXPECT_EQ(on.start(after), 0);
}

/// The ends of kernels of ten cycles, in the order in which they end.
struct kernels {
  std::vector<long long> ends;
  schedule gpu;

  explicit kernels(profile which, std::uint32_t connections = 0)
      : gpu({std::move(which)},
            {.start = {},
             .finish = [this](operation_id id) { ends.push_back(gpu.times_of(id).end.count()); },
             .run_kernel =
                 [](operation_id) {
                   return kernel_work{{{0, 10}}, 0};
                 },
             .run_host_function = {}},
            {}, connections) {
    for (stream_id id = 1; id <= 3; ++id) {
      trace::stream added;
      added.id = id;
      added.blocking = trace::stream_blocking::non_blocking;
      gpu.add_stream(added);
    }
  }
  void launch(stream_id in) {
    request what;
    what.stream = in;
    gpu.enqueue(what);
  }
  void run() {
    while (gpu.step()) {
    }
  }
};

TEST(OldGpus, WhatIsHeldBackWaitsForAllThatWasEnqueued) {
  profile gpu = tiny_gpu();
  gpu.implicit_synchronization = 1;
  kernels on(gpu);
  on.launch(1);
  on.gpu.hold_back(0);
  on.launch(2);
  on.run();
  EXPECT_THAT(on.ends, ::testing::ElementsAre(10, 20));
}

TEST(Queues, ConnectionsAreTheNumberOfWorkQueues) {
  const auto time_of_three = [](std::uint32_t connections) {
    kernels on(tiny_gpu(), connections);
    on.launch(1);
    on.launch(1);
    on.launch(2);
    on.run();
    return on.ends;
  };
  // With one queue the kernel of stream 2 sits behind the second of stream 1.
  EXPECT_THAT(time_of_three(0), ::testing::ElementsAre(10, 10, 20));
  EXPECT_THAT(time_of_three(1), ::testing::ElementsAre(10, 20, 20));
}

TEST(Queues, NoMoreConnectionsThanTheGpuHasAreUsed) {
  kernels on(fermi(), 32);
  on.launch(1);
  on.launch(1);
  on.launch(2);
  on.run();
  EXPECT_THAT(on.ends, ::testing::ElementsAre(10, 20, 20));
}

TEST(Queues, LaunchesArePendingUntilTheirKernelEnds) {
  kernels on(tiny_gpu());
  on.launch(1);
  on.launch(1);
  on.launch(2);
  EXPECT_EQ(on.gpu.pending_launches(0), 3u);
  on.gpu.advance_to(nanoseconds(10));
  EXPECT_EQ(on.gpu.pending_launches(0), 1u);
  on.run();
  EXPECT_EQ(on.gpu.pending_launches(0), 0u);
}

}  // namespace
}  // namespace device

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
  gpu.max_work_queues = 1;
  gpu.copy_queues = 1;
  gpu.withholds_signals = true;
  return gpu;
}

/// As GT200: one queue for kernels that run one at a time, one engine with one queue for copies of both directions.
profile tesla() {
  profile gpu = tiny_gpu();
  gpu.work_queues = 1;
  gpu.max_work_queues = 1;
  gpu.resident_grids = 1;
  gpu.copy_engines = 1;
  gpu.copy_queues = 1;
  return gpu;
}

constexpr kernel_shape whole_gpu{.blocks = 2, .threads_per_block = 64};

TEST(OldGpus, FermiHoldsBackACopyUntilTheLastOfTheKernelsInARowEnds) {
  bench gpu(fermi());
  const stream_id first = gpu.stream();
  const stream_id second = gpu.stream();
  const operation_id kernel = gpu.kernel(first, 100, whole_gpu);
  const operation_id last = gpu.kernel(second, 100, whole_gpu);
  const operation_id out = gpu.copy_out(first, 10);
  gpu.run();
  EXPECT_EQ(gpu.end(kernel), 100);
  EXPECT_EQ(gpu.end(last), 200);
  EXPECT_EQ(gpu.start(out), 200);
  const trace::constraint withheld{constraint_kind::withheld_signal, last, 0, nanoseconds(200)};
  const trace::constraint ended{constraint_kind::stream_order, kernel, 0, nanoseconds(100)};
  EXPECT_EQ(gpu.reasons(out).at(0), withheld);
  EXPECT_EQ(gpu.reasons(out).at(1), ended);
}

TEST(OldGpus, ACopyIssuedBetweenTwoKernelsEndsTheirRow) {
  bench gpu(fermi());
  const stream_id first = gpu.stream();
  const operation_id kernel = gpu.kernel(first, 100, whole_gpu);
  const operation_id out = gpu.copy_out(first, 10);
  gpu.kernel(gpu.stream(), 100, whole_gpu);
  gpu.run();
  EXPECT_EQ(gpu.start(out), gpu.end(kernel));
}

TEST(OldGpus, GpusAfterFermiSignalEachKernel) {
  profile model = fermi();
  model.withholds_signals = false;
  bench gpu(model);
  const stream_id first = gpu.stream();
  const operation_id kernel = gpu.kernel(first, 100, whole_gpu);
  gpu.kernel(gpu.stream(), 100, whole_gpu);
  const operation_id out = gpu.copy_out(first, 10);
  gpu.run();
  EXPECT_EQ(gpu.start(out), gpu.end(kernel));
}

TEST(OldGpus, KernelsInARowOfOneStreamFollowEachOtherWithoutASignal) {
  bench gpu(fermi());
  const stream_id first = gpu.stream();
  const operation_id one = gpu.kernel(first, 100, whole_gpu);
  const operation_id two = gpu.kernel(first, 50, whole_gpu);
  const operation_id out = gpu.copy_out(first, 10);
  gpu.run();
  EXPECT_EQ(gpu.start(two), gpu.end(one));
  EXPECT_EQ(gpu.start(out), 150);
}

TEST(OldGpus, AKernelIssuedWhenTheSignalIsWithheldNeedNotWaitForIt) {
  bench gpu(fermi());
  const stream_id first = gpu.stream();
  gpu.kernel(first, 10);
  const operation_id last = gpu.kernel(gpu.stream(), 100);
  gpu.advance_to(50);
  gpu.issue_at(50);
  const operation_id behind = gpu.kernel(first, 10);
  gpu.run();
  EXPECT_EQ(gpu.start(behind), 50);
  EXPECT_EQ(gpu.end(last), 100);
}

TEST(OldGpus, AKernelOfALaterBurstNeedNotWaitForItsOwnBurstEither) {
  bench gpu(fermi());
  const stream_id first = gpu.stream();
  gpu.copy_out(first, 10);  // ends the burst before
  gpu.kernel(first, 10);
  gpu.kernel(gpu.stream(), 100);
  gpu.advance_to(50);
  gpu.issue_at(50);
  const operation_id behind = gpu.kernel(first, 10);
  gpu.run();
  EXPECT_EQ(gpu.start(behind), 50);
}

TEST(OldGpus, AKernelWhoseSignalIsWithheldIsNotComplete) {
  bench gpu(fermi());
  const operation_id kernel = gpu.kernel(gpu.stream(), 10);
  const operation_id last = gpu.kernel(gpu.stream(), 100);
  gpu.advance_to(50);
  EXPECT_EQ(gpu.end(kernel), 10);
  EXPECT_FALSE(gpu.schedule().is_complete(kernel));
  gpu.advance_to(100);
  EXPECT_TRUE(gpu.schedule().is_complete(kernel));
  EXPECT_TRUE(gpu.schedule().is_complete(last));
}

TEST(OldGpus, AnEventBetweenKernelsInARowCannotLockThemUp) {
  bench gpu(fermi());
  const stream_id first = gpu.stream();
  const stream_id second = gpu.stream();
  const operation_id kernel = gpu.kernel(first, 100);
  gpu.wait(second, gpu.record(first));
  const operation_id behind = gpu.kernel(second, 10);
  gpu.run();
  EXPECT_EQ(gpu.start(behind), gpu.end(kernel));
}

TEST(OldGpus, OneCopyEngineServesBothDirectionsInOrderOfIssue) {
  bench gpu(tesla());
  const stream_id first = gpu.stream();
  gpu.kernel(first, 100);
  const operation_id out = gpu.copy_out(first, 10);
  const operation_id copy_in = gpu.copy_in(gpu.stream(), 10);
  gpu.run();
  EXPECT_EQ(gpu.start(out), 100);
  EXPECT_EQ(gpu.start(copy_in), 110);
  EXPECT_EQ(gpu.reason(copy_in).kind, constraint_kind::engine_busy);
}

TEST(OldGpus, WithoutConcurrentKernelsOneWaitsForTheOther) {
  bench gpu(tesla());
  gpu.kernel(gpu.stream(), 100);
  const operation_id second = gpu.kernel(gpu.stream(), 10);
  gpu.run();
  EXPECT_EQ(gpu.start(second), 100);
}

/// Three chunks of three stages of 100 ns, every kernel as large as the GPU; the time until all have ended.
long long depth_first(const profile& model) {
  bench gpu(model);
  for (int i = 0; i < 3; ++i) {
    const stream_id stream = gpu.stream();
    gpu.copy_in(stream, 100);
    gpu.kernel(stream, 100, whole_gpu);
    gpu.copy_out(stream, 100);
  }
  gpu.run();
  return gpu.schedule().now().count();
}

long long breadth_first(const profile& model) {
  bench gpu(model);
  const std::vector<stream_id> streams{gpu.stream(), gpu.stream(), gpu.stream()};
  for (const stream_id stream : streams) gpu.copy_in(stream, 100);
  for (const stream_id stream : streams) gpu.kernel(stream, 100, whole_gpu);
  for (const stream_id stream : streams) gpu.copy_out(stream, 100);
  gpu.run();
  return gpu.schedule().now().count();
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
  profile model = tiny_gpu();
  model.implicit_synchronization = true;
  bench gpu(model);
  const operation_id before = gpu.kernel(gpu.stream(), 100);
  const operation_id cleared = gpu.memset(gpu.stream(), 10);
  const operation_id after = gpu.kernel(gpu.stream(), 10);
  gpu.run();
  EXPECT_EQ(gpu.start(cleared), 100);
  EXPECT_EQ(gpu.start(after), 110);
  EXPECT_EQ(gpu.reason(cleared).kind, constraint_kind::implicit_synchronization);
  EXPECT_EQ(gpu.reason(cleared).operation, before);
  EXPECT_EQ(gpu.reason(after).kind, constraint_kind::implicit_synchronization);
  EXPECT_EQ(gpu.reason(after).operation, cleared);
}

TEST(OldGpus, AMemsetOnLaterGpusHoldsUpNothing) {
  bench gpu;
  gpu.kernel(gpu.stream(), 100);
  const operation_id cleared = gpu.memset(gpu.stream(), 10);
  const operation_id after = gpu.kernel(gpu.stream(), 10);
  gpu.run();
  EXPECT_EQ(gpu.start(cleared), 0);
  EXPECT_EQ(gpu.start(after), 0);
}

/// The ends of kernels of ten cycles, in the order in which they end.
struct kernels {
  std::vector<long long> ends;
  schedule gpu;

  explicit kernels(profile profile, std::uint32_t connections = 0)
      : gpu({std::move(profile)},
            {.start = {},
             .finish = [this](operation_id id) { ends.push_back(gpu.times_of(id).end.count()); },
             .run_kernel =
                 [](operation_id) {
                   return kernel_work{.blocks = {{0, 10}}};
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
  void launch(stream_id stream) {
    request request;
    request.stream = stream;
    gpu.enqueue(request);
  }
  void run() {
    while (gpu.step()) {
    }
  }
};

TEST(OldGpus, WhatIsHeldBackWaitsForAllThatWasEnqueued) {
  profile model = tiny_gpu();
  model.implicit_synchronization = true;
  kernels kernels_on_gpu(model);
  kernels_on_gpu.launch(1);
  kernels_on_gpu.gpu.implicit_sync(0);
  kernels_on_gpu.launch(2);
  kernels_on_gpu.run();
  EXPECT_THAT(kernels_on_gpu.ends, ::testing::ElementsAre(10, 20));
}

TEST(Queues, ConnectionsAreTheNumberOfWorkQueues) {
  const auto time_of_three = [](std::uint32_t connections) {
    kernels kernels_on_gpu(tiny_gpu(), connections);
    kernels_on_gpu.launch(1);
    kernels_on_gpu.launch(1);
    kernels_on_gpu.launch(2);
    kernels_on_gpu.run();
    return kernels_on_gpu.ends;
  };
  // With one queue the kernel of stream 2 sits behind the second of stream 1.
  EXPECT_THAT(time_of_three(0), ::testing::ElementsAre(10, 10, 20));
  EXPECT_THAT(time_of_three(1), ::testing::ElementsAre(10, 20, 20));
}

TEST(Queues, NoMoreConnectionsThanTheGpuHasAreUsed) {
  kernels kernels_on_gpu(fermi(), 32);
  kernels_on_gpu.launch(1);
  kernels_on_gpu.launch(1);
  kernels_on_gpu.launch(2);
  kernels_on_gpu.run();
  EXPECT_THAT(kernels_on_gpu.ends, ::testing::ElementsAre(10, 20, 20));
}

TEST(Queues, LaunchesArePendingUntilTheirKernelEnds) {
  kernels kernels_on_gpu(tiny_gpu());
  kernels_on_gpu.launch(1);
  kernels_on_gpu.launch(1);
  kernels_on_gpu.launch(2);
  EXPECT_EQ(kernels_on_gpu.gpu.pending_launches(0), 3u);
  kernels_on_gpu.gpu.advance_to(nanoseconds(10));
  EXPECT_EQ(kernels_on_gpu.gpu.pending_launches(0), 1u);
  kernels_on_gpu.run();
  EXPECT_EQ(kernels_on_gpu.gpu.pending_launches(0), 0u);
}

}  // namespace
}  // namespace device

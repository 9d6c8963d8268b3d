// Graph launches: one operation of the stream, whose nodes are ordered by their edges.
#include <gtest/gtest.h>

#include "device/bench.h"

namespace device {
namespace {

using trace::constraint_kind;
using trace::operation_id;
using trace::stream_id;

TEST(Graphs, BranchesRunSideBySideAndJoin) {
  bench gpu;
  const stream_id stream = gpu.stream();
  const operation_id launch = gpu.graph(stream, 4);
  const operation_id first = gpu.node(launch, stream, 10);
  const operation_id left = gpu.node(launch, stream, 20, {first});
  const operation_id right = gpu.node(launch, stream, 30, {first}, 1);
  const operation_id last = gpu.node(launch, stream, 10, {left, right});
  gpu.run();
  EXPECT_EQ(gpu.start(left), 10);
  EXPECT_EQ(gpu.start(right), 10);
  EXPECT_EQ(gpu.start(last), 40);
  EXPECT_EQ(gpu.reason(last).kind, constraint_kind::graph_edge);
  EXPECT_EQ(gpu.reason(last).operation, right);
  EXPECT_EQ(gpu.start(launch), 0);
  EXPECT_EQ(gpu.end(launch), 50);
}

TEST(Graphs, ALaunchTakesItsPlaceInTheStream) {
  bench gpu;
  const stream_id stream = gpu.stream();
  const operation_id before = gpu.kernel(stream, 100);
  const operation_id launch = gpu.graph(stream, 2);
  const operation_id one = gpu.node(launch, stream, 10);
  const operation_id other = gpu.node(launch, stream, 50, {}, 1);
  const operation_id after = gpu.kernel(stream, 10);
  gpu.run();
  EXPECT_EQ(gpu.start(one), 100);
  EXPECT_EQ(gpu.start(other), 100);
  EXPECT_EQ(gpu.reason(one).kind, constraint_kind::stream_order);
  EXPECT_EQ(gpu.reason(one).operation, before);
  EXPECT_EQ(gpu.start(after), 150);
  EXPECT_EQ(gpu.reason(after).operation, launch);
}

TEST(Graphs, AnEmptyGraphEndsWhenItStarts) {
  bench gpu;
  const stream_id stream = gpu.stream();
  gpu.kernel(stream, 100);
  const operation_id launch = gpu.graph(stream, 0);
  gpu.run();
  EXPECT_EQ(gpu.start(launch), 100);
  EXPECT_EQ(gpu.end(launch), 100);
}

TEST(Graphs, ItIsCompleteWithItsLastNodeOnly) {
  bench gpu;
  const stream_id stream = gpu.stream();
  const operation_id launch = gpu.graph(stream, 2);
  gpu.node(launch, stream, 10);
  gpu.node(launch, stream, 50, {}, 1);
  gpu.advance_to(49);
  EXPECT_FALSE(gpu.schedule().is_complete(launch));
  gpu.advance_to(50);
  EXPECT_TRUE(gpu.schedule().is_complete(launch));
}

TEST(Graphs, OtherStreamsRunBesideALaunch) {
  bench gpu;
  const stream_id stream = gpu.stream();
  const operation_id launch = gpu.graph(stream, 1);
  gpu.node(launch, stream, 100);
  const operation_id beside = gpu.kernel(gpu.stream(), 10);
  gpu.run();
  EXPECT_EQ(gpu.start(beside), 0);
}

TEST(Graphs, FromKernelToKernelTheGapIsThatOfGraphs) {
  profile model = tiny_gpu();
  model.kernel_gap = 9;
  model.graph_node_gap = 4;
  bench gpu(model);
  const stream_id stream = gpu.stream();
  const operation_id launch = gpu.graph(stream, 2);
  const operation_id first = gpu.node(launch, stream, 10);
  const operation_id second = gpu.node(launch, stream, 10, {first});
  const operation_id after = gpu.kernel(stream, 10);
  gpu.run();
  EXPECT_EQ(gpu.start(second), 14);
  EXPECT_EQ(gpu.start(after), 33);
}

}  // namespace
}  // namespace device

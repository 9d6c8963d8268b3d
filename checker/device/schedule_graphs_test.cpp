// Graph launches: one operation of the stream, whose nodes are ordered by their edges.
#include <gtest/gtest.h>

#include "device/bench.h"

namespace device {
namespace {

using trace::constraint_kind;
using trace::operation_id;
using trace::stream_id;

TEST(Graphs, BranchesRunSideBySideAndJoin) {
  bench on;
  const stream_id in = on.stream();
  const operation_id launch = on.graph(in, 4);
  const operation_id first = on.node(launch, in, 10);
  const operation_id left = on.node(launch, in, 20, {first});
  const operation_id right = on.node(launch, in, 30, {first}, 1);
  const operation_id last = on.node(launch, in, 10, {left, right});
  on.run();
  EXPECT_EQ(on.start(left), 10);
  EXPECT_EQ(on.start(right), 10);
  EXPECT_EQ(on.start(last), 40);
  EXPECT_EQ(on.reason(last).kind, constraint_kind::graph_edge);
  EXPECT_EQ(on.reason(last).operation, right);
  EXPECT_EQ(on.start(launch), 0);
  EXPECT_EQ(on.end(launch), 50);
}

TEST(Graphs, ALaunchTakesItsPlaceInTheStream) {
  bench on;
  const stream_id in = on.stream();
  const operation_id before = on.kernel(in, 100);
  const operation_id launch = on.graph(in, 2);
  const operation_id one = on.node(launch, in, 10);
  const operation_id other = on.node(launch, in, 50, {}, 1);
  const operation_id after = on.kernel(in, 10);
  on.run();
  EXPECT_EQ(on.start(one), 100);
  EXPECT_EQ(on.start(other), 100);
  EXPECT_EQ(on.reason(one).kind, constraint_kind::stream_order);
  EXPECT_EQ(on.reason(one).operation, before);
  EXPECT_EQ(on.start(after), 150);
  EXPECT_EQ(on.reason(after).operation, launch);
}

TEST(Graphs, AnEmptyGraphEndsWhenItStarts) {
  bench on;
  const stream_id in = on.stream();
  on.kernel(in, 100);
  const operation_id launch = on.graph(in, 0);
  on.run();
  EXPECT_EQ(on.start(launch), 100);
  EXPECT_EQ(on.end(launch), 100);
}

TEST(Graphs, ItIsCompleteWithItsLastNodeOnly) {
  bench on;
  const stream_id in = on.stream();
  const operation_id launch = on.graph(in, 2);
  on.node(launch, in, 10);
  on.node(launch, in, 50, {}, 1);
  on.advance_to(49);
  EXPECT_FALSE(on.schedule().is_complete(launch));
  on.advance_to(50);
  EXPECT_TRUE(on.schedule().is_complete(launch));
}

TEST(Graphs, OtherStreamsRunBesideALaunch) {
  bench on;
  const stream_id in = on.stream();
  const operation_id launch = on.graph(in, 1);
  on.node(launch, in, 100);
  const operation_id beside = on.kernel(on.stream(), 10);
  on.run();
  EXPECT_EQ(on.start(beside), 0);
}

TEST(Graphs, FromKernelToKernelTheGapIsThatOfGraphs) {
  profile gpu = tiny_gpu();
  gpu.kernel_gap = 9;
  gpu.graph_node_gap = 4;
  bench on(gpu);
  const stream_id in = on.stream();
  const operation_id launch = on.graph(in, 2);
  const operation_id first = on.node(launch, in, 10);
  const operation_id second = on.node(launch, in, 10, {first});
  const operation_id after = on.kernel(in, 10);
  on.run();
  EXPECT_EQ(on.start(second), 14);
  EXPECT_EQ(on.start(after), 33);
}

}  // namespace
}  // namespace device

// The order of nodes of graph launches: by their edges inside a launch, by the stream outside.
#include <gtest/gtest.h>

#include "analysis/ordering.h"
#include "analysis/part.h"
#include "analysis/races.h"
#include "trace/recording_builder.h"

namespace analysis {
namespace {

using trace::graph_kernel;
using trace::reads;
using trace::recording_builder;
using trace::writes;

/// One kernel in front, two branches, one kernel behind.
const std::vector<graph_kernel> diamond{
    {"top", {}, {}}, {"left", {0}, {}}, {"right", {0}, {}}, {"bottom", {1, 2}, {}}};

TEST(OrderingOfGraphs, EdgesOrderTheNodesAndNothingElseDoes) {
  recording_builder program;
  const auto nodes = program.launch_graph(program.create_stream(), diamond);
  const ordering order(program.recording());
  EXPECT_TRUE(order.is_before(nodes[0], nodes[3]));
  EXPECT_TRUE(order.is_before(nodes[1], nodes[3]));
  EXPECT_TRUE(order.is_before(nodes[2], nodes[3]));
  EXPECT_FALSE(order.is_before(nodes[1], nodes[2]));
  EXPECT_FALSE(order.is_before(nodes[2], nodes[1]));
}

TEST(OrderingOfGraphs, ALaunchTakesItsPlaceInTheStream) {
  recording_builder program;
  const auto stream = program.create_stream();
  const auto before = program.launch("before", stream);
  const auto first = program.launch_graph(stream, diamond);
  const auto second = program.launch_graph(stream, diamond);
  const auto after = program.launch("after", stream);
  const ordering order(program.recording());
  for (std::size_t i = 0; i < diamond.size(); ++i) {
    EXPECT_TRUE(order.is_before(before, first[i]));
    EXPECT_TRUE(order.is_before(second[i], after));
    for (const auto node : second) EXPECT_TRUE(order.is_before(first[i], node));
  }
}

TEST(OrderingOfGraphs, NodesHaveNoOrderWithOtherStreams) {
  recording_builder program;
  const auto other = program.launch("other", program.create_stream());
  const auto nodes = program.launch_graph(program.create_stream(), diamond);
  const ordering order(program.recording());
  EXPECT_FALSE(order.is_before(other, nodes[0]));
  EXPECT_FALSE(order.is_before(nodes[3], other));
}

TEST(OrderingOfGraphs, ALaunchIsCompleteWhenAllBranchesAre) {
  recording_builder program;
  const auto stream = program.create_stream();
  const auto nodes = program.launch_graph(stream, {{"left", {}, {}}, {"right", {}, {}}});
  program.synchronize_stream(stream);
  const host_point host{1, static_cast<trace::call_id>(program.recording().calls.size())};
  const ordering order(program.recording());
  EXPECT_TRUE(order.is_before(nodes[0], host));
  EXPECT_TRUE(order.is_before(nodes[1], host));
  EXPECT_FALSE(order.is_before(nodes[1], host_point{1, host.after - 1}));
}

TEST(OrderingOfGraphs, TheLegacyStreamWaitsForAllNodesAndAllNodesForIt) {
  recording_builder program;
  const auto stream = program.create_stream();
  const auto before = program.launch("before", program.legacy_stream());
  const auto nodes = program.launch_graph(stream, {{"left", {}, {}}, {"right", {}, {}}});
  const auto after = program.launch("after", program.legacy_stream());
  const ordering order(program.recording());
  EXPECT_TRUE(order.is_before(before, nodes[1]));
  EXPECT_TRUE(order.is_before(nodes[1], after));
}

TEST(OrderingOfGraphs, LaunchesOfOneExecutableGraphFollowEachOtherInWhateverStreams) {
  recording_builder program;
  const auto first = program.launch_graph(program.create_stream(), diamond);
  const auto second = program.launch_graph(program.create_stream(), diamond);
  trace::recording recording = program.recording();
  EXPECT_FALSE(ordering(recording).is_before(first[3], second[0]));
  recording.operations[second[0] - 2].after = {first[0] - 1};
  EXPECT_TRUE(ordering(recording).is_before(first[3], second[0]));
}

TEST(OrderingOfGraphs, AnEventAfterALaunchCarriesAllNodes) {
  recording_builder program;
  const auto stream = program.create_stream();
  const auto other = program.create_stream();
  const auto event = program.create_event();
  const auto nodes = program.launch_graph(stream, {{"left", {}, {}}, {"right", {}, {}}});
  program.record(event, stream);
  program.wait(other, event);
  const auto after = program.launch("after", other);
  const ordering order(program.recording());
  EXPECT_TRUE(order.is_before(nodes[0], after));
  EXPECT_TRUE(order.is_before(nodes[1], after));
}

TEST(RacesInGraphs, BranchesThatWriteTheSameBytesRace) {
  recording_builder program;
  const auto buffer = program.allocate(trace::memory_kind::device, 64);
  program.launch_graph(program.create_stream(),
                       {{"left", {}, {writes(buffer)}}, {"right", {}, {writes(buffer)}}});
  EXPECT_EQ(find_races(part_of(program.recording(), ""))->size(), 1u);
}

TEST(RacesInGraphs, BranchesThatWriteWhatTheirCommonNodeWroteRace) {
  recording_builder program;
  const auto buffer = program.allocate(trace::memory_kind::device, 64);
  const std::vector<trace::access> increments{reads(buffer), writes(buffer)};
  program.launch_graph(program.create_stream(),
                       {{"top", {}, increments}, {"left", {0}, increments}, {"right", {0}, increments}});
  EXPECT_FALSE(find_races(part_of(program.recording(), ""))->empty());
}

TEST(RacesInGraphs, AnEdgeBetweenThemRemovesTheRace) {
  recording_builder program;
  const auto stream = program.create_stream();
  const auto buffer = program.allocate(trace::memory_kind::device, 64);
  for (int launch = 0; launch < 2; ++launch) {
    program.launch_graph(stream, {{"first", {}, {writes(buffer)}}, {"second", {0}, {writes(buffer)}}});
  }
  EXPECT_TRUE(find_races(part_of(program.recording(), ""))->empty());
}

}  // namespace
}  // namespace analysis

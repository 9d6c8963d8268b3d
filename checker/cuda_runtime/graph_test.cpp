#include "cuda_runtime/graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace cuda_runtime {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

std::shared_ptr<const prepared_operation> some_work() { return std::make_shared<prepared_operation>(); }

CUgraphNode_st& add(CUgraph_st& graph, std::vector<cudaGraphNode_t> after = {},
                    cudaGraphNodeType type = cudaGraphNodeTypeKernel) {
  CUgraphNode_st node;
  node.type = type;
  if (type != cudaGraphNodeTypeEmpty) node.work = some_work();
  node.after = std::move(after);
  return graph.add(std::move(node));
}

CUgraphNode_st& add_empty(CUgraph_st& graph, std::vector<cudaGraphNode_t> after) {
  return add(graph, std::move(after), cudaGraphNodeTypeEmpty);
}

CUgraphNode_st& add_child(CUgraph_st& graph, const CUgraph_st& child, std::vector<cudaGraphNode_t> after) {
  CUgraphNode_st node;
  node.type = cudaGraphNodeTypeGraph;
  node.child = clone(child);
  node.after = std::move(after);
  return graph.add(std::move(node));
}

/// By step, the node that it issues.
std::vector<cudaGraphNode_t> handles_of(const CUgraphExec_st& executable) {
  std::vector<cudaGraphNode_t> result;
  for (const CUgraphExec_st::step& step : executable.steps) result.push_back(step.handle);
  return result;
}

/// By step, the steps on which it depends.
std::vector<std::vector<std::size_t>> edges_of(const CUgraphExec_st& executable) {
  std::vector<std::vector<std::size_t>> result;
  for (const CUgraphExec_st::step& step : executable.steps) {
    result.push_back(step.after);
    std::sort(result.back().begin(), result.back().end());
  }
  return result;
}

std::vector<std::uint32_t> branches_of(const CUgraphExec_st& executable) {
  std::vector<std::uint32_t> result;
  for (const CUgraphExec_st::step& step : executable.steps) result.push_back(step.branch);
  return result;
}

using edges = std::vector<std::vector<std::size_t>>;

TEST(Graph, NodesWithoutEdgesAreIssuedInTheOrderInWhichTheyWereAdded) {
  CUgraph_st graph;
  CUgraphNode_st& first = add(graph);
  CUgraphNode_st& second = add(graph);
  const auto executable = instantiate(graph);
  EXPECT_THAT(handles_of(*executable), ElementsAre(&first, &second));
  EXPECT_EQ(edges_of(*executable), (edges{{}, {}}));
}

TEST(Graph, ANodeIsIssuedBehindThoseOnWhichItDepends) {
  CUgraph_st graph;
  CUgraphNode_st& last = add(graph);
  CUgraphNode_st& middle = add(graph);
  CUgraphNode_st& first = add(graph);
  last.after = {&middle, &first};
  middle.after = {&first};
  const auto executable = instantiate(graph);
  EXPECT_THAT(handles_of(*executable), ElementsAre(&first, &middle, &last));
  EXPECT_EQ(edges_of(*executable), (edges{{}, {0}, {0, 1}}));
}

TEST(Graph, AnEmptyNodeHandsOnWhatItDependsOn) {
  CUgraph_st graph;
  CUgraphNode_st& left = add(graph);
  CUgraphNode_st& right = add(graph);
  CUgraphNode_st& both = add_empty(graph, {&left, &right});
  CUgraphNode_st& last = add(graph, {&both, &left});
  const auto executable = instantiate(graph);
  EXPECT_THAT(handles_of(*executable), ElementsAre(&left, &right, &last));
  EXPECT_EQ(edges_of(*executable), (edges{{}, {}, {0, 1}}));
}

TEST(Graph, AChildGraphRunsAsAWholeInThePlaceOfItsNode) {
  CUgraph_st child;
  add(child);
  add(child);
  CUgraph_st graph;
  CUgraphNode_st& before = add(graph);
  CUgraphNode_st& node = add_child(graph, child, {&before});
  CUgraphNode_st& behind = add(graph, {&node});
  const auto executable = instantiate(graph);
  EXPECT_THAT(handles_of(*executable),
              ElementsAre(&before, node.child->nodes[0].get(), node.child->nodes[1].get(), &behind));
  EXPECT_EQ(edges_of(*executable), (edges{{}, {0}, {0}, {1, 2}}));
}

TEST(Graph, OnlyTheLastNodesOfAChildGraphAreAwaited) {
  CUgraph_st child;
  CUgraphNode_st& inner = add(child);
  add(child, {&inner});
  CUgraph_st graph;
  CUgraphNode_st& node = add_child(graph, child, {});
  add(graph, {&node});
  EXPECT_EQ(edges_of(*instantiate(graph)), (edges{{}, {0}, {1}}));
}

TEST(Graph, AChildGraphOfNothingHandsOnWhatItDependsOn) {
  CUgraph_st graph;
  CUgraphNode_st& before = add(graph);
  CUgraphNode_st& nothing = add_child(graph, {}, {&before});
  add(graph, {&nothing});
  EXPECT_EQ(edges_of(*instantiate(graph)), (edges{{}, {0}}));
}

TEST(Graph, EdgesInACircleCannotBeInstantiated) {
  CUgraph_st graph;
  CUgraphNode_st& first = add(graph);
  CUgraphNode_st& second = add(graph, {&first});
  first.after = {&second};
  EXPECT_EQ(instantiate(graph), std::nullopt);
}

TEST(Graph, EdgesInACircleInsideAChildGraphCannotBeInstantiated) {
  CUgraph_st child;
  CUgraphNode_st& inner = add(child);
  inner.after = {&inner};
  CUgraph_st graph;
  add(graph);
  add_child(graph, child, {});
  EXPECT_EQ(instantiate(graph), std::nullopt);
}

TEST(Graph, AChainIsOneBranchAndAForkBeginsAnother) {
  CUgraph_st graph;
  CUgraphNode_st& first = add(graph);
  CUgraphNode_st& left = add(graph, {&first});
  CUgraphNode_st& right = add(graph, {&first});
  add(graph, {&left, &right});
  const auto executable = instantiate(graph);
  EXPECT_THAT(branches_of(*executable), ElementsAre(0, 0, 1, 0));
  EXPECT_EQ(executable->branches, 2u);
}

TEST(Graph, AnExecutableGraphKeepsItsWorkWhenANodeChanges) {
  CUgraph_st graph;
  CUgraphNode_st& node = add(graph);
  const auto executable = instantiate(graph);
  const auto before = node.work;
  node.work = some_work();
  EXPECT_EQ(executable->steps[0].work, before);
}

TEST(Graph, ACloneHasTheEdgesOfTheOriginalBetweenNodesOfItsOwn) {
  CUgraph_st graph;
  CUgraphNode_st& first = add(graph);
  CUgraphNode_st& second = add(graph, {&first});
  const auto copy = clone(graph);
  ASSERT_EQ(copy->nodes.size(), 2u);
  EXPECT_NE(copy->nodes[0].get(), &first);
  EXPECT_THAT(copy->nodes[1]->after, ElementsAre(copy->nodes[0].get()));
  EXPECT_EQ(copy->nodes[1]->work, second.work);
  EXPECT_EQ(copy->nodes[1]->graph, copy.get());
}

TEST(Graph, ANodeOfACloneKnowsItsOriginal) {
  CUgraph_st graph;
  CUgraphNode_st& original = add(graph);
  EXPECT_EQ(clone(graph)->nodes[0]->cloned_from, &original);
}

TEST(Graph, ACloneTakesNoPartInChangesOfTheOriginal) {
  CUgraph_st child;
  add(child);
  CUgraph_st graph;
  CUgraphNode_st& node = add_child(graph, child, {});
  const auto copy = clone(graph);
  add(graph);
  add(*node.child);
  EXPECT_EQ(node_count(*copy), 2u);
}

TEST(Graph, ANodeThatIsRemovedTakesItsEdgesAlong) {
  CUgraph_st graph;
  CUgraphNode_st& first = add(graph);
  CUgraphNode_st& removed = add(graph, {&first});
  CUgraphNode_st& last = add(graph, {&removed, &first});
  graph.remove(&removed);
  ASSERT_EQ(graph.nodes.size(), 2u);
  EXPECT_THAT(last.after, ElementsAre(&first));
  EXPECT_EQ(last.number, 1u);
  EXPECT_EQ(edges_of(*instantiate(graph)), (edges{{}, {0}}));
}

TEST(Graph, NodesOfChildGraphsCountTogetherWithTheirNode) {
  CUgraph_st innermost;
  add(innermost);
  CUgraph_st child;
  add_child(child, innermost, {});
  CUgraph_st graph;
  add(graph);
  add_child(graph, child, {});
  EXPECT_EQ(node_count(graph), 4u);
}

/// A fork: two nodes behind the first one. For what makes a graph differ from it.
struct fork_graph {
  CUgraph_st graph;
  CUgraphNode_st& first = add(graph);
  CUgraphNode_st& left = add(graph, {&first});
  CUgraphNode_st& right = add(graph, {&first});
};

TEST(Graph, TheShapeIsEqualWhateverTheWorkAndTheOrderOfEdges) {
  fork_graph one, other;
  CUgraphNode_st& join = add(one.graph, {&one.left, &one.right});
  add(other.graph, {&other.right, &other.left});
  EXPECT_NE(join.work, other.graph.nodes[3]->work);
  EXPECT_TRUE(have_equal_shape(one.graph, other.graph));
}

TEST(Graph, TheShapeDiffersByANodeATypeOrAnEdge) {
  const fork_graph fork;
  fork_graph with_another_node, with_another_type, with_another_edge;
  add(with_another_node.graph);
  with_another_type.right.type = cudaGraphNodeTypeMemset;
  with_another_edge.right.after = {&with_another_edge.left};
  EXPECT_FALSE(have_equal_shape(fork.graph, with_another_node.graph));
  EXPECT_FALSE(have_equal_shape(with_another_node.graph, fork.graph));
  EXPECT_FALSE(have_equal_shape(fork.graph, with_another_type.graph));
  EXPECT_FALSE(have_equal_shape(fork.graph, with_another_edge.graph));
}

TEST(Graph, TheShapeDiffersByWhatIsInsideAChildGraph) {
  const fork_graph child;
  CUgraph_st one, other;
  add_child(one, child.graph, {});
  add_child(other, child.graph, {});
  EXPECT_TRUE(have_equal_shape(one, other));
  add(*other.nodes[0]->child);
  EXPECT_FALSE(have_equal_shape(one, other));
}

TEST(Graph, AnUpdateTakesTheWorkOfAGraphOfEqualShape) {
  const fork_graph original, changed;
  CUgraphExec_st executable = *instantiate(original.graph);
  EXPECT_TRUE(update(executable, changed.graph));
  EXPECT_EQ(executable.steps[2].work, changed.right.work);
}

TEST(Graph, AnUpdatedGraphKeepsItsHandlesAndItsPlaceBehindItsLastLaunch) {
  const fork_graph original, changed;
  CUgraphExec_st executable = *instantiate(original.graph);
  executable.last_launch = 42;
  EXPECT_TRUE(update(executable, changed.graph));
  EXPECT_THAT(handles_of(executable), ElementsAre(&original.first, &original.left, &original.right));
  EXPECT_EQ(executable.last_launch, 42u);
}

TEST(Graph, AnUpdateByAGraphOfAnotherShapeChangesNothing) {
  const fork_graph original;
  fork_graph changed;
  changed.right.after = {&changed.left};
  CUgraphExec_st executable = *instantiate(original.graph);
  EXPECT_FALSE(update(executable, changed.graph));
  EXPECT_EQ(executable.steps[2].work, original.right.work);
  EXPECT_EQ(edges_of(executable), (edges{{}, {0}, {0}}));
}

TEST(Graph, AnUpdateComparesWithTheGraphAsItWasInstantiated) {
  fork_graph original;
  CUgraphExec_st executable = *instantiate(original.graph);
  add(original.graph);
  EXPECT_FALSE(update(executable, original.graph));
  EXPECT_TRUE(update(executable, fork_graph().graph));
}

TEST(GraphTable, AHandleIsLiveUntilItsGraphIsDestroyed) {
  graph_table graphs;
  cudaGraph_t const handle = graphs.keep(std::make_unique<CUgraph_st>(), 0);
  cudaGraph_t const other = graphs.keep(std::make_unique<CUgraph_st>(), 0);
  EXPECT_TRUE(graphs.holds(handle));
  graphs.destroy(handle, 7);
  EXPECT_FALSE(graphs.holds(handle));
  EXPECT_TRUE(graphs.holds(other));
}

TEST(GraphTable, WhatIsNoGraphOfTheTableIsNotHeld) {
  const graph_table graphs;
  CUgraph_st foreign;
  EXPECT_FALSE(graphs.holds(&foreign));
  EXPECT_FALSE(graphs.holds(&add(foreign)));
  EXPECT_FALSE(graphs.holds(cudaGraph_t{}));
}

TEST(GraphTable, NodesAreLiveAsLongAsTheirGraph) {
  graph_table graphs;
  cudaGraph_t const handle = graphs.keep(std::make_unique<CUgraph_st>(), 0);
  cudaGraphNode_t const node = &add(*handle);
  EXPECT_TRUE(graphs.holds(node));
  EXPECT_EQ(graphs.ended_by(node), 0u);
  graphs.destroy(handle, 7);
  EXPECT_FALSE(graphs.holds(node));
  EXPECT_EQ(graphs.ended_by(node), 7u);
  EXPECT_EQ(graphs.ended_by(handle), 7u);
}

TEST(GraphTable, AChildGraphIsHeldButOnlyItsNodeCanEndIt) {
  graph_table graphs;
  cudaGraph_t const handle = graphs.keep(std::make_unique<CUgraph_st>(), 0);
  CUgraph_st child;
  add(child);
  cudaGraph_t const inside = add_child(*handle, child, {}).child.get();
  EXPECT_TRUE(graphs.holds(inside));
  EXPECT_TRUE(graphs.holds(inside->nodes[0].get()));
  EXPECT_FALSE(graphs.is_programs_own(inside));
  EXPECT_TRUE(graphs.is_programs_own(handle));
}

TEST(GraphTable, AnExecutableGraphOutlivesItsGraph) {
  graph_table graphs;
  cudaGraph_t const handle = graphs.keep(std::make_unique<CUgraph_st>(), 0);
  add(*handle);
  cudaGraphExec_t const executable = graphs.keep(std::make_unique<CUgraphExec_st>(*instantiate(*handle)), 0);
  graphs.destroy(handle, 7);
  ASSERT_TRUE(graphs.holds(executable));
  EXPECT_NE(executable->steps[0].work, nullptr);
  graphs.destroy(executable, 7);
  EXPECT_FALSE(graphs.holds(executable));
}

}  // namespace
}  // namespace cuda_runtime

// graph.h: CUDA graphs: nodes with edges, and what instantiating makes of them.
//
// A node holds what an operation needs to be issued; a launch issues every node of the executable graph
// again. Not here: capture (capture.h), the order in which nodes run (device/schedule.h), the functions of
// the API (api_graph.cpp).
//
//     CUgraph_st graph;
//     CUgraphNode_st& first = graph.add({.type = cudaGraphNodeTypeEmpty});
//     std::optional<CUgraphExec_st> launchable = virtual_gpu::instantiate(graph);
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "virtual_gpu/runtime.h"

/// A node of a graph. It is shared by the graph, by what was instantiated from it, and by launches that have
/// not ended.
struct CUgraphNode_st {
  cudaGraphNodeType type =
      cudaGraphNodeTypeEmpty;     ///< kernel, copy, memset, host function, event record or wait, or empty
  device::request what{};         ///< stream, time and edges apart
  trace::operation described{};   ///< what the recording will say of each launch of it
  virtual_gpu::payload needs{};   ///< its arguments, which launches share
  trace::call_id defined_by = 0;  ///< the call that captured it or added it
  std::vector<cudaGraphNode_t> after{};  ///< the nodes of its graph on which it depends
  CUgraph_st* graph = nullptr;           ///< of which it is a node
  std::uint32_t number = 0;              ///< its place among the nodes of its graph

  CUgraphNode_st() = default;
  /// A node is moved into its graph; never copied, because it owns its kernel's arguments.
  CUgraphNode_st(CUgraphNode_st&&) = default;
  /// The node owns its kernel's arguments; launches only read them.
  ~CUgraphNode_st();
};

/// What a cudaGraph_t points to.
struct CUgraph_st {
  std::vector<std::shared_ptr<CUgraphNode_st>> nodes{};  ///< in the order in which they were added

  /// Adds the node, gives it its number, and returns it in its place.
  CUgraphNode_st& add(CUgraphNode_st node);
};

/// A graph in the order in which its nodes are issued.
struct CUgraphExec_st {
  /// One node that a launch issues.
  struct step {
    cudaGraphNode_t handle = nullptr;            ///< of the node in its graph, which may be gone
    std::shared_ptr<const CUgraphNode_st> node;  ///< shared with the graph
    std::vector<std::size_t>
        after;  ///< steps on which it depends; empty nodes are left out, their edges joined
    std::uint32_t branch =
        0;  ///< its chain of nodes; those of one branch follow each other without a hand-over
  };
  std::vector<step> steps{};                                   ///< empty nodes left out
  std::vector<std::shared_ptr<const CUgraphNode_st>> nodes{};  ///< as in the graph
  std::uint32_t branches = 0;                                  ///< how many there are
  trace::operation_id last_launch = 0;  ///< the next one follows it; 0: not launched yet
};

namespace virtual_gpu {

/// Nothing when the edges go round in a circle.
std::optional<CUgraphExec_st> instantiate(const CUgraph_st& graph);

/// The same nodes and edges, with nodes of its own.
std::unique_ptr<CUgraph_st> clone(const CUgraph_st& graph);

/// Whether each node of the one has its like in the other: the same type, and edges between the same places.
bool have_equal_shape(const std::vector<std::shared_ptr<const CUgraphNode_st>>& one, const CUgraph_st& other);

/// Issues a launch and its nodes on behalf of the open call.
void launch(runtime& run, CUgraphExec_st& graph, const trace::stream& in);

}  // namespace virtual_gpu

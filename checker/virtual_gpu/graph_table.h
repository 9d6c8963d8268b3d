// graph_table.h: the graphs and executable graphs that are live, behind the handles of the API.
//
//     cudaGraph_t handle = graphs.keep(std::make_unique<CUgraph_st>());
//     if (CUgraph_st* graph = graphs.find(handle)) graph->add({});
#pragma once

#include <memory>
#include <vector>

#include "virtual_gpu/graph.h"

namespace virtual_gpu {

/// Owns them: a handle is the address, live until destroy().
class graph_table {
 public:
  /// Takes a graph, or an executable one, and returns its handle.
  cudaGraph_t keep(std::unique_ptr<CUgraph_st> graph) { return graphs_.emplace_back(std::move(graph)).get(); }
  /// @copydoc keep(std::unique_ptr<CUgraph_st>)
  cudaGraphExec_t keep(std::unique_ptr<CUgraphExec_st> graph) {
    return executables_.emplace_back(std::move(graph)).get();
  }
  /// Whether the handle is live.
  bool holds(cudaGraph_t graph) const { return is_in(graphs_, graph); }
  /// @copydoc holds(cudaGraph_t) const
  bool holds(cudaGraphExec_t graph) const { return is_in(executables_, graph); }
  /// Nodes are live as long as their graph.
  bool holds(cudaGraphNode_t node) const {
    for (const auto& graph : graphs_) {
      for (const auto& each : graph->nodes) {
        if (each.get() == node) return true;
      }
    }
    return false;
  }
  /// Ends a live handle; launches that were issued go on.
  void destroy(cudaGraph_t graph) { erase(graphs_, graph); }
  /// @copydoc destroy(cudaGraph_t)
  void destroy(cudaGraphExec_t graph) { erase(executables_, graph); }

 private:
  template <typename List, typename Handle>
  static bool is_in(const List& list, Handle wanted) {
    for (const auto& each : list) {
      if (each.get() == wanted) return true;
    }
    return false;
  }
  template <typename List, typename Handle>
  static void erase(List& list, Handle wanted) {
    std::erase_if(list, [&](const auto& each) { return each.get() == wanted; });
  }

  std::vector<std::unique_ptr<CUgraph_st>> graphs_;
  std::vector<std::unique_ptr<CUgraphExec_st>> executables_;
};

}  // namespace virtual_gpu

// graph_table.h: the graphs and executable graphs that are live, behind the handles of the API.
//
//     cudaGraph_t handle = graphs.keep(std::make_unique<CUgraph_st>());
//     if (graphs.holds(handle)) handle->add({});
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "cuda_runtime/graph.h"

namespace cuda_runtime {

/// Owns them: a handle is the address, live until destroy().
class graph_table {
 public:
  /// Takes a graph, or an executable one, and returns its handle.
  cudaGraph_t keep(std::unique_ptr<CUgraph_st> graph) { return graphs_.emplace_back(std::move(graph)).get(); }
  /// @copydoc keep(std::unique_ptr<CUgraph_st>)
  cudaGraphExec_t keep(std::unique_ptr<CUgraphExec_st> graph) {
    return executables_.emplace_back(std::move(graph)).get();
  }
  /// Whether the handle is that of a live graph, or of the graph of a live child graph node.
  bool holds(cudaGraph_t graph) const {
    return any_graph([graph](const CUgraph_st& each) { return &each == graph; });
  }
  /// Whether the handle is live.
  bool holds(cudaGraphExec_t graph) const { return is_in(executables_, graph); }
  /// Nodes are live as long as their graph.
  bool holds(cudaGraphNode_t node) const {
    return any_graph([node](const CUgraph_st& each) { return is_in(each.nodes, node); });
  }
  /// Whether the program can destroy it: the graphs of child graph nodes go with their nodes.
  bool is_programs_own(cudaGraph_t graph) const { return is_in(graphs_, graph); }
  /// Ends a live handle; launches that were issued go on.
  void destroy(cudaGraph_t graph) { erase(graphs_, graph); }
  /// @copydoc destroy(cudaGraph_t)
  void destroy(cudaGraphExec_t graph) { erase(executables_, graph); }

 private:
  template <typename List, typename Handle>
  static bool is_in(const List& list, Handle wanted) {
    return std::any_of(list.begin(), list.end(), [&](const auto& each) { return each.get() == wanted; });
  }
  template <typename List, typename Handle>
  static void erase(List& list, Handle wanted) {
    std::erase_if(list, [&](const auto& each) { return each.get() == wanted; });
  }
  template <typename Predicate>
  static bool any_graph_in(const CUgraph_st& graph, const Predicate& is_wanted) {
    return is_wanted(graph) || std::any_of(graph.nodes.begin(), graph.nodes.end(), [&](const auto& node) {
             return node->child && any_graph_in(*node->child, is_wanted);
           });
  }
  template <typename Predicate>
  bool any_graph(const Predicate& is_wanted) const {
    return std::any_of(graphs_.begin(), graphs_.end(),
                       [&](const auto& each) { return any_graph_in(*each, is_wanted); });
  }

  std::vector<std::unique_ptr<CUgraph_st>> graphs_;
  std::vector<std::unique_ptr<CUgraphExec_st>> executables_;
};

}  // namespace cuda_runtime

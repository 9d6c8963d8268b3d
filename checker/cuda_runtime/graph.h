// graph.h: CUDA graphs: nodes with edges, and what instantiating makes of them.
//
// A node holds what an operation needs to be issued; a launch issues every node of the executable graph
// again. Not here: capture (capture.h), the order in which nodes run (device/schedule.h), the functions of
// the API (api/).
//
//     CUgraph_st graph;
//     CUgraphNode_st& first = graph.add({.type = cudaGraphNodeTypeEmpty});
//     std::optional<CUgraphExec_st> launchable = cuda_runtime::instantiate(graph);
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "cuda_runtime/prepared_operation.h"

/// A node of a graph.
struct CUgraphNode_st {
  cudaGraphNodeType type = cudaGraphNodeTypeEmpty;  ///< which kind of work, if any
  /// What it does; none for empty nodes and child graphs. Executable graphs and launches that have not ended
  /// share it, so a node that changes gets another one.
  std::shared_ptr<const cuda_runtime::prepared_operation> work{};
  /// Of a kernel, once it was asked for: pointers to its arguments, which `work` holds.
  std::vector<void*> argument_pointers{};
  std::unique_ptr<CUgraph_st> child{};    ///< child graph nodes: their own copy
  std::vector<cudaGraphNode_t> after{};   ///< the nodes of its graph on which it depends
  CUgraph_st* graph = nullptr;            ///< in which it is
  std::uint32_t number = 0;               ///< its place among the nodes of its graph
  cudaGraphNode_t cloned_from = nullptr;  ///< the node of which it is a copy; may be gone
};

/// What a cudaGraph_t points to.
struct CUgraph_st {
  std::vector<std::unique_ptr<CUgraphNode_st>> nodes{};  ///< in the order in which they were added
  trace::call_id made_by = 0;                            ///< 0: no call of the program that has to destroy it

  /// Adds the node, gives it its number, and returns it in its place.
  CUgraphNode_st& add(CUgraphNode_st node);
  /// Removes the node and its edges.
  void remove(cudaGraphNode_t node);
};

/// A graph in the order in which its nodes are issued.
struct CUgraphExec_st {
  /// One node that a launch issues.
  struct step {
    cudaGraphNode_t handle = nullptr;  ///< of the node in its graph, which may be gone
    std::shared_ptr<const cuda_runtime::prepared_operation> work;  ///< shared with the graph
    std::vector<std::size_t> after;                                ///< steps on which it depends
    /// Its chain of nodes; those of one branch follow each other without a hand-over.
    std::uint32_t branch = 0;
  };
  std::vector<step> steps{};  ///< those of child graphs too; empty nodes are left out, their edges joined
  trace::call_id made_by = 0;                  ///< as of a graph
  std::unique_ptr<const CUgraph_st> origin{};  ///< a copy of the graph that was instantiated
  std::uint32_t branches = 0;                  ///< how many there are
  bool frees_on_launch =
      false;  ///< memory of an earlier launch that was not freed; else such a launch is an error
  trace::operation_id last_launch = 0;  ///< the next one follows it; 0: not launched yet
};

namespace cuda_runtime {

/// Nothing when the edges go round in a circle.
std::optional<CUgraphExec_st> instantiate(const CUgraph_st& graph);

/// The same edges, with nodes of its own that do the same.
std::unique_ptr<CUgraph_st> clone(const CUgraph_st& graph);

/// Whether it or a child graph allocates or frees memory.
bool has_memory_nodes(const CUgraph_st& graph);

/// The memory that a step allocates or frees; 0: none.
trace::allocation_id memory_of(const prepared_operation& work);

/// How many nodes it has, with those of its child graphs.
std::size_t node_count(const CUgraph_st& graph);

/// Whether each node of the one has its like in the other: the same type, and edges between the same places.
bool have_equal_shape(const CUgraph_st& one, const CUgraph_st& other);

/// Gives the executable graph the work of a graph that has the shape of the one it was made of; false, and
/// nothing changes, when it has another one. @see CUDA Runtime API, cudaGraphExecUpdate
bool update(CUgraphExec_st& executable, const CUgraph_st& graph);

/// The graphs of the process: a handle is the address, live until destroy().
class graph_table {
 public:
  /// Takes a graph, or an executable one, that the call made, and returns its handle.
  cudaGraph_t keep(std::unique_ptr<CUgraph_st> graph, trace::call_id made_by) {
    graph->made_by = made_by;
    return graphs_.emplace_back(std::move(graph)).get();
  }
  /// @copydoc keep(std::unique_ptr<CUgraph_st>, trace::call_id)
  cudaGraphExec_t keep(std::unique_ptr<CUgraphExec_st> graph, trace::call_id made_by) {
    graph->made_by = made_by;
    return executables_.emplace_back(std::move(graph)).get();
  }
  /// Whether the handle is that of a live graph, or of the graph of a live child graph node.
  bool holds(cudaGraph_t graph) const {
    return any_graph([graph](const CUgraph_st& known) { return &known == graph; });
  }
  /// Whether the handle is live.
  bool holds(cudaGraphExec_t graph) const { return is_in(executables_, graph); }
  /// Whether an executable graph allocates or frees that memory.
  bool uses(trace::allocation_id memory) const {
    return std::any_of(executables_.begin(), executables_.end(), [memory](const auto& graph) {
      return std::any_of(graph->steps.begin(), graph->steps.end(),
                         [memory](const auto& step) { return memory_of(*step.work) == memory; });
    });
  }
  /// Nodes are live as long as their graph.
  bool holds(cudaGraphNode_t node) const {
    return any_graph([node](const CUgraph_st& graph) { return is_in(graph.nodes, node); });
  }
  /// Whether the program can destroy it: the graphs of child graph nodes go with their nodes.
  bool is_programs_own(cudaGraph_t graph) const { return is_in(graphs_, graph); }
  /// Calls visit(what it is with the function that destroys it, the call that made it) for each live handle that the program has
  /// to destroy.
  template <typename Visit>
  void each_live(Visit visit) const {
    for (const auto& graph : graphs_) {
      if (graph->made_by != 0) visit("a graph that is never released: call cudaGraphDestroy", graph->made_by);
    }
    for (const auto& graph : executables_) {
      if (graph->made_by != 0)
        visit("an executable graph that is never released: call cudaGraphExecDestroy", graph->made_by);
    }
  }
  /// The device is reset: nobody has to destroy what there was.
  void abandon() {
    for (const auto& graph : graphs_) graph->made_by = 0;
    for (const auto& graph : executables_) graph->made_by = 0;
  }
  /// The call ends a live handle; launches that were issued go on.
  void destroy(cudaGraph_t graph, trace::call_id by) {
    any_graph_in(*graph, [&](const CUgraph_st& ended) {
      for (const auto& node : ended.nodes) note_end(node.get(), by);
      note_end(&ended, by);
      return false;
    });
    erase(graphs_, graph);
  }
  /// @copydoc destroy(cudaGraph_t, trace::call_id)
  void destroy(cudaGraphExec_t graph, trace::call_id by) {
    note_end(graph, by);
    erase(executables_, graph);
  }
  /// The call ends what has that handle.
  void note_end(const void* handle, trace::call_id by) { ended_by_[handle] = by; }
  /// The call that ended what last had a handle which is not live; 0: nothing had it.
  trace::call_id ended_by(const void* handle) const {
    const auto found = ended_by_.find(handle);
    return found == ended_by_.end() ? 0 : found->second;
  }

 private:
  template <typename List, typename Handle>
  static bool is_in(const List& list, Handle wanted) {
    return std::any_of(list.begin(), list.end(), [&](const auto& known) { return known.get() == wanted; });
  }
  template <typename List, typename Handle>
  static void erase(List& list, Handle wanted) {
    std::erase_if(list, [&](const auto& known) { return known.get() == wanted; });
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
                       [&](const auto& graph) { return any_graph_in(*graph, is_wanted); });
  }

  std::vector<std::unique_ptr<CUgraph_st>> graphs_;
  std::vector<std::unique_ptr<CUgraphExec_st>> executables_;
  std::unordered_map<const void*, trace::call_id> ended_by_;
};

}  // namespace cuda_runtime

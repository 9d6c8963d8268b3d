#include "cuda_runtime/graph.h"

#include <algorithm>
#include <utility>

#include "device/graph_branches.h"

CUgraphNode_st& CUgraph_st::add(CUgraphNode_st node) {
  node.graph = this;
  node.number = static_cast<std::uint32_t>(nodes.size());
  return *nodes.emplace_back(std::make_unique<CUgraphNode_st>(std::move(node)));
}

void CUgraph_st::remove(cudaGraphNode_t node) {
  nodes.erase(nodes.begin() + node->number);
  std::uint32_t number = 0;
  for (const auto& other : nodes) {
    other->number = number++;
    std::erase(other->after, node);
  }
}

namespace cuda_runtime {
namespace {

void add_once(std::vector<std::size_t>& list, const std::vector<std::size_t>& values) {
  for (const std::size_t value : values) {
    if (std::find(list.begin(), list.end(), value) == list.end()) list.push_back(value);
  }
}

/// The places of the nodes, each behind those on which it depends, else in the order in which they were added.
std::vector<std::size_t> issue_order(const CUgraph_st& graph) {
  std::vector<std::size_t> order;
  std::vector<bool> is_issued(graph.nodes.size(), false);
  for (bool has_grown = true; has_grown;) {
    has_grown = false;
    for (const auto& node : graph.nodes) {
      const bool is_ready = std::all_of(node->after.begin(), node->after.end(),
                                        [&](cudaGraphNode_t earlier) { return is_issued[earlier->number]; });
      if (is_issued[node->number] || !is_ready) continue;
      is_issued[node->number] = true;
      order.push_back(node->number);
      has_grown = true;
    }
  }
  return order;
}

/// The steps of a graph, those of its child graphs in their places.
class step_list {
 public:
  /// Appends the steps of the graph, behind the steps `before`. Returns the steps behind which the graph has
  /// ended; nothing when its edges go round in a circle.
  std::optional<std::vector<std::size_t>> append(const CUgraph_st& graph,
                                                 const std::vector<std::size_t>& before) {
    const std::vector<std::size_t> order = issue_order(graph);
    if (order.size() != graph.nodes.size()) return std::nullopt;
    std::vector<std::vector<std::size_t>> ends(graph.nodes.size());  // behind which each node has ended
    std::vector<bool> is_last(graph.nodes.size(), true);
    for (const std::size_t place : order) {
      const CUgraphNode_st& node = *graph.nodes[place];
      std::vector<std::size_t> after;
      if (node.after.empty()) after = before;
      for (const cudaGraphNode_t earlier : node.after) {
        add_once(after, ends[earlier->number]);
        is_last[earlier->number] = false;
      }
      if (node.child) {
        std::optional<std::vector<std::size_t>> inside = append(*node.child, after);
        if (!inside) return std::nullopt;
        ends[place] = std::move(*inside);
      } else if (node.type == cudaGraphNodeTypeEmpty) {
        ends[place] = std::move(after);
      } else {
        ends[place] = {steps.size()};
        const std::uint32_t branch = branches.add(after);
        steps.push_back({graph.nodes[place].get(), node.work, std::move(after), branch});
      }
    }
    std::vector<std::size_t> result;
    if (graph.nodes.empty()) result = before;
    for (std::size_t place = 0; place < ends.size(); ++place) {
      if (is_last[place]) add_once(result, ends[place]);
    }
    return result;
  }

  std::vector<CUgraphExec_st::step> steps;
  device::graph_branches branches;
};

std::vector<std::uint32_t> places_before(const CUgraphNode_st& node) {
  std::vector<std::uint32_t> result;
  for (const cudaGraphNode_t earlier : node.after) result.push_back(earlier->number);
  std::sort(result.begin(), result.end());
  return result;
}

}  // namespace

std::optional<CUgraphExec_st> instantiate(const CUgraph_st& graph) {
  step_list made;
  if (!made.append(graph, {})) return std::nullopt;
  CUgraphExec_st result;
  result.steps = std::move(made.steps);
  result.origin = clone(graph);
  result.branches = made.branches.count();
  return result;
}

std::unique_ptr<CUgraph_st> clone(const CUgraph_st& graph) {
  auto result = std::make_unique<CUgraph_st>();
  for (const auto& node : graph.nodes) {
    CUgraphNode_st copy;
    copy.type = node->type;
    copy.work = node->work;
    if (node->child) copy.child = clone(*node->child);
    copy.cloned_from = node.get();
    result->add(std::move(copy));
  }
  for (const auto& node : graph.nodes) {
    for (const cudaGraphNode_t earlier : node->after) {
      result->nodes[node->number]->after.push_back(result->nodes[earlier->number].get());
    }
  }
  return result;
}

trace::allocation_id memory_of(const prepared_operation& work) {
  const auto* const payload = std::get_if<allocation_payload>(&work.work);
  return payload == nullptr ? 0 : payload->block;
}

bool has_memory_nodes(const CUgraph_st& graph) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), [](const auto& node) {
    return (node->work && memory_of(*node->work) != 0) || (node->child && has_memory_nodes(*node->child));
  });
}

std::size_t node_count(const CUgraph_st& graph) {
  std::size_t result = graph.nodes.size();
  for (const auto& node : graph.nodes) {
    if (node->child) result += node_count(*node->child);
  }
  return result;
}

bool have_equal_shape(const CUgraph_st& one, const CUgraph_st& other) {
  return std::equal(one.nodes.begin(), one.nodes.end(), other.nodes.begin(), other.nodes.end(),
                    [](const auto& left, const auto& right) {
                      return left->type == right->type && places_before(*left) == places_before(*right) &&
                             (!left->child || have_equal_shape(*left->child, *right->child));
                    });
}

bool update(CUgraphExec_st& executable, const CUgraph_st& graph) {
  if (!have_equal_shape(*executable.origin, graph)) return false;
  std::optional<CUgraphExec_st> updated = instantiate(graph);
  if (!updated) return false;
  updated->last_launch = executable.last_launch;
  updated->frees_on_launch = executable.frees_on_launch;
  // The nodes by which the program knows the parts of the executable graph stay those that it was made of.
  for (std::size_t i = 0; i < updated->steps.size(); ++i)
    updated->steps[i].handle = executable.steps[i].handle;
  executable = std::move(*updated);
  return true;
}

}  // namespace cuda_runtime

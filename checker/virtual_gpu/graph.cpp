#include "virtual_gpu/graph.h"

#include <algorithm>
#include <map>
#include <utility>

#include "device/graph_branches.h"

CUgraphNode_st::~CUgraphNode_st() {
  if (needs.launch) needs.launch->image.destroy(needs.launch->image.closure);
}

CUgraphNode_st& CUgraph_st::add(CUgraphNode_st node) {
  node.graph = this;
  node.number = static_cast<std::uint32_t>(nodes.size());
  return *nodes.emplace_back(std::make_shared<CUgraphNode_st>(std::move(node)));
}

namespace virtual_gpu {
namespace {

/// The places of the nodes, each behind those on which it depends, else in the order in which they were
/// added.
std::vector<std::size_t> issue_order(const CUgraph_st& graph) {
  std::vector<std::size_t> order;
  std::vector<bool> is_issued(graph.nodes.size(), false);
  for (bool has_grown = true; has_grown;) {
    has_grown = false;
    for (const auto& node : graph.nodes) {
      const bool is_ready = std::all_of(node->after.begin(), node->after.end(),
                                        [&](cudaGraphNode_t each) { return is_issued[each->number]; });
      if (is_issued[node->number] || !is_ready) continue;
      is_issued[node->number] = true;
      order.push_back(node->number);
      has_grown = true;
    }
  }
  return order;
}

void add_once(std::vector<std::size_t>& list, std::size_t value) {
  if (std::find(list.begin(), list.end(), value) == list.end()) list.push_back(value);
}

}  // namespace

std::optional<CUgraphExec_st> instantiate(const CUgraph_st& graph) {
  const std::vector<std::size_t> order = issue_order(graph);
  if (order.size() != graph.nodes.size()) return std::nullopt;
  CUgraphExec_st result;
  result.nodes.assign(graph.nodes.begin(), graph.nodes.end());
  std::vector<std::vector<std::size_t>> steps_of(
      graph.nodes.size());  // a node's step, or those before an empty one
  device::graph_branches branches;
  for (const std::size_t place : order) {
    const std::shared_ptr<CUgraphNode_st>& node = graph.nodes[place];
    CUgraphExec_st::step added{node.get(), node, {}, 0};
    for (const cudaGraphNode_t before : node->after) {
      for (const std::size_t each : steps_of[before->number]) add_once(added.after, each);
    }
    if (node->type == cudaGraphNodeTypeEmpty) {
      steps_of[place] = added.after;
      continue;
    }
    steps_of[place] = {result.steps.size()};
    added.branch = branches.add(added.after);
    result.steps.push_back(std::move(added));
  }
  result.branches = branches.count();
  return result;
}

std::unique_ptr<CUgraph_st> clone(const CUgraph_st& graph) {
  auto result = std::make_unique<CUgraph_st>();
  for (const auto& node : graph.nodes) {
    CUgraphNode_st copy;
    copy.type = node->type;
    copy.what = node->what;
    copy.described = node->described;
    copy.needs = node->needs.for_launch_of(node);
    copy.defined_by = node->defined_by;
    result->add(std::move(copy));
  }
  for (const auto& node : graph.nodes) {
    for (const cudaGraphNode_t each : node->after) {
      result->nodes[node->number]->after.push_back(result->nodes[each->number].get());
    }
  }
  return result;
}

bool have_equal_shape(const std::vector<std::shared_ptr<const CUgraphNode_st>>& one,
                      const CUgraph_st& other) {
  const auto places = [](const CUgraphNode_st& node) {
    std::vector<std::uint32_t> result;
    for (const cudaGraphNode_t each : node.after) result.push_back(each->number);
    std::sort(result.begin(), result.end());
    return result;
  };
  return std::equal(one.begin(), one.end(), other.nodes.begin(), other.nodes.end(),
                    [&](const auto& left, const auto& right) {
                      return left->type == right->type && places(*left) == places(*right);
                    });
}

void launch(runtime& run, CUgraphExec_st& graph, const trace::stream& in) {
  device::request whole;
  whole.kind = trace::operation_kind::graph_launch;
  whole.stream = in.id;
  whole.nodes = graph.steps.size();
  if (graph.last_launch != 0) whole.after = {graph.last_launch};
  trace::operation described_whole;
  described_whole.after = whole.after;
  const trace::operation_id id = run.issue(whole, described_whole, {});
  graph.last_launch = id;
  std::vector<trace::operation_id> issued;
  for (const CUgraphExec_st::step& each : graph.steps) {
    const CUgraphNode_st& node = *each.node;
    device::request what = node.what;
    what.stream = in.id;
    what.graph_launch = id;
    what.branch = each.branch;
    for (const std::size_t step : each.after) what.after.push_back(issued[step]);
    if (what.kind == trace::operation_kind::event_wait) what.captured = run.last_record(node.described.event);
    trace::operation described = node.described;
    described.defined_by = node.defined_by;
    issued.push_back(run.issue_node(what, std::move(described), node.needs.for_launch_of(each.node)));
    if (what.kind == trace::operation_kind::event_record)
      run.set_last_record(node.described.event, issued.back());
  }
}

}  // namespace virtual_gpu

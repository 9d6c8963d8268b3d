// Which nodes a graph has, and the edges between them. @see
// https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__GRAPH.html
#include <algorithm>
#include <iterator>

#include "cuda_runtime/api/api_call.h"
#include "cuda_runtime/graph.h"
#include "kernels/exported.h"

using cuda_runtime::api;
using cuda_runtime::api_call;
using trace::api_function;

namespace {

/// Nodes in the order in which they were added. A list of none tells their number only.
cudaError_t list(const std::vector<cudaGraphNode_t>& nodes, cudaGraphNode_t* out, std::size_t* number) {
  if (number == nullptr) return cudaErrorInvalidValue;
  if (out != nullptr)
    std::fill(std::copy_n(nodes.begin(), std::min(*number, nodes.size()), out), out + *number, nullptr);
  if (out == nullptr || *number > nodes.size()) *number = nodes.size();
  return cudaSuccess;
}

/// The same for the other ends of edges, none of which has data.
cudaError_t list(const std::vector<cudaGraphNode_t>& nodes, cudaGraphNode_t* out, cudaGraphEdgeData* data,
                 std::size_t* number) {
  if (number != nullptr && data != nullptr)
    std::fill_n(data, std::min(*number, nodes.size()), cudaGraphEdgeData{});
  return list(nodes, out, number);
}

/// All zero means the same as none: an ordinary edge.
bool has_data(const cudaGraphEdgeData& edge) {
  const auto is_set = [](unsigned char byte) { return byte != 0; };
  return edge.from_port != 0 || edge.to_port != 0 || edge.type != 0 ||
         std::any_of(std::begin(edge.reserved), std::end(edge.reserved), is_set);
}

/// Whether the pairs are nodes of the graph, and edges without data.
cudaError_t check_edges(api_call& call, cudaGraph_t graph, const cudaGraphNode_t* from,
                        const cudaGraphNode_t* to, const cudaGraphEdgeData* data, std::size_t count) {
  if (!call.holds(graph) || (count > 0 && (from == nullptr || to == nullptr))) return cudaErrorInvalidValue;
  const auto is_inside = [&](cudaGraphNode_t node) { return call.holds(node) && node->graph == graph; };
  if (!std::all_of(from, from + count, is_inside) || !std::all_of(to, to + count, is_inside))
    return cudaErrorInvalidValue;
  if (data == nullptr || std::none_of(data, data + count, has_data)) return cudaSuccess;
  call.note(trace::diagnostic_kind::not_supported,
            "edges with data (programmatic dependent launch) are not modelled by the virtual GPU");
  return cudaErrorNotSupported;
}

bool is_edge(cudaGraphNode_t from, cudaGraphNode_t to) {
  return std::find(to->after.begin(), to->after.end(), from) != to->after.end();
}

}  // namespace

extern "C" {

EXPORTED cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                              const cudaGraphNode_t* to, const cudaGraphEdgeData* edgeData,
                                              size_t numDependencies) {
  return api(api_function::cudaGraphAddDependencies, [&](api_call& call) {
    if (const cudaError_t error = check_edges(call, graph, from, to, edgeData, numDependencies)) return error;
    for (std::size_t i = 0; i < numDependencies; ++i) {
      if (from[i] == to[i] || is_edge(from[i], to[i])) return cudaErrorInvalidValue;
      to[i]->after.push_back(from[i]);
    }
    return cudaSuccess;
  });
}

EXPORTED cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                                 const cudaGraphNode_t* to, const cudaGraphEdgeData* edgeData,
                                                 size_t numDependencies) {
  return api(api_function::cudaGraphRemoveDependencies, [&](api_call& call) {
    if (const cudaError_t error = check_edges(call, graph, from, to, edgeData, numDependencies)) return error;
    for (std::size_t i = 0; i < numDependencies; ++i) {
      if (!is_edge(from[i], to[i])) return cudaErrorInvalidValue;
      std::erase(to[i]->after, from[i]);
    }
    return cudaSuccess;
  });
}

EXPORTED cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* numNodes) {
  return api(api_function::cudaGraphGetNodes, [&](api_call& call) {
    if (!call.holds(graph)) return cudaErrorInvalidValue;
    std::vector<cudaGraphNode_t> all;
    for (const auto& other : graph->nodes) all.push_back(other.get());
    return list(all, nodes, numNodes);
  });
}

EXPORTED cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* pRootNodes,
                                           size_t* pNumRootNodes) {
  return api(api_function::cudaGraphGetRootNodes, [&](api_call& call) {
    if (!call.holds(graph)) return cudaErrorInvalidValue;
    std::vector<cudaGraphNode_t> roots;
    for (const auto& other : graph->nodes) {
      if (other->after.empty()) roots.push_back(other.get());
    }
    return list(roots, pRootNodes, pNumRootNodes);
  });
}

EXPORTED cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                                       cudaGraphEdgeData* edgeData, size_t* numEdges) {
  return api(api_function::cudaGraphGetEdges, [&](api_call& call) {
    if (!call.holds(graph) || numEdges == nullptr || (from == nullptr) != (to == nullptr)) {
      return cudaErrorInvalidValue;
    }
    std::size_t count = 0;
    const std::size_t room = from == nullptr ? 0 : *numEdges;
    for (const auto& node : graph->nodes) {
      for (const cudaGraphNode_t before : node->after) {
        if (count < room) {
          from[count] = before;
          to[count] = node.get();
          if (edgeData != nullptr) edgeData[count] = {};
        }
        ++count;
      }
    }
    for (std::size_t unused = count; unused < room; ++unused) from[unused] = to[unused] = nullptr;
    *numEdges = from == nullptr ? count : std::min(count, room);
    return cudaSuccess;
  });
}

EXPORTED cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* pType) {
  return api(api_function::cudaGraphNodeGetType, [&](api_call& call) {
    if (pType == nullptr || !call.holds(node)) return cudaErrorInvalidValue;
    *pType = node->type;
    return cudaSuccess;
  });
}

EXPORTED cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* pDependencies,
                                                  cudaGraphEdgeData* edgeData, size_t* pNumDependencies) {
  return api(api_function::cudaGraphNodeGetDependencies, [&](api_call& call) {
    if (!call.holds(node)) return cudaErrorInvalidValue;
    return list(node->after, pDependencies, edgeData, pNumDependencies);
  });
}

EXPORTED cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t* pDependentNodes,
                                                    cudaGraphEdgeData* edgeData, size_t* pNumDependentNodes) {
  return api(api_function::cudaGraphNodeGetDependentNodes, [&](api_call& call) {
    if (!call.holds(node)) return cudaErrorInvalidValue;
    std::vector<cudaGraphNode_t> dependent;
    for (const auto& other : node->graph->nodes) {
      if (is_edge(node, other.get())) dependent.push_back(other.get());
    }
    return list(dependent, pDependentNodes, edgeData, pNumDependentNodes);
  });
}

EXPORTED cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t* pNode, cudaGraphNode_t originalNode,
                                              cudaGraph_t clonedGraph) {
  return api(api_function::cudaGraphNodeFindInClone, [&](api_call& call) {
    if (pNode == nullptr || originalNode == nullptr || !call.holds(clonedGraph)) return cudaErrorInvalidValue;
    const auto& nodes = clonedGraph->nodes;
    const auto found = std::find_if(nodes.begin(), nodes.end(), [originalNode](const auto& other) {
      return other->cloned_from == originalNode;
    });
    if (found == nodes.end()) return cudaErrorInvalidValue;
    *pNode = found->get();
    return cudaSuccess;
  });
}

EXPORTED cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node) {
  return api(api_function::cudaGraphDestroyNode, [&](api_call& call) {
    if (!call.holds(node)) return cudaErrorInvalidValue;
    if (cuda_runtime::has_memory_nodes(*node->graph)) {
      call.explain("nodes of a graph with memory nodes cannot be destroyed");
      return cudaErrorNotSupported;
    }
    call.run().graphs().note_end(node, call.id());
    node->graph->remove(node);
    return cudaSuccess;
  });
}

}  // extern "C"

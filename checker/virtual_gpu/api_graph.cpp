// Graphs. @see https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__GRAPH.html
#include <algorithm>
#include <cmath>
#include <utility>

#include "virtual_gpu/api_call.h"
#include "virtual_gpu/capture.h"
#include "virtual_gpu/exported.h"
#include "virtual_gpu/graph_table.h"
#include "virtual_gpu/kernel_table.h"
#include "virtual_gpu/launch_limits.h"

using trace::operation_kind;
using virtual_gpu::api_call;

namespace {

/// Whether `count` nodes of that graph can be depended on.
bool are_nodes_of(api_call& call, cudaGraph_t graph, const cudaGraphNode_t* nodes, std::size_t count) {
  if (!call.run().graphs().holds(graph) || (nodes == nullptr && count > 0)) return false;
  return std::all_of(nodes, nodes + count, [&](cudaGraphNode_t each) {
    return call.run().graphs().holds(each) && each->graph == graph;
  });
}

/// Adds the node and closes the call.
cudaError_t add(api_call& call, cudaGraphNode_t* out, cudaGraph_t graph, const cudaGraphNode_t* after,
                std::size_t count, CUgraphNode_st node) {
  if (out == nullptr || !are_nodes_of(call, graph, after, count)) return call.done(cudaErrorInvalidValue);
  for (std::size_t i = 0; i < count; ++i) {
    if (std::find(after, after + i, after[i]) != after + i) return call.done(cudaErrorInvalidValue);
  }
  node.after.assign(after, after + count);
  node.defined_by = call.id();
  *out = &graph->add(std::move(node));
  return call.done(cudaSuccess);
}

/// Makes the node a launch of that kernel with a copy of its arguments.
cudaError_t describe(api_call& call, const cudaKernelNodeParams& wanted, CUgraphNode_st& node) {
  const std::size_t shared = wanted.sharedMemBytes;
  cudaError_t error = cudaSuccess;
  const std::optional<virtual_gpu::kernel_image> image =
      virtual_gpu::kernel_with_arguments(call, wanted.func, wanted.kernelParams, error);
  if (!image) return error;
  node.type = cudaGraphNodeTypeKernel;
  node.what.kind = operation_kind::kernel;
  node.needs.launch = std::make_unique<virtual_gpu::kernel_launch>(
      virtual_gpu::kernel_launch{*image, wanted.gridDim, wanted.blockDim, shared});
  error = virtual_gpu::check_launch(call.run(), image->name, wanted.gridDim, wanted.blockDim, shared);
  node.what.shape = virtual_gpu::shape_of(wanted.gridDim, wanted.blockDim, shared);
  node.described.name = image->name;
  node.described.grid = {wanted.gridDim.x, wanted.gridDim.y, wanted.gridDim.z};
  node.described.block = {wanted.blockDim.x, wanted.blockDim.y, wanted.blockDim.z};
  node.described.shared_memory_bytes = shared;
  return error;
}

/// Nodes in the order in which they were added. A list of none tells their number only.
cudaError_t list(api_call& call, const std::vector<cudaGraphNode_t>& nodes, cudaGraphNode_t* out,
                 std::size_t* number) {
  if (number == nullptr) return call.done(cudaErrorInvalidValue);
  if (out != nullptr) {
    std::fill(std::copy_n(nodes.begin(), std::min(*number, nodes.size()), out),
              out + std::max(*number, std::min(*number, nodes.size())), nullptr);
  }
  if (out == nullptr || *number > nodes.size()) *number = nodes.size();
  return call.done(cudaSuccess);
}

cudaError_t event_node(api_call& call, cudaGraphNode_t* out, cudaGraph_t graph, const cudaGraphNode_t* after,
                       std::size_t count, cudaEvent_t event, operation_kind kind) {
  const trace::event* const named = call.event(event);
  if (named == nullptr) return call.done(cudaErrorInvalidValue);
  CUgraphNode_st node;
  node.type =
      kind == operation_kind::event_record ? cudaGraphNodeTypeEventRecord : cudaGraphNodeTypeWaitEvent;
  node.what.kind = kind;
  node.what.has_timing = named->has_timing;
  node.described.event = named->id;
  return add(call, out, graph, after, count, std::move(node));
}

}  // namespace

extern "C" {

EXPORTED cudaError_t cudaGraphCreate(cudaGraph_t* pGraph, unsigned int flags) {
  api_call call("cudaGraphCreate", __builtin_return_address(0));
  if (!call.is_permitted()) return call.done(cudaErrorNotPermitted);
  if (pGraph == nullptr || flags != 0) return call.done(cudaErrorInvalidValue);
  *pGraph = call.run().graphs().keep(std::make_unique<CUgraph_st>());
  return call.done(cudaSuccess);
}

EXPORTED cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  api_call call("cudaGraphDestroy", __builtin_return_address(0));
  if (!call.is_permitted()) return call.done(cudaErrorNotPermitted);
  if (!call.run().graphs().holds(graph)) return call.done(cudaErrorInvalidValue);
  call.run().graphs().destroy(graph);
  return call.done(cudaSuccess);
}

EXPORTED cudaError_t cudaGraphClone(cudaGraph_t* pGraphClone, cudaGraph_t originalGraph) {
  api_call call("cudaGraphClone", __builtin_return_address(0));
  if (!call.is_permitted()) return call.done(cudaErrorNotPermitted);
  if (pGraphClone == nullptr || !call.run().graphs().holds(originalGraph))
    return call.done(cudaErrorInvalidValue);
  *pGraphClone = call.run().graphs().keep(virtual_gpu::clone(*originalGraph));
  return call.done(cudaSuccess);
}

EXPORTED cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                            const cudaGraphNode_t* pDependencies, size_t numDependencies,
                                            const cudaKernelNodeParams* pNodeParams) {
  api_call call("cudaGraphAddKernelNode", __builtin_return_address(0));
  if (!call.is_permitted()) return call.done(cudaErrorNotPermitted);
  if (pNodeParams == nullptr) return call.done(cudaErrorInvalidValue);
  CUgraphNode_st node;
  if (const cudaError_t error = describe(call, *pNodeParams, node)) return call.done(error);
  return add(call, pGraphNode, graph, pDependencies, numDependencies, std::move(node));
}

EXPORTED cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                          const cudaGraphNode_t* pDependencies, size_t numDependencies,
                                          const cudaHostNodeParams* pNodeParams) {
  api_call call("cudaGraphAddHostNode", __builtin_return_address(0));
  if (!call.is_permitted()) return call.done(cudaErrorNotPermitted);
  if (pNodeParams == nullptr || pNodeParams->fn == nullptr) return call.done(cudaErrorInvalidValue);
  CUgraphNode_st node;
  node.type = cudaGraphNodeTypeHost;
  node.what.kind = operation_kind::host_function;
  node.what.holds_kernels = true;
  node.described.accesses.emplace();
  node.needs.function.function = pNodeParams->fn;
  node.needs.function.argument = pNodeParams->userData;
  return add(call, pGraphNode, graph, pDependencies, numDependencies, std::move(node));
}

EXPORTED cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                           const cudaGraphNode_t* pDependencies, size_t numDependencies) {
  api_call call("cudaGraphAddEmptyNode", __builtin_return_address(0));
  if (!call.is_permitted()) return call.done(cudaErrorNotPermitted);
  return add(call, pGraphNode, graph, pDependencies, numDependencies, {});
}

EXPORTED cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                                 const cudaGraphNode_t* pDependencies, size_t numDependencies,
                                                 cudaEvent_t event) {
  api_call call("cudaGraphAddEventRecordNode", __builtin_return_address(0));
  if (!call.is_permitted()) return call.done(cudaErrorNotPermitted);
  return event_node(call, pGraphNode, graph, pDependencies, numDependencies, event,
                    operation_kind::event_record);
}

EXPORTED cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                               const cudaGraphNode_t* pDependencies, size_t numDependencies,
                                               cudaEvent_t event) {
  api_call call("cudaGraphAddEventWaitNode", __builtin_return_address(0));
  if (!call.is_permitted()) return call.done(cudaErrorNotPermitted);
  return event_node(call, pGraphNode, graph, pDependencies, numDependencies, event,
                    operation_kind::event_wait);
}

EXPORTED cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                              const cudaGraphNode_t* to, const cudaGraphEdgeData* edgeData,
                                              size_t numDependencies) {
  api_call call("cudaGraphAddDependencies", __builtin_return_address(0));
  if (!call.is_permitted()) return call.done(cudaErrorNotPermitted);
  if (!are_nodes_of(call, graph, from, numDependencies) || !are_nodes_of(call, graph, to, numDependencies)) {
    return call.done(cudaErrorInvalidValue);
  }
  if (edgeData != nullptr) {
    call.run().note("not_supported",
                    "edges with data (programmatic dependent launch) are not modelled by the virtual GPU",
                    call.id(), call.record().where);
    return call.done(cudaErrorNotSupported);
  }
  for (std::size_t i = 0; i < numDependencies; ++i) {
    const std::vector<cudaGraphNode_t>& known = to[i]->after;
    if (from[i] == to[i] || std::find(known.begin(), known.end(), from[i]) != known.end()) {
      return call.done(cudaErrorInvalidValue);
    }
    to[i]->after.push_back(from[i]);
  }
  return call.done(cudaSuccess);
}

EXPORTED cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* numNodes) {
  api_call call("cudaGraphGetNodes", __builtin_return_address(0));
  if (!call.is_permitted()) return call.done(cudaErrorNotPermitted);
  if (!call.run().graphs().holds(graph)) return call.done(cudaErrorInvalidValue);
  std::vector<cudaGraphNode_t> all;
  for (const auto& each : graph->nodes) all.push_back(each.get());
  return list(call, all, nodes, numNodes);
}

EXPORTED cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* pRootNodes,
                                           size_t* pNumRootNodes) {
  api_call call("cudaGraphGetRootNodes", __builtin_return_address(0));
  if (!call.is_permitted()) return call.done(cudaErrorNotPermitted);
  if (!call.run().graphs().holds(graph)) return call.done(cudaErrorInvalidValue);
  std::vector<cudaGraphNode_t> roots;
  for (const auto& each : graph->nodes) {
    if (each->after.empty()) roots.push_back(each.get());
  }
  return list(call, roots, pRootNodes, pNumRootNodes);
}

EXPORTED cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                                       cudaGraphEdgeData* edgeData, size_t* numEdges) {
  api_call call("cudaGraphGetEdges", __builtin_return_address(0));
  if (!call.is_permitted()) return call.done(cudaErrorNotPermitted);
  if (!call.run().graphs().holds(graph) || numEdges == nullptr || (from == nullptr) != (to == nullptr)) {
    return call.done(cudaErrorInvalidValue);
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
  *numEdges = from == nullptr ? count : std::min(count, room);
  return call.done(cudaSuccess);
}

EXPORTED cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* pType) {
  api_call call("cudaGraphNodeGetType", __builtin_return_address(0));
  if (!call.is_permitted()) return call.done(cudaErrorNotPermitted);
  if (pType == nullptr || !call.run().graphs().holds(node)) return call.done(cudaErrorInvalidValue);
  *pType = node->type;
  return call.done(cudaSuccess);
}

EXPORTED cudaError_t cudaGraphInstantiate(cudaGraphExec_t* pGraphExec, cudaGraph_t graph,
                                          unsigned long long flags) {
  api_call call("cudaGraphInstantiate", __builtin_return_address(0));
  if (!call.is_permitted()) return call.done(cudaErrorNotPermitted);
  if (pGraphExec == nullptr || !call.run().graphs().holds(graph)) return call.done(cudaErrorInvalidValue);
  if (flags != 0) {
    call.run().note("not_supported", "flags of cudaGraphInstantiate are not modelled by the virtual GPU",
                    call.id(), call.record().where);
    return call.done(cudaErrorNotSupported);
  }
  std::optional<CUgraphExec_st> made = virtual_gpu::instantiate(*graph);
  if (!made) return call.done(cudaErrorInvalidValue);
  call.run().spend(trace::nanoseconds(
      std::llround(call.run().gpu().graph_instantiation * static_cast<double>(graph->nodes.size()))));
  *pGraphExec = call.run().graphs().keep(std::make_unique<CUgraphExec_st>(std::move(*made)));
  return call.done(cudaSuccess);
}

EXPORTED cudaError_t cudaGraphUpload(cudaGraphExec_t graphExec, cudaStream_t stream) {
  api_call call("cudaGraphUpload", __builtin_return_address(0));
  if (!call.is_permitted()) return call.done(cudaErrorNotPermitted);
  const trace::stream* const in = call.stream(stream);
  if (in == nullptr) return call.done(cudaErrorInvalidResourceHandle);
  if (!call.run().graphs().holds(graphExec)) return call.done(cudaErrorInvalidValue);
  return call.done(cudaSuccess);  // the virtual GPU needs no copy of a graph
}

EXPORTED cudaError_t cudaGraphLaunch(cudaGraphExec_t graphExec, cudaStream_t stream) {
  api_call call("cudaGraphLaunch", __builtin_return_address(0));
  if (!call.is_permitted()) return call.done(cudaErrorNotPermitted);
  const trace::stream* const found = call.stream(stream);
  if (found == nullptr) return call.done(cudaErrorInvalidResourceHandle);
  const trace::stream in = *found;
  virtual_gpu::runtime& run = call.run();
  if (!run.graphs().holds(graphExec)) return call.done(cudaErrorInvalidValue);
  if (run.captures().of(in.id) != nullptr) {
    run.note("not_supported", "a graph launch as a node of another graph is not modelled by the virtual GPU",
             call.id(), call.record().where);
    return call.done(cudaErrorNotSupported);
  }
  if (run.sticky_error() != cudaSuccess) return call.done(cudaSuccess);
  const double more = graphExec->branches > 1 ? graphExec->branches - 1 : 0;
  run.spend(trace::nanoseconds(std::llround(run.gpu().graph_branch * more)));
  run.wait_for_room_in_the_launch_queue(in.device);
  virtual_gpu::launch(run, *graphExec, in);
  return call.done(cudaSuccess);
}

EXPORTED cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graphExec) {
  api_call call("cudaGraphExecDestroy", __builtin_return_address(0));
  if (!call.is_permitted()) return call.done(cudaErrorNotPermitted);
  if (!call.run().graphs().holds(graphExec)) return call.done(cudaErrorInvalidValue);
  call.run().graphs().destroy(graphExec);
  return call.done(cudaSuccess);
}

EXPORTED cudaError_t cudaGraphExecUpdate(cudaGraphExec_t hGraphExec, cudaGraph_t hGraph,
                                         cudaGraphExecUpdateResultInfo* resultInfo) {
  api_call call("cudaGraphExecUpdate", __builtin_return_address(0));
  if (!call.is_permitted()) return call.done(cudaErrorNotPermitted);
  const bool is_valid =
      call.run().graphs().holds(hGraphExec) && call.run().graphs().holds(hGraph) && resultInfo != nullptr;
  if (!is_valid) return call.done(cudaErrorInvalidValue);
  *resultInfo = {};
  std::optional<CUgraphExec_st> updated;
  if (virtual_gpu::have_equal_shape(hGraphExec->nodes, *hGraph)) updated = virtual_gpu::instantiate(*hGraph);
  if (!updated) {
    resultInfo->result = cudaGraphExecUpdateErrorTopologyChanged;
    return call.done(cudaErrorGraphExecUpdateFailure);
  }
  updated->last_launch = hGraphExec->last_launch;
  *hGraphExec = std::move(*updated);
  return call.done(cudaSuccess);
}

EXPORTED cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                                      const cudaKernelNodeParams* pNodeParams) {
  api_call call("cudaGraphExecKernelNodeSetParams", __builtin_return_address(0));
  if (!call.is_permitted()) return call.done(cudaErrorNotPermitted);
  if (!call.run().graphs().holds(hGraphExec) || pNodeParams == nullptr)
    return call.done(cudaErrorInvalidValue);
  const auto named = [&](const CUgraphExec_st::step& each) { return each.handle == node; };
  const auto step = std::find_if(hGraphExec->steps.begin(), hGraphExec->steps.end(), named);
  if (step == hGraphExec->steps.end() || step->node->type != cudaGraphNodeTypeKernel)
    return call.done(cudaErrorInvalidValue);
  auto changed = std::make_shared<CUgraphNode_st>();
  if (const cudaError_t error = describe(call, *pNodeParams, *changed)) return call.done(error);
  changed->defined_by = step->node->defined_by;
  step->node = std::move(changed);
  return call.done(cudaSuccess);
}

}  // extern "C"

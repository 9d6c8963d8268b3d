// Nodes of graphs: added by hand, asked, changed. @see
// https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__GRAPH.html
#include <algorithm>
#include <utility>

#include "cuda_runtime/api/api_call.h"
#include "cuda_runtime/api/copies.h"
#include "cuda_runtime/api/graph_memory.h"
#include "cuda_runtime/api/kernel_table.h"
#include "cuda_runtime/api/launch_limits.h"
#include "cuda_runtime/api/volume.h"
#include "cuda_runtime/graph.h"
#include "kernels/exported.h"

using cuda_runtime::api;
using cuda_runtime::api_call;
using cuda_runtime::copy_request;
using cuda_runtime::memory_box;
using cuda_runtime::prepared_operation;
using kernels::memory_block;
using trace::api_function;
using trace::operation_kind;

namespace {

// What a node does, from the parameters that the API takes for its type.

/// A launch of that kernel with a copy of its arguments.
cudaError_t prepare(api_call& call, const cudaKernelNodeParams* wanted, prepared_operation& result) {
  if (wanted == nullptr) return cudaErrorInvalidValue;
  const std::size_t shared = wanted->sharedMemBytes;
  cudaError_t error = cudaSuccess;
  const kernels::called_kernel called =
      cuda_runtime::call_with_arguments(call, wanted->func, wanted->kernelParams, error);
  const auto& image = called.image();
  if (!image) return error;
  const kernels::launch_shape shape{wanted->gridDim, wanted->blockDim};
  result =
      cuda_runtime::prepared(call.run().log().recording(), {kernels::kernel_copy(*image), shape, shared});
  return cuda_runtime::check_launch(call.run(), image->name, shape, shared);
}

cudaError_t prepare(api_call& call, const cudaMemcpy3DParms* wanted, prepared_operation& result) {
  copy_request request;
  if (const cudaError_t error = cuda_runtime::volume_copy(call, wanted, request)) return error;
  return cuda_runtime::prepare(call, request, result);
}

cudaError_t prepare(api_call& call, const cudaMemsetParams* wanted, prepared_operation& result) {
  return wanted == nullptr ? cudaErrorInvalidValue : cuda_runtime::prepare(call, *wanted, result);
}

cudaError_t prepare(api_call& call, const cudaHostNodeParams* wanted, prepared_operation& result) {
  if (wanted == nullptr || wanted->fn == nullptr) return cudaErrorInvalidValue;
  result.request.kind = operation_kind::host_function;
  result.request.holds_kernels = true;
  result.recorded.accesses.emplace();
  result.work = cuda_runtime::stream_function{.function = wanted->fn,
                                              .argument = wanted->userData,
                                              .lender = call.run().in_streams().lender_of(wanted->userData)};
  return cudaSuccess;
}

struct event_of_node {
  cudaEvent_t event;
  operation_kind kind;  ///< event_record or event_wait
};

cudaError_t prepare(api_call& call, const event_of_node& wanted, prepared_operation& result) {
  const trace::event* const named = call.event(wanted.event);
  if (named == nullptr) return cudaErrorInvalidValue;
  result.request.kind = wanted.kind;
  result.request.has_timing = named->has_timing;
  result.recorded.event = named->id;
  return cudaSuccess;
}

/// Whether the nodes are of that graph, each named once.
bool can_be_depended_on(api_call& call, cudaGraph_t graph, const cudaGraphNode_t* nodes, std::size_t count) {
  if (!call.holds(graph) || (nodes == nullptr && count > 0)) return false;
  for (std::size_t i = 0; i < count; ++i) {
    if (!call.holds(nodes[i]) || nodes[i]->graph != graph) return false;
    if (std::find(nodes, nodes + i, nodes[i]) != nodes + i) return false;
  }
  return true;
}

/// Where a node is to be.
struct place {
  cudaGraphNode_t* out;
  cudaGraph_t graph;
  const cudaGraphNode_t* after;
  std::size_t after_count;
};

cudaError_t add(api_call& call, const place& where, CUgraphNode_st node) {
  if (where.out == nullptr || !can_be_depended_on(call, where.graph, where.after, where.after_count))
    return cudaErrorInvalidValue;
  node.after.assign(where.after, where.after + where.after_count);
  *where.out = &where.graph->add(std::move(node));
  return cudaSuccess;
}

/// The work that the parameters ask for, defined by the open call.
template <typename Parameters>
std::shared_ptr<const prepared_operation> work_of(api_call& call, const Parameters& wanted,
                                                  cudaError_t& error) {
  prepared_operation work;
  error = prepare(call, wanted, work);
  if (error != cudaSuccess) return nullptr;
  work.recorded.defined_by = call.id();
  return std::make_shared<const prepared_operation>(std::move(work));
}

template <typename Parameters>
cudaError_t add(api_call& call, const place& where, cudaGraphNodeType type, const Parameters& wanted) {
  CUgraphNode_st node;
  cudaError_t error = cudaSuccess;
  node.type = type;
  node.work = work_of(call, wanted, error);
  return error == cudaSuccess ? add(call, where, std::move(node)) : error;
}

/// Gives a node of a graph other parameters of the same type; executable graphs keep theirs.
template <typename Parameters>
cudaError_t change(api_call& call, cudaGraphNode_t node, cudaGraphNodeType type, const Parameters& wanted) {
  if (!call.holds(node) || node->type != type) return cudaErrorInvalidValue;
  cudaError_t error = cudaSuccess;
  if (auto work = work_of(call, wanted, error)) node->work = std::move(work);
  return error;
}

/// The same in an executable graph, for its later launches.
template <typename Parameters>
cudaError_t change(api_call& call, cudaGraphExec_t graph, cudaGraphNode_t node, operation_kind kind,
                   const Parameters& wanted) {
  if (!call.holds(graph)) return cudaErrorInvalidValue;
  const auto step = std::find_if(graph->steps.begin(), graph->steps.end(),
                                 [node](const auto& known) { return known.handle == node; });
  if (step == graph->steps.end() || step->work->request.kind != kind) return cudaErrorInvalidValue;
  cudaError_t error = cudaSuccess;
  if (auto work = work_of(call, wanted, error)) step->work = std::move(work);
  return error;
}

/// What a node of that type does; nullptr for others.
const prepared_operation* work_in(api_call& call, cudaGraphNode_t node, cudaGraphNodeType type) {
  return call.holds(node) && node->type == type ? node->work.get() : nullptr;
}

cudaError_t tell_event(api_call& call, cudaGraphNode_t node, cudaGraphNodeType type, cudaEvent_t* out) {
  const prepared_operation* const work = work_in(call, node, type);
  if (work == nullptr || out == nullptr) return cudaErrorInvalidValue;
  *out = call.run().events().handle_of(work->recorded.event);
  return cudaSuccess;
}

cudaPitchedPtr pitched_pointer(const memory_box& box) {
  const std::size_t rows = box.pitch > 0 && box.depth > 1 ? box.slice_pitch / box.pitch : box.height;
  return {reinterpret_cast<void*>(box.begin), box.pitch, box.width, rows};
}

cudaMemcpyKind kind_of(device::copy_route route) {
  switch (route) {
    case device::copy_route::host_to_device:
      return cudaMemcpyHostToDevice;
    case device::copy_route::device_to_host:
      return cudaMemcpyDeviceToHost;
    case device::copy_route::host_to_host:
      return cudaMemcpyHostToHost;
    default:
      return cudaMemcpyDeviceToDevice;
  }
}

}  // namespace

extern "C" {

EXPORTED cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                            const cudaGraphNode_t* pDependencies, size_t numDependencies,
                                            const cudaKernelNodeParams* pNodeParams) {
  return api(api_function::cudaGraphAddKernelNode, [&](api_call& call) {
    return add(call, {pGraphNode, graph, pDependencies, numDependencies}, cudaGraphNodeTypeKernel,
               pNodeParams);
  });
}

EXPORTED cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                            const cudaGraphNode_t* pDependencies, size_t numDependencies,
                                            const cudaMemcpy3DParms* pCopyParams) {
  return api(api_function::cudaGraphAddMemcpyNode, {.cost = "cudaGraphAddMemcpyNode1D"}, [&](api_call& call) {
    return add(call, {pGraphNode, graph, pDependencies, numDependencies}, cudaGraphNodeTypeMemcpy,
               pCopyParams);
  });
}

EXPORTED cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                              const cudaGraphNode_t* pDependencies, size_t numDependencies,
                                              void* dst, const void* src, size_t count, cudaMemcpyKind kind) {
  return api(api_function::cudaGraphAddMemcpyNode1D, [&](api_call& call) {
    return add(call, {pGraphNode, graph, pDependencies, numDependencies}, cudaGraphNodeTypeMemcpy,
               copy_request::range(dst, src, count, kind));
  });
}

EXPORTED cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                            const cudaGraphNode_t* pDependencies, size_t numDependencies,
                                            const cudaMemsetParams* pMemsetParams) {
  return api(api_function::cudaGraphAddMemsetNode, [&](api_call& call) {
    return add(call, {pGraphNode, graph, pDependencies, numDependencies}, cudaGraphNodeTypeMemset,
               pMemsetParams);
  });
}

EXPORTED cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                          const cudaGraphNode_t* pDependencies, size_t numDependencies,
                                          const cudaHostNodeParams* pNodeParams) {
  return api(api_function::cudaGraphAddHostNode, [&](api_call& call) {
    return add(call, {pGraphNode, graph, pDependencies, numDependencies}, cudaGraphNodeTypeHost, pNodeParams);
  });
}

EXPORTED cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                                 const cudaGraphNode_t* pDependencies, size_t numDependencies,
                                                 cudaEvent_t event) {
  return api(api_function::cudaGraphAddEventRecordNode, [&](api_call& call) {
    return add(call, {pGraphNode, graph, pDependencies, numDependencies}, cudaGraphNodeTypeEventRecord,
               event_of_node{event, operation_kind::event_record});
  });
}

EXPORTED cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                               const cudaGraphNode_t* pDependencies, size_t numDependencies,
                                               cudaEvent_t event) {
  return api(api_function::cudaGraphAddEventWaitNode, [&](api_call& call) {
    return add(call, {pGraphNode, graph, pDependencies, numDependencies}, cudaGraphNodeTypeWaitEvent,
               event_of_node{event, operation_kind::event_wait});
  });
}

EXPORTED cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                           const cudaGraphNode_t* pDependencies, size_t numDependencies) {
  return api(api_function::cudaGraphAddEmptyNode, [&](api_call& call) {
    return add(call, {pGraphNode, graph, pDependencies, numDependencies}, CUgraphNode_st{});
  });
}

EXPORTED cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                                const cudaGraphNode_t* pDependencies, size_t numDependencies,
                                                cudaGraph_t childGraph) {
  return api(api_function::cudaGraphAddChildGraphNode, [&](api_call& call) {
    if (!call.holds(childGraph)) return cudaErrorInvalidValue;
    if (cuda_runtime::has_memory_nodes(*childGraph)) {
      call.explain("a graph with memory nodes cannot be a child");
      return cudaErrorNotSupported;
    }
    CUgraphNode_st node;
    node.type = cudaGraphNodeTypeGraph;
    node.child = cuda_runtime::clone(*childGraph);
    return add(call, {pGraphNode, graph, pDependencies, numDependencies}, std::move(node));
  });
}

EXPORTED cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t* pGraph) {
  return api(api_function::cudaGraphChildGraphNodeGetGraph, [&](api_call& call) {
    if (pGraph == nullptr || !call.holds(node) || !node->child) return cudaErrorInvalidValue;
    *pGraph = node->child.get();
    return cudaSuccess;
  });
}

EXPORTED cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                              const cudaGraphNode_t* pDependencies, size_t numDependencies,
                                              cudaMemAllocNodeParams* nodeParams) {
  return api(api_function::cudaGraphAddMemAllocNode, [&](api_call& call) {
    if (nodeParams == nullptr) return cudaErrorInvalidValue;
    nodeParams->dptr = nullptr;
    const cudaMemPoolProps& pool = nodeParams->poolProps;
    if (pool.allocType != cudaMemAllocationTypePinned || pool.location.type != cudaMemLocationTypeDevice ||
        !call.run().devices().has(pool.location.id) || nodeParams->bytesize == 0)
      return cudaErrorInvalidValue;
    if (pool.handleTypes != cudaMemHandleTypeNone) return call.not_supported("exported memory of graphs is");
    const auto device = static_cast<std::uint32_t>(pool.location.id);
    const bool is_own =
        std::all_of(nodeParams->accessDescs, nodeParams->accessDescs + nodeParams->accessDescCount,
                    [&](const cudaMemAccessDesc& access) { return access.location.id == pool.location.id; });
    if (!is_own) return call.not_supported("memory of graphs that other devices use is");
    memory_block* const block = cuda_runtime::allocate_for_graph(call, nodeParams->bytesize, device);
    if (block == nullptr) return cudaErrorMemoryAllocation;
    CUgraphNode_st node;
    node.type = cudaGraphNodeTypeMemAlloc;
    node.work = std::make_shared<const prepared_operation>(
        cuda_runtime::memory_operation(operation_kind::allocate, *block, call.id()));
    const cudaError_t error = add(call, {pGraphNode, graph, pDependencies, numDependencies}, std::move(node));
    if (error == cudaSuccess) nodeParams->dptr = reinterpret_cast<void*>(block->begin);
    return error;
  });
}

EXPORTED cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                             const cudaGraphNode_t* pDependencies, size_t numDependencies,
                                             void* dptr) {
  return api(api_function::cudaGraphAddMemFreeNode, [&](api_call& call) {
    const memory_block* const block = cuda_runtime::find_memory_of_graph(call, dptr);
    if (block == nullptr || !call.holds(graph)) return cudaErrorInvalidValue;
    const bool is_freed_twice = std::any_of(graph->nodes.begin(), graph->nodes.end(), [&](const auto& node) {
      return node->type == cudaGraphNodeTypeMemFree && cuda_runtime::memory_of(*node->work) == block->id;
    });
    if (is_freed_twice) return cudaErrorInvalidValue;
    CUgraphNode_st node;
    node.type = cudaGraphNodeTypeMemFree;
    node.work = std::make_shared<const prepared_operation>(
        cuda_runtime::memory_operation(operation_kind::release, *block, call.id()));
    call.run().log().note_release(block->id, call.id());
    return add(call, {pGraphNode, graph, pDependencies, numDependencies}, std::move(node));
  });
}

EXPORTED cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node,
                                                    cudaMemAllocNodeParams* params_out) {
  return api(api_function::cudaGraphMemAllocNodeGetParams, [&](api_call& call) {
    const prepared_operation* const work = work_in(call, node, cudaGraphNodeTypeMemAlloc);
    if (work == nullptr || params_out == nullptr) return cudaErrorInvalidValue;
    const memory_block& block = call.run().memory().block(cuda_runtime::memory_of(*work));
    *params_out = {};
    params_out->poolProps.allocType = cudaMemAllocationTypePinned;
    params_out->poolProps.location = {cudaMemLocationTypeDevice, static_cast<int>(block.device)};
    params_out->bytesize = block.bytes;
    params_out->dptr = reinterpret_cast<void*>(block.begin);
    return cudaSuccess;
  });
}

EXPORTED cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void* dptr_out) {
  return api(api_function::cudaGraphMemFreeNodeGetParams, [&](api_call& call) {
    const prepared_operation* const work = work_in(call, node, cudaGraphNodeTypeMemFree);
    if (work == nullptr || dptr_out == nullptr) return cudaErrorInvalidValue;
    *static_cast<void**>(dptr_out) =
        reinterpret_cast<void*>(call.run().memory().block(cuda_runtime::memory_of(*work)).begin);
    return cudaSuccess;
  });
}

/// The pointers and the arguments are the node's, and valid until its parameters change.
EXPORTED cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams* pNodeParams) {
  return api(api_function::cudaGraphKernelNodeGetParams, [&](api_call& call) {
    const prepared_operation* const work = work_in(call, node, cudaGraphNodeTypeKernel);
    if (work == nullptr || pNodeParams == nullptr) return cudaErrorInvalidValue;
    const kernels::kernel_launch& launch = std::get<cuda_runtime::kernel_payload>(work->work).launch;
    const kernels::kernel_image& kernel = launch.kernel.image;
    if (kernel.function == nullptr) {
      return call.not_supported(
          "the arguments of a kernel that is a template or overloaded, or that has parameters without names or "
          "with constructors, are");
    }
    node->argument_pointers.resize(kernel.argument_count);
    kernel.point_to_arguments(kernel.closure, node->argument_pointers.data());
    *pNodeParams = {const_cast<void*>(kernel.function),
                    launch.shape.grid,
                    launch.shape.block,
                    static_cast<unsigned>(launch.shared_memory_bytes),
                    node->argument_pointers.data(),
                    nullptr};
    return cudaSuccess;
  });
}

EXPORTED cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, cudaMemcpy3DParms* pNodeParams) {
  return api(api_function::cudaGraphMemcpyNodeGetParams, [&](api_call& call) {
    const prepared_operation* const work = work_in(call, node, cudaGraphNodeTypeMemcpy);
    if (work == nullptr || pNodeParams == nullptr) return cudaErrorInvalidValue;
    const auto& copy = std::get<cuda_runtime::copy_payload>(work->work);
    const memory_box& source = copy.source;
    *pNodeParams = {};
    pNodeParams->srcPtr = pitched_pointer(source);
    pNodeParams->dstPtr = pitched_pointer(copy.destination);
    pNodeParams->extent = {source.width, source.height, source.depth};
    pNodeParams->kind = kind_of(work->request.route);
    return cudaSuccess;
  });
}

EXPORTED cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, cudaMemsetParams* pNodeParams) {
  return api(api_function::cudaGraphMemsetNodeGetParams, [&](api_call& call) {
    const prepared_operation* const work = work_in(call, node, cudaGraphNodeTypeMemset);
    if (work == nullptr || pNodeParams == nullptr) return cudaErrorInvalidValue;
    const auto& memset = std::get<cuda_runtime::memset_payload>(work->work);
    const memory_box& box = memset.destination;
    const std::size_t element = memset.element_bytes;
    *pNodeParams = {
        reinterpret_cast<void*>(box.begin), box.pitch,           static_cast<unsigned>(memset.value),
        static_cast<unsigned>(element),     box.width / element, box.height};
    return cudaSuccess;
  });
}

EXPORTED cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, cudaHostNodeParams* pNodeParams) {
  return api(api_function::cudaGraphHostNodeGetParams, [&](api_call& call) {
    const prepared_operation* const work = work_in(call, node, cudaGraphNodeTypeHost);
    if (work == nullptr || pNodeParams == nullptr) return cudaErrorInvalidValue;
    const auto& host_function = std::get<cuda_runtime::stream_function>(work->work);
    *pNodeParams = {host_function.function, host_function.argument};
    return cudaSuccess;
  });
}

EXPORTED cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* event_out) {
  return api(api_function::cudaGraphEventRecordNodeGetEvent,
             [&](api_call& call) { return tell_event(call, node, cudaGraphNodeTypeEventRecord, event_out); });
}

EXPORTED cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* event_out) {
  return api(api_function::cudaGraphEventWaitNodeGetEvent,
             [&](api_call& call) { return tell_event(call, node, cudaGraphNodeTypeWaitEvent, event_out); });
}

EXPORTED cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node,
                                                  const cudaKernelNodeParams* pNodeParams) {
  return api(api_function::cudaGraphKernelNodeSetParams,
             [&](api_call& call) { return change(call, node, cudaGraphNodeTypeKernel, pNodeParams); });
}

EXPORTED cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node,
                                                  const cudaMemcpy3DParms* pNodeParams) {
  return api(api_function::cudaGraphMemcpyNodeSetParams,
             [&](api_call& call) { return change(call, node, cudaGraphNodeTypeMemcpy, pNodeParams); });
}

EXPORTED cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void* dst, const void* src,
                                                    size_t count, cudaMemcpyKind kind) {
  return api(api_function::cudaGraphMemcpyNodeSetParams1D, [&](api_call& call) {
    return change(call, node, cudaGraphNodeTypeMemcpy, copy_request::range(dst, src, count, kind));
  });
}

EXPORTED cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const cudaMemsetParams* pNodeParams) {
  return api(api_function::cudaGraphMemsetNodeSetParams,
             [&](api_call& call) { return change(call, node, cudaGraphNodeTypeMemset, pNodeParams); });
}

EXPORTED cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const cudaHostNodeParams* pNodeParams) {
  return api(api_function::cudaGraphHostNodeSetParams,
             [&](api_call& call) { return change(call, node, cudaGraphNodeTypeHost, pNodeParams); });
}

EXPORTED cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
  return api(api_function::cudaGraphEventRecordNodeSetEvent, [&](api_call& call) {
    return change(call, node, cudaGraphNodeTypeEventRecord,
                  event_of_node{event, operation_kind::event_record});
  });
}

EXPORTED cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
  return api(api_function::cudaGraphEventWaitNodeSetEvent, [&](api_call& call) {
    return change(call, node, cudaGraphNodeTypeWaitEvent, event_of_node{event, operation_kind::event_wait});
  });
}

EXPORTED cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                                      const cudaKernelNodeParams* pNodeParams) {
  return api(api_function::cudaGraphExecKernelNodeSetParams, [&](api_call& call) {
    return change(call, hGraphExec, node, operation_kind::kernel, pNodeParams);
  });
}

EXPORTED cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                                      const cudaMemcpy3DParms* pNodeParams) {
  return api(api_function::cudaGraphExecMemcpyNodeSetParams, [&](api_call& call) {
    return change(call, hGraphExec, node, operation_kind::copy, pNodeParams);
  });
}

EXPORTED cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                                        void* dst, const void* src, size_t count,
                                                        cudaMemcpyKind kind) {
  return api(api_function::cudaGraphExecMemcpyNodeSetParams1D, [&](api_call& call) {
    return change(call, hGraphExec, node, operation_kind::copy, copy_request::range(dst, src, count, kind));
  });
}

EXPORTED cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                                      const cudaMemsetParams* pNodeParams) {
  return api(api_function::cudaGraphExecMemsetNodeSetParams, [&](api_call& call) {
    return change(call, hGraphExec, node, operation_kind::memset, pNodeParams);
  });
}

EXPORTED cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                                    const cudaHostNodeParams* pNodeParams) {
  return api(api_function::cudaGraphExecHostNodeSetParams, [&](api_call& call) {
    return change(call, hGraphExec, node, operation_kind::host_function, pNodeParams);
  });
}

EXPORTED cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode,
                                                          cudaEvent_t event) {
  return api(api_function::cudaGraphExecEventRecordNodeSetEvent, [&](api_call& call) {
    return change(call, hGraphExec, hNode, operation_kind::event_record,
                  event_of_node{event, operation_kind::event_record});
  });
}

EXPORTED cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode,
                                                        cudaEvent_t event) {
  return api(api_function::cudaGraphExecEventWaitNodeSetEvent, [&](api_call& call) {
    return change(call, hGraphExec, hNode, operation_kind::event_wait,
                  event_of_node{event, operation_kind::event_wait});
  });
}

}  // extern "C"

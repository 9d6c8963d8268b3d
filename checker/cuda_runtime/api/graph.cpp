// Graphs as a whole: made, cloned, instantiated, launched, updated. @see
// https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__GRAPH.html
#include "cuda_runtime/graph.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "cuda_runtime/api/api_call.h"
#include "cuda_runtime/capture.h"
#include "kernels/exported.h"

using cuda_runtime::api;
using cuda_runtime::api_call;
using cuda_runtime::prepared_operation;
using trace::api_function;
using trace::operation_kind;

namespace {

/// Whether the memory that the graph allocates is the program's no more; a launch that frees on launch takes it back.
bool can_give_out(cuda_runtime::runtime& run, const CUgraphExec_st& graph) {
  return graph.frees_on_launch || std::none_of(graph.steps.begin(), graph.steps.end(), [&](const auto& step) {
           const bool allocates = step.work->request.kind == operation_kind::allocate;
           return allocates && run.memory().find_given_out(
                                   run.memory().block(cuda_runtime::memory_of(*step.work)).begin) != nullptr;
         });
}

/// Issues a launch and its nodes on behalf of the open call.
void launch(cuda_runtime::runtime& run, CUgraphExec_st& graph, const trace::stream& stream) {
  prepared_operation whole;
  whole.request.kind = operation_kind::graph_launch;
  whole.request.stream = stream.id;
  whole.request.nodes = graph.steps.size();
  if (graph.last_launch != 0) whole.request.after = {graph.last_launch};
  whole.recorded.after = whole.request.after;
  const trace::operation_id id = run.work().issue(std::move(whole));
  graph.last_launch = id;
  std::vector<trace::operation_id> issued;
  for (const CUgraphExec_st::step& step : graph.steps) {
    prepared_operation node = step.work->copy();
    device::request& request = node.request;
    request.stream = stream.id;
    request.graph_launch = id;
    request.branch = step.branch;
    for (const std::size_t before : step.after) request.after.push_back(issued[before]);
    const operation_kind kind = request.kind;
    const trace::event_id event = node.recorded.event;
    if (kind == operation_kind::event_wait) request.captured = run.events().last_record(event);
    if (kind == operation_kind::host_function) run.in_streams().start_driver(stream.device);
    if (const trace::allocation_id memory = cuda_runtime::memory_of(node)) {
      run.memory().block(memory).is_given_back = kind == operation_kind::release;
      if (kind == operation_kind::allocate) run.memory().promise(memory);
    }
    issued.push_back(run.work().issue_node(std::move(node)));
    if (kind == operation_kind::event_record) run.events().set_last_record(event, issued.back());
  }
}

}  // namespace

extern "C" {

EXPORTED cudaError_t cudaGraphCreate(cudaGraph_t* pGraph, unsigned int flags) {
  return api(api_function::cudaGraphCreate, [&](api_call& call) {
    if (pGraph == nullptr || flags != 0) return cudaErrorInvalidValue;
    *pGraph = call.run().graphs().keep(std::make_unique<CUgraph_st>(), call.id());
    return cudaSuccess;
  });
}

EXPORTED cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return api(api_function::cudaGraphDestroy, [&](api_call& call) {
    if (!call.holds(graph) || !call.run().graphs().is_programs_own(graph)) return cudaErrorInvalidValue;
    call.run().graphs().destroy(graph, call.id());
    return cudaSuccess;
  });
}

EXPORTED cudaError_t cudaGraphClone(cudaGraph_t* pGraphClone, cudaGraph_t originalGraph) {
  return api(api_function::cudaGraphClone, [&](api_call& call) {
    if (pGraphClone == nullptr || !call.holds(originalGraph)) return cudaErrorInvalidValue;
    if (cuda_runtime::has_memory_nodes(*originalGraph)) {
      call.explain("a graph with memory nodes cannot be cloned");
      return cudaErrorNotSupported;
    }
    *pGraphClone = call.run().graphs().keep(cuda_runtime::clone(*originalGraph), call.id());
    return cudaSuccess;
  });
}

EXPORTED cudaError_t cudaGraphInstantiate(cudaGraphExec_t* pGraphExec, cudaGraph_t graph,
                                          unsigned long long flags) {
  return api(api_function::cudaGraphInstantiate, [&](api_call& call) {
    if (pGraphExec == nullptr || !call.holds(graph)) return cudaErrorInvalidValue;
    if (flags != 0 && flags != cudaGraphInstantiateFlagAutoFreeOnLaunch) {
      call.note(
          trace::diagnostic_kind::not_supported,
          "flags of cudaGraphInstantiate other than cudaGraphInstantiateFlagAutoFreeOnLaunch are not modelled by the virtual GPU");
      return cudaErrorNotSupported;
    }
    std::optional<CUgraphExec_st> made = cuda_runtime::instantiate(*graph);
    if (!made) return cudaErrorInvalidValue;
    const bool is_second = std::any_of(made->steps.begin(), made->steps.end(), [&](const auto& step) {
      const trace::allocation_id memory = cuda_runtime::memory_of(*step.work);
      return memory != 0 && step.work->request.kind == operation_kind::allocate &&
             call.run().graphs().uses(memory);
    });
    if (is_second) {
      call.explain(
          "a graph with memory nodes can be instantiated again only when the earlier one was destroyed");
      return cudaErrorNotSupported;
    }
    made->frees_on_launch = flags != 0;
    call.run().clock().spend(trace::nanoseconds(std::llround(
        call.run().gpu().graph_instantiation * static_cast<double>(cuda_runtime::node_count(*graph)))));
    *pGraphExec = call.run().graphs().keep(std::make_unique<CUgraphExec_st>(std::move(*made)), call.id());
    return cudaSuccess;
  });
}

EXPORTED cudaError_t cudaGraphUpload(cudaGraphExec_t graphExec, cudaStream_t stream) {
  return api(api_function::cudaGraphUpload, [&](api_call& call) {
    const trace::stream* const target = call.stream(stream);
    if (target == nullptr) return cudaErrorInvalidResourceHandle;
    if (!call.holds(graphExec)) return cudaErrorInvalidValue;
    return cudaSuccess;  // the virtual GPU needs no copy of a graph
  });
}

EXPORTED cudaError_t cudaGraphLaunch(cudaGraphExec_t graphExec, cudaStream_t stream) {
  return api(api_function::cudaGraphLaunch, [&](api_call& call) {
    const trace::stream* const found = call.stream(stream);
    if (found == nullptr) return cudaErrorInvalidResourceHandle;
    const trace::stream target = *found;
    cuda_runtime::runtime& run = call.run();
    if (!call.holds(graphExec)) return cudaErrorInvalidValue;
    if (run.captures().of(target.id) != nullptr) {
      call.note(trace::diagnostic_kind::not_supported,
                "a graph launch as a node of another graph is not modelled by the virtual GPU");
      return cudaErrorNotSupported;
    }
    if (!can_give_out(run, *graphExec)) {
      call.explain(
          "memory that an earlier launch of the graph allocated is not freed; cudaGraphInstantiateFlagAutoFreeOnLaunch frees it");
      return cudaErrorInvalidValue;
    }
    if (run.errors().sticky() != cudaSuccess) return cudaSuccess;
    const double more = graphExec->branches > 1 ? graphExec->branches - 1 : 0;
    run.clock().spend(trace::nanoseconds(std::llround(run.gpu().graph_branch * more)));
    run.clock().wait_for_room_in_launch_queue(target.device);
    launch(run, *graphExec, target);
    return cudaSuccess;
  });
}

EXPORTED cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graphExec) {
  return api(api_function::cudaGraphExecDestroy, [&](api_call& call) {
    if (!call.holds(graphExec)) return cudaErrorInvalidValue;
    call.run().graphs().destroy(graphExec, call.id());
    return cudaSuccess;
  });
}

EXPORTED cudaError_t cudaGraphExecUpdate(cudaGraphExec_t hGraphExec, cudaGraph_t hGraph,
                                         cudaGraphExecUpdateResultInfo* resultInfo) {
  return api(api_function::cudaGraphExecUpdate, [&](api_call& call) {
    const bool is_valid = call.holds(hGraphExec) && call.holds(hGraph) && resultInfo != nullptr;
    if (!is_valid) return cudaErrorInvalidValue;
    *resultInfo = {};
    if (cuda_runtime::update(*hGraphExec, *hGraph)) return cudaSuccess;
    resultInfo->result = cudaGraphExecUpdateErrorTopologyChanged;
    return cudaErrorGraphExecUpdateFailure;
  });
}

}  // extern "C"

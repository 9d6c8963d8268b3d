// Graphs as a whole: made, cloned, instantiated, launched, updated. @see
// https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__GRAPH.html
#include <cmath>
#include <utility>

#include "cuda_runtime/api/api_call.h"
#include "cuda_runtime/capture.h"
#include "kernels/exported.h"
#include "cuda_runtime/graph_table.h"

using cuda_runtime::api_call;

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
  if (!call.run().graphs().is_programs_own(graph)) return call.done(cudaErrorInvalidValue);
  call.run().graphs().destroy(graph);
  return call.done(cudaSuccess);
}

EXPORTED cudaError_t cudaGraphClone(cudaGraph_t* pGraphClone, cudaGraph_t originalGraph) {
  api_call call("cudaGraphClone", __builtin_return_address(0));
  if (!call.is_permitted()) return call.done(cudaErrorNotPermitted);
  if (pGraphClone == nullptr || !call.run().graphs().holds(originalGraph))
    return call.done(cudaErrorInvalidValue);
  *pGraphClone = call.run().graphs().keep(cuda_runtime::clone(*originalGraph));
  return call.done(cudaSuccess);
}

EXPORTED cudaError_t cudaGraphInstantiate(cudaGraphExec_t* pGraphExec, cudaGraph_t graph,
                                          unsigned long long flags) {
  api_call call("cudaGraphInstantiate", __builtin_return_address(0));
  if (!call.is_permitted()) return call.done(cudaErrorNotPermitted);
  if (pGraphExec == nullptr || !call.run().graphs().holds(graph)) return call.done(cudaErrorInvalidValue);
  if (flags != 0) {
    call.note(trace::diagnostic_kind::not_supported,
              "flags of cudaGraphInstantiate are not modelled by the virtual GPU");
    return call.done(cudaErrorNotSupported);
  }
  std::optional<CUgraphExec_st> made = cuda_runtime::instantiate(*graph);
  if (!made) return call.done(cudaErrorInvalidValue);
  call.run().spend(trace::nanoseconds(std::llround(call.run().gpu().graph_instantiation *
                                                   static_cast<double>(cuda_runtime::node_count(*graph)))));
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
  cuda_runtime::runtime& run = call.run();
  if (!run.graphs().holds(graphExec)) return call.done(cudaErrorInvalidValue);
  if (run.captures().of(in.id) != nullptr) {
    call.note(trace::diagnostic_kind::not_supported,
              "a graph launch as a node of another graph is not modelled by the virtual GPU");
    return call.done(cudaErrorNotSupported);
  }
  if (run.sticky_error() != cudaSuccess) return call.done(cudaSuccess);
  const double more = graphExec->branches > 1 ? graphExec->branches - 1 : 0;
  run.spend(trace::nanoseconds(std::llround(run.gpu().graph_branch * more)));
  run.wait_for_room_in_the_launch_queue(in.device);
  cuda_runtime::launch(run, *graphExec, in);
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
  if (cuda_runtime::have_equal_shape(*hGraphExec->origin, *hGraph))
    updated = cuda_runtime::instantiate(*hGraph);
  if (!updated) {
    resultInfo->result = cudaGraphExecUpdateErrorTopologyChanged;
    return call.done(cudaErrorGraphExecUpdateFailure);
  }
  updated->last_launch = hGraphExec->last_launch;
  // The nodes by which the program knows the parts of the executable graph stay those that it was made of.
  for (std::size_t i = 0; i < updated->steps.size(); ++i)
    updated->steps[i].handle = hGraphExec->steps[i].handle;
  *hGraphExec = std::move(*updated);
  return call.done(cudaSuccess);
}

}  // extern "C"

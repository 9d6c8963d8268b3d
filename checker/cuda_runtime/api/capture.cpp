// Streams that capture. @see https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__STREAM.html
#include "cuda_runtime/capture.h"

#include "cuda_runtime/api/api_call.h"
#include "cuda_runtime/graph.h"
#include "kernels/exported.h"

using cuda_runtime::api;
using cuda_runtime::api_call;
using cuda_runtime::capture;
using trace::api_function;

namespace {

bool is_mode(cudaStreamCaptureMode mode) {
  return mode >= cudaStreamCaptureModeGlobal && mode <= cudaStreamCaptureModeRelaxed;
}

/// The state of a stream; the legacy stream has none while blocking streams capture.
cudaError_t state_of(api_call& call, const trace::stream& stream, cudaStreamCaptureStatus& status) {
  cuda_runtime::capture_table& captures = call.run().captures();
  if (stream.kind == trace::stream_kind::legacy_default &&
      captures.is_legacy_blocked(stream, call.run().streams().all())) {
    return cudaErrorStreamCaptureImplicit;
  }
  const capture* const own = captures.of(stream.id);
  status = own == nullptr  ? cudaStreamCaptureStatusNone
           : own->is_valid ? cudaStreamCaptureStatusActive
                           : cudaStreamCaptureStatusInvalidated;
  return cudaSuccess;
}

}  // namespace

extern "C" {

EXPORTED cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  return api(api_function::cudaStreamBeginCapture, [&](api_call& call) {
    const trace::stream* const found = call.stream(stream);
    if (found == nullptr) return cudaErrorInvalidResourceHandle;
    if (!is_mode(mode)) return cudaErrorInvalidValue;
    if (found->kind == trace::stream_kind::legacy_default) return cudaErrorStreamCaptureUnsupported;
    if (call.run().captures().of(found->id) != nullptr) return cudaErrorIllegalState;
    call.run().captures().begin(*found, mode, call.record().thread);
    return cudaSuccess;
  });
}

EXPORTED cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* pGraph) {
  return api(api_function::cudaStreamEndCapture, [&](api_call& call) {
    const trace::stream* const found = call.stream(stream);
    if (found == nullptr) return cudaErrorInvalidResourceHandle;
    if (pGraph == nullptr) return cudaErrorInvalidValue;
    *pGraph = nullptr;
    std::unique_ptr<CUgraph_st> graph;
    const cudaError_t error = call.run().captures().end(*found, call.record().thread, graph);
    if (graph) *pGraph = call.run().graphs().keep(std::move(graph), call.id());
    return error;
  });
}

EXPORTED cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* pCaptureStatus) {
  return api(api_function::cudaStreamIsCapturing, [&](api_call& call) {
    const trace::stream* const found = call.stream(stream);
    if (found == nullptr) return cudaErrorInvalidResourceHandle;
    if (pCaptureStatus == nullptr) return cudaErrorInvalidValue;
    return state_of(call, *found, *pCaptureStatus);
  });
}

EXPORTED cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* captureStatus_out,
                                              unsigned long long* id_out, cudaGraph_t* graph_out,
                                              const cudaGraphNode_t** dependencies_out,
                                              const cudaGraphEdgeData** edgeData_out,
                                              size_t* numDependencies_out) {
  return api(api_function::cudaStreamGetCaptureInfo, [&](api_call& call) {
    const trace::stream* const found = call.stream(stream);
    if (found == nullptr) return cudaErrorInvalidResourceHandle;
    if (captureStatus_out == nullptr) return cudaErrorInvalidValue;
    if (const cudaError_t error = state_of(call, *found, *captureStatus_out)) return error;
    const capture* const own = call.run().captures().of(found->id);
    if (own == nullptr || !own->is_valid) return cudaSuccess;
    const std::vector<cudaGraphNode_t>& end = own->ends.at(found->id);
    if (id_out != nullptr) *id_out = own->id;
    if (graph_out != nullptr) *graph_out = own->graph.get();
    if (dependencies_out != nullptr) *dependencies_out = end.data();
    if (edgeData_out != nullptr) *edgeData_out = nullptr;
    if (numDependencies_out != nullptr) *numDependencies_out = end.size();
    return cudaSuccess;
  });
}

EXPORTED cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  return api(api_function::cudaThreadExchangeStreamCaptureMode, [&](api_call& call) {
    if (mode == nullptr || !is_mode(*mode)) return cudaErrorInvalidValue;
    std::swap(*mode, call.run().captures().mode_of(call.record().thread));
    return cudaSuccess;
  });
}

}  // extern "C"

// Streams that capture. @see https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__STREAM.html
#include "cuda_runtime/api/api_call.h"
#include "cuda_runtime/capture.h"
#include "kernels/exported.h"
#include "cuda_runtime/graph_table.h"

using cuda_runtime::api_call;
using cuda_runtime::capture;

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
  api_call call("cudaStreamBeginCapture", __builtin_return_address(0));
  if (!call.is_permitted()) return call.done(cudaErrorNotPermitted);
  const trace::stream* const in = call.stream(stream);
  if (in == nullptr) return call.done(cudaErrorInvalidResourceHandle);
  if (!is_mode(mode)) return call.done(cudaErrorInvalidValue);
  if (in->kind == trace::stream_kind::legacy_default) return call.done(cudaErrorStreamCaptureUnsupported);
  if (call.run().captures().of(in->id) != nullptr) return call.done(cudaErrorIllegalState);
  call.run().captures().begin(*in, mode, call.record().thread);
  return call.done(cudaSuccess);
}

EXPORTED cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* pGraph) {
  api_call call("cudaStreamEndCapture", __builtin_return_address(0));
  if (!call.is_permitted()) return call.done(cudaErrorNotPermitted);
  const trace::stream* const in = call.stream(stream);
  if (in == nullptr) return call.done(cudaErrorInvalidResourceHandle);
  if (pGraph == nullptr) return call.done(cudaErrorInvalidValue);
  *pGraph = nullptr;
  std::unique_ptr<CUgraph_st> graph;
  const cudaError_t error = call.run().captures().end(*in, call.record().thread, graph);
  if (graph) *pGraph = call.run().graphs().keep(std::move(graph));
  return call.done(error);
}

EXPORTED cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* pCaptureStatus) {
  api_call call("cudaStreamIsCapturing", __builtin_return_address(0));
  if (!call.is_permitted()) return call.done(cudaErrorNotPermitted);
  const trace::stream* const of = call.stream(stream);
  if (of == nullptr) return call.done(cudaErrorInvalidResourceHandle);
  if (pCaptureStatus == nullptr) return call.done(cudaErrorInvalidValue);
  return call.done(state_of(call, *of, *pCaptureStatus));
}

EXPORTED cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* captureStatus_out,
                                              unsigned long long* id_out, cudaGraph_t* graph_out,
                                              const cudaGraphNode_t** dependencies_out,
                                              const cudaGraphEdgeData** edgeData_out,
                                              size_t* numDependencies_out) {
  api_call call("cudaStreamGetCaptureInfo", __builtin_return_address(0));
  if (!call.is_permitted()) return call.done(cudaErrorNotPermitted);
  const trace::stream* const of = call.stream(stream);
  if (of == nullptr) return call.done(cudaErrorInvalidResourceHandle);
  if (captureStatus_out == nullptr) return call.done(cudaErrorInvalidValue);
  if (const cudaError_t error = state_of(call, *of, *captureStatus_out)) return call.done(error);
  const capture* const own = call.run().captures().of(of->id);
  if (own == nullptr || !own->is_valid) return call.done(cudaSuccess);
  const std::vector<cudaGraphNode_t>& end = own->ends.at(of->id);
  if (id_out != nullptr) *id_out = own->id;
  if (graph_out != nullptr) *graph_out = own->graph.get();
  if (dependencies_out != nullptr) *dependencies_out = end.data();
  if (edgeData_out != nullptr) *edgeData_out = nullptr;
  if (numDependencies_out != nullptr) *numDependencies_out = end.size();
  return call.done(cudaSuccess);
}

EXPORTED cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  api_call call("cudaThreadExchangeStreamCaptureMode", __builtin_return_address(0));
  if (!call.is_permitted()) return call.done(cudaErrorNotPermitted);
  if (mode == nullptr || !is_mode(*mode)) return call.done(cudaErrorInvalidValue);
  std::swap(*mode, call.run().capture_mode(call.record().thread));
  return call.done(cudaSuccess);
}

}  // extern "C"

// Streams.
#include "cuda_runtime/api/api_call.h"
#include "cuda_runtime/capture.h"
#include "kernels/exported.h"
#include "cuda_runtime/api/launch_limits.h"

using cuda_runtime::api_call;

namespace {

/// Priorities out of range are clamped, as the documentation says.
cudaError_t create(api_call& call, cudaStream_t* out, unsigned int flags, int priority) {
  if (out == nullptr || (flags != cudaStreamDefault && flags != cudaStreamNonBlocking)) {
    return call.done(cudaErrorInvalidValue);
  }
  const trace::stream_blocking blocking = flags == cudaStreamNonBlocking
                                              ? trace::stream_blocking::non_blocking
                                              : trace::stream_blocking::blocking;
  cuda_runtime::runtime& run = call.run();
  *out = run.streams().create(run.current_device(), blocking,
                              cuda_runtime::clamped_priority(run.gpu(), priority), call.id());
  call.stream(*out);
  return call.done(cudaSuccess);
}

bool is_default(cudaStream_t handle) {
  return handle == nullptr || handle == cudaStreamLegacy || handle == cudaStreamPerThread;
}

}  // namespace

extern "C" {

EXPORTED cudaError_t cudaStreamCreate(cudaStream_t* pStream) {
  api_call call("cudaStreamCreate", __builtin_return_address(0));
  if (!call.is_permitted()) return call.done(cudaErrorNotPermitted);
  return create(call, pStream, cudaStreamDefault, 0);
}

EXPORTED cudaError_t cudaStreamCreateWithFlags(cudaStream_t* pStream, unsigned int flags) {
  api_call call("cudaStreamCreateWithFlags", __builtin_return_address(0));
  if (!call.is_permitted()) return call.done(cudaErrorNotPermitted);
  return create(call, pStream, flags, 0);
}

EXPORTED cudaError_t cudaStreamCreateWithPriority(cudaStream_t* pStream, unsigned int flags, int priority) {
  api_call call("cudaStreamCreateWithPriority", __builtin_return_address(0));
  if (!call.is_permitted()) return call.done(cudaErrorNotPermitted);
  return create(call, pStream, flags, priority);
}

EXPORTED cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  api_call call("cudaStreamDestroy", __builtin_return_address(0));
  if (!call.is_permitted()) return call.done(cudaErrorNotPermitted);
  if (is_default(stream) || call.stream(stream) == nullptr) return call.done(cudaErrorInvalidResourceHandle);
  call.run().streams().destroy(stream, call.id());
  return call.done(cudaSuccess);
}

EXPORTED cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  api_call call("cudaStreamSynchronize", __builtin_return_address(0));
  if (!call.is_permitted()) return call.done(cudaErrorNotPermitted);
  const trace::stream* const found = call.stream(stream);
  if (found == nullptr) return call.done(cudaErrorInvalidResourceHandle);
  call.run().wait_for_stream(*found);
  return call.done(cudaSuccess);
}

EXPORTED cudaError_t cudaStreamQuery(cudaStream_t stream) {
  api_call call("cudaStreamQuery", __builtin_return_address(0));
  if (!call.is_permitted()) return call.done(cudaErrorNotPermitted);
  const trace::stream* const found = call.stream(stream);
  if (found == nullptr) return call.done(cudaErrorInvalidResourceHandle);
  if (!call.run().is_idle(*found)) return call.done(cudaErrorNotReady);
  call.run().note_synchronization();
  return call.done(cudaSuccess);
}

EXPORTED cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags) {
  api_call call("cudaStreamWaitEvent", __builtin_return_address(0));
  if (!call.is_permitted()) return call.done(cudaErrorNotPermitted);
  const trace::stream* const waiting = call.stream(stream);
  const trace::event* const awaited = call.event(event);
  if (waiting == nullptr || awaited == nullptr) return call.done(cudaErrorInvalidResourceHandle);
  if (flags == cudaEventWaitExternal)
    return call.not_supported("cudaEventWaitExternal, which is for graphs, is");
  if (flags != cudaEventWaitDefault) return call.done(cudaErrorInvalidValue);
  bool is_captured = false;
  const cudaError_t error = call.run().captures().wait(
      *waiting, awaited->id, call.run().events().last_record(awaited->id) != 0, is_captured);
  if (is_captured) return call.done(error);
  trace::operation described;
  described.event = awaited->id;
  device::request what;
  what.kind = trace::operation_kind::event_wait;
  what.stream = waiting->id;
  what.captured = call.run().events().last_record(awaited->id);
  call.run().issue(what, described, {});
  return call.done(cudaSuccess);
}

EXPORTED cudaError_t cudaStreamGetFlags(cudaStream_t hStream, unsigned int* flags) {
  api_call call("cudaStreamGetFlags", __builtin_return_address(0));
  if (!call.is_permitted()) return call.done(cudaErrorNotPermitted);
  const trace::stream* const found = call.stream(hStream);
  if (found == nullptr) return call.done(cudaErrorInvalidResourceHandle);
  if (flags == nullptr) return call.done(cudaErrorInvalidValue);
  *flags =
      found->blocking == trace::stream_blocking::non_blocking ? cudaStreamNonBlocking : cudaStreamDefault;
  return call.done(cudaSuccess);
}

EXPORTED cudaError_t cudaStreamGetPriority(cudaStream_t hStream, int* priority) {
  api_call call("cudaStreamGetPriority", __builtin_return_address(0));
  if (!call.is_permitted()) return call.done(cudaErrorNotPermitted);
  const trace::stream* const found = call.stream(hStream);
  if (found == nullptr) return call.done(cudaErrorInvalidResourceHandle);
  if (priority == nullptr) return call.done(cudaErrorInvalidValue);
  *priority = found->priority;
  return call.done(cudaSuccess);
}

EXPORTED cudaError_t cudaStreamGetDevice(cudaStream_t hStream, int* device) {
  api_call call("cudaStreamGetDevice", __builtin_return_address(0));
  if (!call.is_permitted()) return call.done(cudaErrorNotPermitted);
  const trace::stream* const found = call.stream(hStream);
  if (found == nullptr) return call.done(cudaErrorInvalidResourceHandle);
  if (device == nullptr) return call.done(cudaErrorInvalidValue);
  *device = static_cast<int>(found->device);
  return call.done(cudaSuccess);
}

EXPORTED cudaError_t cudaStreamGetId(cudaStream_t hStream, unsigned long long* streamId) {
  api_call call("cudaStreamGetId", __builtin_return_address(0));
  if (!call.is_permitted()) return call.done(cudaErrorNotPermitted);
  const trace::stream* const found = call.stream(hStream);
  if (found == nullptr) return call.done(cudaErrorInvalidResourceHandle);
  if (streamId == nullptr) return call.done(cudaErrorInvalidValue);
  *streamId = found->id;
  return call.done(cudaSuccess);
}

}  // extern "C"

// Streams.
#include "cuda_runtime/api/api_call.h"
#include "cuda_runtime/api/launch_limits.h"
#include "cuda_runtime/capture.h"
#include "kernels/exported.h"

using cuda_runtime::api;
using cuda_runtime::api_call;
using trace::api_function;

namespace {

/// Priorities out of range are clamped, as the documentation says.
cudaError_t create(api_call& call, cudaStream_t* out, unsigned int flags, int priority) {
  if (out == nullptr || (flags != cudaStreamDefault && flags != cudaStreamNonBlocking)) {
    return cudaErrorInvalidValue;
  }
  const trace::stream_blocking blocking = flags == cudaStreamNonBlocking
                                              ? trace::stream_blocking::non_blocking
                                              : trace::stream_blocking::blocking;
  cuda_runtime::runtime& run = call.run();
  run.streams().create(out, run.current_device(), blocking,
                       cuda_runtime::clamped_priority(run.gpu(), priority), call.id());
  call.stream(*out);
  call.note_result(out, sizeof *out);
  return cudaSuccess;
}

bool is_default(cudaStream_t handle) {
  return handle == nullptr || handle == cudaStreamLegacy || handle == cudaStreamPerThread;
}

}  // namespace

extern "C" {

EXPORTED cudaError_t cudaStreamCreate(cudaStream_t* pStream) {
  return api(api_function::cudaStreamCreate,
             [&](api_call& call) { return create(call, pStream, cudaStreamDefault, 0); });
}

EXPORTED cudaError_t cudaStreamCreateWithFlags(cudaStream_t* pStream, unsigned int flags) {
  return api(api_function::cudaStreamCreateWithFlags,
             [&](api_call& call) { return create(call, pStream, flags, 0); });
}

EXPORTED cudaError_t cudaStreamCreateWithPriority(cudaStream_t* pStream, unsigned int flags, int priority) {
  return api(api_function::cudaStreamCreateWithPriority,
             [&](api_call& call) { return create(call, pStream, flags, priority); });
}

EXPORTED cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return api(api_function::cudaStreamDestroy, [&](api_call& call) {
    if (is_default(stream)) {
      call.explain(stream == nullptr ? "the handle is 0: that is the default stream, which nobody can destroy"
                                     : "the handle is that of a default stream, which nobody can destroy");
      return cudaErrorInvalidResourceHandle;
    }
    if (call.stream(stream) == nullptr) return cudaErrorInvalidResourceHandle;
    call.run().streams().destroy(stream, call.id());
    return cudaSuccess;
  });
}

EXPORTED cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return api(api_function::cudaStreamSynchronize, [&](api_call& call) {
    const trace::stream* const found = call.stream(stream);
    if (found == nullptr) return cudaErrorInvalidResourceHandle;
    call.run().clock().wait_for_stream(*found);
    return cudaSuccess;
  });
}

EXPORTED cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return api(api_function::cudaStreamQuery, [&](api_call& call) {
    const trace::stream* const found = call.stream(stream);
    if (found == nullptr) return cudaErrorInvalidResourceHandle;
    if (!call.run().work().is_idle(*found)) return cudaErrorNotReady;
    call.run().clock().note_synchronization();
    return cudaSuccess;
  });
}

EXPORTED cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags) {
  return api(api_function::cudaStreamWaitEvent, [&](api_call& call) {
    const trace::stream* const waiting = call.stream(stream);
    const trace::event* const awaited = call.event(event);
    if (waiting == nullptr || awaited == nullptr) return cudaErrorInvalidResourceHandle;
    if (flags == cudaEventWaitExternal)
      return call.not_supported("cudaEventWaitExternal, which is for graphs, is");
    if (flags != cudaEventWaitDefault) return cudaErrorInvalidValue;
    bool is_captured = false;
    const cudaError_t error = call.run().captures().wait(
        *waiting, awaited->id, call.run().events().last_record(awaited->id) != 0, is_captured);
    if (is_captured) return error;
    cuda_runtime::prepared_operation wait;
    wait.request.kind = trace::operation_kind::event_wait;
    wait.request.stream = waiting->id;
    wait.request.captured = call.run().events().last_record(awaited->id);
    wait.recorded.event = awaited->id;
    call.run().work().issue(std::move(wait));
    return cudaSuccess;
  });
}

EXPORTED cudaError_t cudaStreamGetFlags(cudaStream_t hStream, unsigned int* flags) {
  return api(api_function::cudaStreamGetFlags, [&](api_call& call) {
    const trace::stream* const found = call.stream(hStream);
    if (found == nullptr) return cudaErrorInvalidResourceHandle;
    if (flags == nullptr) return cudaErrorInvalidValue;
    *flags =
        found->blocking == trace::stream_blocking::non_blocking ? cudaStreamNonBlocking : cudaStreamDefault;
    return cudaSuccess;
  });
}

EXPORTED cudaError_t cudaStreamGetPriority(cudaStream_t hStream, int* priority) {
  return api(api_function::cudaStreamGetPriority, [&](api_call& call) {
    const trace::stream* const found = call.stream(hStream);
    if (found == nullptr) return cudaErrorInvalidResourceHandle;
    if (priority == nullptr) return cudaErrorInvalidValue;
    *priority = found->priority;
    return cudaSuccess;
  });
}

EXPORTED cudaError_t cudaStreamGetDevice(cudaStream_t hStream, int* device) {
  return api(api_function::cudaStreamGetDevice, [&](api_call& call) {
    const trace::stream* const found = call.stream(hStream);
    if (found == nullptr) return cudaErrorInvalidResourceHandle;
    if (device == nullptr) return cudaErrorInvalidValue;
    *device = static_cast<int>(found->device);
    return cudaSuccess;
  });
}

EXPORTED cudaError_t cudaStreamGetId(cudaStream_t hStream, unsigned long long* streamId) {
  return api(api_function::cudaStreamGetId, [&](api_call& call) {
    const trace::stream* const found = call.stream(hStream);
    if (found == nullptr) return cudaErrorInvalidResourceHandle;
    if (streamId == nullptr) return cudaErrorInvalidValue;
    *streamId = found->id;
    return cudaSuccess;
  });
}

}  // extern "C"

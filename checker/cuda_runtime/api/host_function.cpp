// Host functions in streams.
#include "cuda_runtime/api/api_call.h"
#include "kernels/exported.h"

using cuda_runtime::api_call;

extern "C" {

EXPORTED cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn, void* userData) {
  api_call call("cudaLaunchHostFunc", __builtin_return_address(0));
  if (!call.is_permitted()) return call.done(cudaErrorNotPermitted);
  const trace::stream* const in = call.stream(stream);
  if (in == nullptr) return call.done(cudaErrorInvalidResourceHandle);
  if (fn == nullptr) return call.done(cudaErrorInvalidValue);
  call.run().add_host_function(*in, {.function = fn, .argument = userData});
  return call.done(cudaSuccess);
}

EXPORTED cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* userData,
                                           unsigned int flags) {
  api_call call("cudaStreamAddCallback", __builtin_return_address(0));
  if (!call.is_permitted()) return call.done(cudaErrorNotPermitted);
  const trace::stream* const in = call.stream(stream);
  if (in == nullptr) return call.done(cudaErrorInvalidResourceHandle);
  if (callback == nullptr || flags != 0) return call.done(cudaErrorInvalidValue);
  call.run().add_host_function(*in, {.callback = callback, .stream = stream, .argument = userData});
  return call.done(cudaSuccess);
}

}  // extern "C"

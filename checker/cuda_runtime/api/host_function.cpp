// Host functions in streams.
#include "cuda_runtime/api/api_call.h"
#include "kernels/exported.h"

using cuda_runtime::api;
using cuda_runtime::api_call;
using trace::api_function;

extern "C" {

EXPORTED cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn, void* userData) {
  return api(api_function::cudaLaunchHostFunc, [&](api_call& call) {
    const trace::stream* const found = call.stream(stream);
    if (found == nullptr) return cudaErrorInvalidResourceHandle;
    if (const cudaError_t failed = call.run().errors().sticky(); failed != cudaSuccess) return failed;
    if (fn == nullptr) return cudaErrorInvalidValue;
    call.run().in_streams().add(*found, {.function = fn, .argument = userData});
    return cudaSuccess;
  });
}

EXPORTED cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* userData,
                                           unsigned int flags) {
  return api(api_function::cudaStreamAddCallback, [&](api_call& call) {
    const trace::stream* const found = call.stream(stream);
    if (found == nullptr) return cudaErrorInvalidResourceHandle;
    if (const cudaError_t failed = call.run().errors().sticky(); failed != cudaSuccess) return failed;
    if (callback == nullptr || flags != 0) return cudaErrorInvalidValue;
    call.run().in_streams().add(*found, {.callback = callback, .stream = stream, .argument = userData});
    return cudaSuccess;
  });
}

}  // extern "C"

// The error variable and the names of errors.
#include "cuda_runtime/api/api_call.h"
#include "cuda_runtime/api/error_texts.h"
#include "include/not_modelled.h"
#include "kernels/exported.h"

using cuda_runtime::api;
using cuda_runtime::api_call;
using cuda_runtime::failure_rule;
using trace::api_function;

extern "C" {

EXPORTED const char* cudaGetErrorName(cudaError_t error) {
  const cuda_runtime::error_text* const found = cuda_runtime::find_error_text(error);
  return found != nullptr ? found->name : "unrecognized error code";
}

EXPORTED const char* cudaGetErrorString(cudaError_t error) {
  const cuda_runtime::error_text* const found = cuda_runtime::find_error_text(error);
  return found != nullptr ? found->sentence : "unrecognized error code";
}

// Neither fails itself when it reports the error of another call.

EXPORTED cudaError_t cudaGetLastError() {
  cudaError_t error = cudaSuccess;
  api(api_function::cudaGetLastError, {.after_failure = failure_rule::answered}, [&](api_call& call) {
    error = call.run().errors().last();
    call.run().errors().set_last(cudaSuccess);
    return cudaSuccess;
  });
  return error;
}

EXPORTED cudaError_t cudaPeekAtLastError() {
  cudaError_t error = cudaSuccess;
  api(api_function::cudaPeekAtLastError, {.after_failure = failure_rule::answered}, [&](api_call& call) {
    error = call.run().errors().last();
    return cudaSuccess;
  });
  return error;
}

}  // extern "C"

EXPORTED cudaError_t virtual_gpu::not_modelled(const char* function, const volatile void* const*) {
  api_call call(function, __builtin_return_address(0));
  return call.close(call.not_supported(std::string(function) + " is"));
}

// The error variable and the names of errors.
#include "cuda_runtime/api/api_call.h"
#include "cuda_runtime/api/error_texts.h"
#include "kernels/exported.h"
#include "include/not_modelled.h"

using cuda_runtime::api_call;

namespace {

/// Closes a call that reports another call's error: it did not fail itself.
cudaError_t report(api_call& call, cudaError_t error) {
  call.done_regardless(cudaSuccess);
  return error;
}

}  // namespace

extern "C" {

EXPORTED const char* cudaGetErrorName(cudaError_t error) {
  const cuda_runtime::error_text* const found = cuda_runtime::find_error_text(error);
  return found != nullptr ? found->name : "unrecognized error code";
}

EXPORTED const char* cudaGetErrorString(cudaError_t error) {
  const cuda_runtime::error_text* const found = cuda_runtime::find_error_text(error);
  return found != nullptr ? found->sentence : "unrecognized error code";
}

EXPORTED cudaError_t cudaGetLastError() {
  api_call call("cudaGetLastError", __builtin_return_address(0));
  const cudaError_t error = call.run().last_error();
  call.run().set_last_error(cudaSuccess);
  return report(call, error);
}

EXPORTED cudaError_t cudaPeekAtLastError() {
  api_call call("cudaPeekAtLastError", __builtin_return_address(0));
  return report(call, call.run().last_error());
}

}  // extern "C"

EXPORTED cudaError_t virtual_gpu::not_modelled(const char* function) {
  api_call call(function, __builtin_return_address(0));
  return call.not_supported(std::string(function) + " is");
}

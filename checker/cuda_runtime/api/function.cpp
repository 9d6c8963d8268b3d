// What a program asks and sets about kernels. @see
// https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__EXECUTION.html
#include <cmath>

#include "device/kernel_cost.h"
#include "cuda_runtime/api/api_call.h"
#include "kernels/exported.h"
#include "cuda_runtime/api/kernel_table.h"

using cuda_runtime::api_call;

namespace {

/// Ten times the compute capability for which device code is compiled: __CUDA_ARCH__ / 10.
constexpr int compiled_version = 90;

/// The answer for an address that is none of a kernel.
cudaError_t no_kernel(const void* function) {
  return function == nullptr ? cudaErrorInvalidDeviceFunction : cudaErrorInvalidResourceHandle;
}

}  // namespace

extern "C" {

EXPORTED cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attr, const void* func) {
  api_call call("cudaFuncGetAttributes", __builtin_return_address(0));
  if (!call.is_permitted()) return call.done(cudaErrorNotPermitted);
  if (attr == nullptr) return call.done(cudaErrorInvalidValue);
  if (!cuda_runtime::is_kernel(func)) return call.done(no_kernel(func));
  const device::profile& gpu = call.run().gpu();
  const char* const name = cuda_runtime::kernel_name(func);
  *attr = {};
  attr->maxThreadsPerBlock = static_cast<int>(gpu.threads_per_block);
  attr->ptxVersion = compiled_version;
  attr->binaryVersion = static_cast<int>(std::lround(10 * std::atof(gpu.compute_capability.c_str())));
  attr->maxDynamicSharedSizeBytes =
      static_cast<int>(call.run().dynamic_shared_memory_most(name == nullptr ? "" : name));
  attr->preferredShmemCarveout = call.run().shared_memory_carveout(func);
  call.note(
      trace::diagnostic_kind::not_modelled,
      "cudaFuncGetAttributes: registers, local, constant and static shared memory of a kernel are 0, because "
      "they are not modelled by the virtual GPU");
  return call.done(cudaSuccess);
}

EXPORTED cudaError_t cudaFuncSetAttribute(const void* func, cudaFuncAttribute attr, int value) {
  api_call call("cudaFuncSetAttribute", __builtin_return_address(0));
  if (!call.is_permitted()) return call.done(cudaErrorNotPermitted);
  if (!cuda_runtime::is_kernel(func)) return call.done(no_kernel(func));
  if (attr == cudaFuncAttributePreferredSharedMemoryCarveout) {
    if (value < -1 || value > 100) return call.done(cudaErrorInvalidValue);
    call.run().shared_memory_carveout(func) = value;
    return call.done(cudaSuccess);
  }
  if (attr != cudaFuncAttributeMaxDynamicSharedMemorySize) return call.done(cudaErrorInvalidValue);
  const bool is_possible =
      value >= 0 && static_cast<std::size_t>(value) <= call.run().shared_memory_by_opting_in();
  if (!is_possible) return call.done(cudaErrorInvalidValue);
  const char* const name = cuda_runtime::kernel_name(func);
  if (name == nullptr) {
    call.note(trace::diagnostic_kind::not_supported,
              "cudaFuncSetAttribute of a kernel that is a template is not modelled by the virtual GPU");
    return call.done(cudaErrorNotSupported);
  }
  call.run().set_dynamic_shared_memory_most(name, static_cast<std::size_t>(value));
  return call.done(cudaSuccess);
}

EXPORTED cudaError_t cudaFuncSetCacheConfig(const void* func, cudaFuncCache cacheConfig) {
  api_call call("cudaFuncSetCacheConfig", __builtin_return_address(0));
  if (!call.is_permitted()) return call.done(cudaErrorNotPermitted);
  if (!cuda_runtime::is_kernel(func)) return call.done(no_kernel(func));
  const bool is_known = cacheConfig >= cudaFuncCachePreferNone && cacheConfig <= cudaFuncCachePreferEqual;
  return call.done(is_known ? cudaSuccess : cudaErrorInvalidValue);  // a hint
}

EXPORTED cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* numBlocks, const void* func,
                                                                   int blockSize, size_t dynamicSMemSize) {
  api_call call("cudaOccupancyMaxActiveBlocksPerMultiprocessor", __builtin_return_address(0));
  if (!call.is_permitted()) return call.done(cudaErrorNotPermitted);
  if (numBlocks == nullptr || blockSize <= 0) return call.done(cudaErrorInvalidValue);
  if (!cuda_runtime::is_kernel(func)) return call.done(no_kernel(func));
  const device::profile& gpu = call.run().gpu();
  const double warps = std::ceil(blockSize / gpu.warp_size);
  const char* const name = cuda_runtime::kernel_name(func);
  const bool fits = blockSize <= gpu.threads_per_block &&
                    dynamicSMemSize <= call.run().dynamic_shared_memory_most(name == nullptr ? "" : name);
  const device::kernel_shape shape{1, static_cast<std::uint32_t>(warps * gpu.warp_size), dynamicSMemSize};
  *numBlocks = fits ? static_cast<int>(device::resident_blocks(gpu, shape)) : 0;
  return call.done(cudaSuccess);
}

}  // extern "C"

// What a program asks and sets about kernels. @see
// https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__EXECUTION.html
#include <cmath>

#include "cuda_runtime/api/api_call.h"
#include "cuda_runtime/api/kernel_table.h"
#include "device/kernel_cost.h"
#include "kernels/exported.h"

using cuda_runtime::api;
using cuda_runtime::api_call;
using trace::api_function;

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
  return api(api_function::cudaFuncGetAttributes, [&](api_call& call) {
    if (attr == nullptr) return cudaErrorInvalidValue;
    if (!cuda_runtime::is_kernel(func)) return no_kernel(func);
    const device::profile& gpu = call.run().gpu();
    const char* const name = cuda_runtime::kernel_name(func);
    *attr = {};
    attr->maxThreadsPerBlock = gpu.threads_per_block;
    attr->ptxVersion = compiled_version;
    attr->binaryVersion = static_cast<int>(std::lround(10 * std::atof(gpu.compute_capability.c_str())));
    attr->maxDynamicSharedSizeBytes =
        static_cast<int>(call.run().functions().max_dynamic_shared_bytes(name == nullptr ? "" : name));
    attr->preferredShmemCarveout = call.run().functions().carveout(func);
    call.note(
        trace::diagnostic_kind::not_modelled,
        "cudaFuncGetAttributes: registers, local, constant and static shared memory of a kernel are 0, because "
        "they are not modelled by the virtual GPU");
    return cudaSuccess;
  });
}

EXPORTED cudaError_t cudaFuncSetAttribute(const void* func, cudaFuncAttribute attr, int value) {
  return api(api_function::cudaFuncSetAttribute, [&](api_call& call) {
    if (!cuda_runtime::is_kernel(func)) return no_kernel(func);
    if (attr == cudaFuncAttributePreferredSharedMemoryCarveout) {
      if (value < -1 || value > 100) return cudaErrorInvalidValue;
      call.run().functions().carveout(func) = value;
      return cudaSuccess;
    }
    if (attr != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaErrorInvalidValue;
    const bool is_possible =
        value >= 0 && static_cast<std::size_t>(value) <= call.run().functions().opt_in_shared_bytes();
    if (!is_possible) return cudaErrorInvalidValue;
    const char* const name = cuda_runtime::kernel_name(func);
    if (name == nullptr) {
      call.note(trace::diagnostic_kind::not_supported,
                "cudaFuncSetAttribute of a kernel that is a template is not modelled by the virtual GPU");
      return cudaErrorNotSupported;
    }
    call.run().functions().set_max_dynamic_shared_bytes(name, static_cast<std::size_t>(value));
    return cudaSuccess;
  });
}

EXPORTED cudaError_t cudaFuncSetCacheConfig(const void* func, cudaFuncCache cacheConfig) {
  return api(api_function::cudaFuncSetCacheConfig, [&](api_call&) {
    if (!cuda_runtime::is_kernel(func)) return no_kernel(func);
    const bool is_known = cacheConfig >= cudaFuncCachePreferNone && cacheConfig <= cudaFuncCachePreferEqual;
    return is_known ? cudaSuccess : cudaErrorInvalidValue;  // a hint
  });
}

EXPORTED cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* numBlocks, const void* func,
                                                                   int blockSize, size_t dynamicSMemSize) {
  return api(api_function::cudaOccupancyMaxActiveBlocksPerMultiprocessor, [&](api_call& call) {
    if (numBlocks == nullptr || blockSize <= 0) return cudaErrorInvalidValue;
    if (!cuda_runtime::is_kernel(func)) return no_kernel(func);
    const device::profile& gpu = call.run().gpu();
    const char* const name = cuda_runtime::kernel_name(func);
    const bool fits =
        blockSize <= gpu.threads_per_block &&
        dynamicSMemSize <= call.run().functions().max_dynamic_shared_bytes(name == nullptr ? "" : name);
    const device::kernel_shape shape{1, static_cast<std::uint32_t>(blockSize), dynamicSMemSize};
    *numBlocks = fits ? static_cast<int>(device::resident_blocks(gpu, shape)) : 0;
    return cudaSuccess;
  });
}

}  // extern "C"

// Limits and preferences of a device. They are checked, rounded and reported as an H200 does (CUDA 13.0,
// driver 580). Nothing that is modelled depends on them: a kernel's stack is that of its fiber, and there is
// one cache for all.

#include <algorithm>

#include "cuda_runtime/api/api_call.h"
#include "kernels/exported.h"

using cuda_runtime::api;
using cuda_runtime::api_call;
using trace::api_function;

namespace {

constexpr std::size_t KiB = 1 << 10;
constexpr std::size_t MiB = 1 << 20;
/// Local memory of one thread. @see CUDA C++ Programming Guide, "Compute Capabilities"
constexpr std::size_t max_stack_bytes = 512 * KiB;

bool is_limit(cudaLimit limit) {
  return limit >= cudaLimitStackSize && limit <= cudaLimitPersistingL2CacheSize;
}

}  // namespace

extern "C" {

EXPORTED cudaError_t cudaDeviceGetLimit(size_t* pValue, cudaLimit limit) {
  return api(api_function::cudaDeviceGetLimit, [&](api_call& call) {
    if (pValue == nullptr || !is_limit(limit)) return cudaErrorInvalidValue;
    if (limit == cudaLimitDevRuntimeSyncDepth) return cudaErrorUnsupportedLimit;
    if (limit == cudaLimitPersistingL2CacheSize) return call.not_supported("the second-level cache is");
    *pValue = call.run().devices().limit(call.run().current_device(), limit);
    return cudaSuccess;
  });
}

EXPORTED cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
  return api(api_function::cudaDeviceSetLimit, [&](api_call& call) {
    if (!is_limit(limit)) return cudaErrorInvalidValue;
    const std::size_t memory = call.run().gpu().global_memory;
    switch (limit) {
      case cudaLimitStackSize:
        if (value > max_stack_bytes) return cudaErrorInvalidValue;
        value = (value + 15) / 16 * 16;
        break;
      case cudaLimitPrintfFifoSize:
        value = std::clamp<std::size_t>(value, 512 * KiB, 2048 * MiB);
        break;
      case cudaLimitMallocHeapSize:
        value = std::clamp<std::size_t>(value, 4 * MiB, memory);
        break;
      case cudaLimitDevRuntimeSyncDepth:
        return cudaErrorUnsupportedLimit;
      case cudaLimitDevRuntimePendingLaunchCount:
        value = std::max<std::size_t>(value, 32);
        break;
      case cudaLimitMaxL2FetchGranularity:
        if (value > 128) return cudaErrorInvalidValue;
        break;
      case cudaLimitPersistingL2CacheSize:
        return call.not_supported("the second-level cache is");
    }
    call.run().devices().settings(call.run().current_device()).limits[limit] = value;
    return cudaSuccess;
  });
}

EXPORTED cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* pCacheConfig) {
  return api(api_function::cudaDeviceGetCacheConfig, [&](api_call& call) {
    if (pCacheConfig == nullptr) return cudaErrorInvalidValue;
    *pCacheConfig = call.run().devices().settings(call.run().current_device()).cache;
    return cudaSuccess;
  });
}

EXPORTED cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache cacheConfig) {
  return api(api_function::cudaDeviceSetCacheConfig, [&](api_call& call) {
    if (cacheConfig < cudaFuncCachePreferNone || cacheConfig > cudaFuncCachePreferEqual) {
      return cudaErrorInvalidValue;
    }
    call.run().devices().settings(call.run().current_device()).cache = cacheConfig;
    return cudaSuccess;
  });
}

}  // extern "C"

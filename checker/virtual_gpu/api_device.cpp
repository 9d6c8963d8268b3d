// Devices and their properties.
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "virtual_gpu/api_call.h"
#include "virtual_gpu/exported.h"

using virtual_gpu::api_call;

namespace {

constexpr int device_count = 1;

/// Size limits of blocks and grids by compute capability. @see CUDA C++ Programming Guide, "Compute Capabilities"
cudaDeviceProp properties(const device::profile& gpu) {
  cudaDeviceProp result{};
  std::strncpy(result.name, gpu.name.c_str(), sizeof(result.name) - 1);
  const std::size_t dot = gpu.compute_capability.find('.');
  result.major = std::atoi(gpu.compute_capability.c_str());
  result.minor = dot == std::string::npos ? 0 : std::atoi(gpu.compute_capability.c_str() + dot + 1);
  result.totalGlobalMem = static_cast<std::size_t>(gpu.global_memory);
  result.sharedMemPerBlock = static_cast<std::size_t>(gpu.shared_memory_per_block);
  result.sharedMemPerMultiprocessor = static_cast<std::size_t>(gpu.shared_memory_per_multiprocessor);
  result.warpSize = static_cast<int>(gpu.warp_size);
  result.maxThreadsPerBlock = static_cast<int>(gpu.threads_per_block);
  result.maxThreadsDim[0] = result.maxThreadsDim[1] = result.maxThreadsPerBlock;
  result.maxThreadsDim[2] = 64;
  result.maxGridSize[0] = result.major >= 3 ? 2147483647 : 65535;
  result.maxGridSize[1] = 65535;
  result.maxGridSize[2] = result.major >= 2 ? 65535 : 1;
  result.multiProcessorCount = static_cast<int>(gpu.multiprocessors);
  result.maxThreadsPerMultiProcessor = static_cast<int>(gpu.threads_per_multiprocessor);
  result.maxBlocksPerMultiProcessor = static_cast<int>(gpu.blocks_per_multiprocessor);
  result.asyncEngineCount = static_cast<int>(gpu.copy_engines);
  result.concurrentKernels = gpu.resident_grids > 1;
  result.streamPrioritiesSupported = gpu.priority_greatest < 0;
  result.canMapHostMemory = 1;
  result.unifiedAddressing = 1;
  return result;
}

}  // namespace

extern "C" {

EXPORTED cudaError_t cudaGetDeviceCount(int* count) {
  api_call call("cudaGetDeviceCount", __builtin_return_address(0));
  if (!call.is_permitted()) return call.done(cudaErrorNotPermitted);
  if (count == nullptr) return call.done_regardless(cudaErrorInvalidValue);
  *count = device_count;
  return call.done_regardless(cudaSuccess);
}

EXPORTED cudaError_t cudaSetDevice(int device) {
  api_call call("cudaSetDevice", __builtin_return_address(0));
  if (!call.is_permitted()) return call.done(cudaErrorNotPermitted);
  return call.done_regardless(device >= 0 && device < device_count ? cudaSuccess : cudaErrorInvalidDevice);
}

EXPORTED cudaError_t cudaGetDevice(int* device) {
  api_call call("cudaGetDevice", __builtin_return_address(0));
  if (!call.is_permitted()) return call.done(cudaErrorNotPermitted);
  if (device == nullptr) return call.done_regardless(cudaErrorInvalidValue);
  *device = 0;
  return call.done_regardless(cudaSuccess);
}

EXPORTED cudaError_t cudaGetDeviceProperties(cudaDeviceProp* prop, int device) {
  api_call call("cudaGetDeviceProperties", __builtin_return_address(0));
  if (!call.is_permitted()) return call.done(cudaErrorNotPermitted);
  if (prop == nullptr) return call.done_regardless(cudaErrorInvalidValue);
  if (device < 0 || device >= device_count) return call.done_regardless(cudaErrorInvalidDevice);
  *prop = properties(call.run().gpu());
  return call.done_regardless(cudaSuccess);
}

EXPORTED cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attr, int device) {
  api_call call("cudaDeviceGetAttribute", __builtin_return_address(0));
  if (!call.is_permitted()) return call.done(cudaErrorNotPermitted);
  if (value == nullptr) return call.done_regardless(cudaErrorInvalidValue);
  if (device < 0 || device >= device_count) return call.done_regardless(cudaErrorInvalidDevice);
  const cudaDeviceProp gpu = properties(call.run().gpu());
  switch (attr) {
    case cudaDevAttrMaxThreadsPerBlock: *value = gpu.maxThreadsPerBlock; break;
    case cudaDevAttrMaxBlockDimX: *value = gpu.maxThreadsDim[0]; break;
    case cudaDevAttrMaxBlockDimY: *value = gpu.maxThreadsDim[1]; break;
    case cudaDevAttrMaxBlockDimZ: *value = gpu.maxThreadsDim[2]; break;
    case cudaDevAttrMaxGridDimX: *value = gpu.maxGridSize[0]; break;
    case cudaDevAttrMaxGridDimY: *value = gpu.maxGridSize[1]; break;
    case cudaDevAttrMaxGridDimZ: *value = gpu.maxGridSize[2]; break;
    case cudaDevAttrMaxSharedMemoryPerBlock: *value = static_cast<int>(gpu.sharedMemPerBlock); break;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor: *value = static_cast<int>(gpu.sharedMemPerMultiprocessor); break;
    case cudaDevAttrWarpSize: *value = gpu.warpSize; break;
    case cudaDevAttrClockRate: *value = static_cast<int>(call.run().gpu().clock * 1000); break;  // kHz
    case cudaDevAttrGpuOverlap: *value = gpu.asyncEngineCount > 0; break;
    case cudaDevAttrMultiProcessorCount: *value = gpu.multiProcessorCount; break;
    case cudaDevAttrCanMapHostMemory: *value = gpu.canMapHostMemory; break;
    case cudaDevAttrConcurrentKernels: *value = gpu.concurrentKernels; break;
    case cudaDevAttrMaxThreadsPerMultiProcessor: *value = gpu.maxThreadsPerMultiProcessor; break;
    case cudaDevAttrMaxBlocksPerMultiprocessor: *value = gpu.maxBlocksPerMultiProcessor; break;
    case cudaDevAttrAsyncEngineCount: *value = gpu.asyncEngineCount; break;
    case cudaDevAttrUnifiedAddressing: *value = gpu.unifiedAddressing; break;
    case cudaDevAttrComputeCapabilityMajor: *value = gpu.major; break;
    case cudaDevAttrComputeCapabilityMinor: *value = gpu.minor; break;
    case cudaDevAttrStreamPrioritiesSupported: *value = gpu.streamPrioritiesSupported; break;
    case cudaDevAttrManagedMemory: *value = gpu.managedMemory; break;
    default:
      call.run().note("not_supported", "device attribute " + std::to_string(attr) + " is not known to the virtual GPU",
                      call.id(), call.record().where);
      return call.done_regardless(cudaErrorNotSupported);
  }
  return call.done_regardless(cudaSuccess);
}

EXPORTED cudaError_t cudaDeviceGetStreamPriorityRange(int* leastPriority, int* greatestPriority) {
  api_call call("cudaDeviceGetStreamPriorityRange", __builtin_return_address(0));
  if (!call.is_permitted()) return call.done(cudaErrorNotPermitted);
  if (leastPriority != nullptr) *leastPriority = 0;
  if (greatestPriority != nullptr) *greatestPriority = static_cast<int>(call.run().gpu().priority_greatest);
  return call.done_regardless(cudaSuccess);
}

EXPORTED cudaError_t cudaDeviceSynchronize() {
  api_call call("cudaDeviceSynchronize", __builtin_return_address(0));
  if (!call.is_permitted()) return call.done(cudaErrorNotPermitted);
  call.run().wait_for_device();
  return call.done(cudaSuccess);
}

EXPORTED cudaError_t cudaDriverGetVersion(int* driverVersion) {
  api_call call("cudaDriverGetVersion", __builtin_return_address(0));
  if (!call.is_permitted()) return call.done(cudaErrorNotPermitted);
  if (driverVersion == nullptr) return call.done_regardless(cudaErrorInvalidValue);
  *driverVersion = CUDART_VERSION;
  return call.done_regardless(cudaSuccess);
}

EXPORTED cudaError_t cudaRuntimeGetVersion(int* runtimeVersion) {
  api_call call("cudaRuntimeGetVersion", __builtin_return_address(0));
  if (!call.is_permitted()) return call.done(cudaErrorNotPermitted);
  if (runtimeVersion == nullptr) return call.done_regardless(cudaErrorInvalidValue);
  *runtimeVersion = CUDART_VERSION;
  return call.done_regardless(cudaSuccess);
}

EXPORTED cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  api_call call("cudaMemGetInfo", __builtin_return_address(0));
  if (!call.is_permitted()) return call.done(cudaErrorNotPermitted);
  if (free == nullptr || total == nullptr) return call.done(cudaErrorInvalidValue);
  *total = static_cast<std::size_t>(call.run().gpu().global_memory);
  *free = *total - call.run().memory().device_bytes_in_use(0);
  return call.done(cudaSuccess);
}

EXPORTED cudaError_t cudaProfilerStart() {
  api_call call("cudaProfilerStart", __builtin_return_address(0));
  if (!call.is_permitted()) return call.done(cudaErrorNotPermitted);
  return call.done(cudaSuccess);
}

EXPORTED cudaError_t cudaProfilerStop() {
  api_call call("cudaProfilerStop", __builtin_return_address(0));
  if (!call.is_permitted()) return call.done(cudaErrorNotPermitted);
  return call.done(cudaSuccess);
}

}  // extern "C"

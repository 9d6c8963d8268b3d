#include "cuda_runtime/device_properties.h"

#include <climits>
#include <cstdlib>
#include <cstring>

namespace cuda_runtime {
namespace {

/// 32-bit registers of a multiprocessor. @see CUDA C++ Programming Guide, "Compute Capabilities"
int registers(int major, int minor) {
  if (major >= 3) return major == 3 && minor == 7 ? 131072 : 65536;
  if (major == 2) return 32768;
  return minor >= 2 ? 16384 : 8192;
}

/// Shared memory that a block may have after opting in, as far as the multiprocessor has it: all but what
/// each block takes for the system. @see CUDA C++ Programming Guide, "Compute Capabilities"
std::size_t shared_memory_by_opting_in(const cudaDeviceProp& properties) {
  return properties.major < 7 ? properties.sharedMemPerBlock
                              : properties.sharedMemPerMultiprocessor - properties.reservedSharedMemPerBlock;
}

}  // namespace

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"  // fields that CUDA 13 dropped

cudaDeviceProp device_properties(const device::profile& gpu, std::uint32_t ordinal) {
  cudaDeviceProp result{};
  std::strncpy(result.name, gpu.name.c_str(), sizeof(result.name) - 1);
  const std::size_t dot = gpu.compute_capability.find('.');
  result.major = std::atoi(gpu.compute_capability.c_str());
  result.minor = dot == std::string::npos ? 0 : std::atoi(gpu.compute_capability.c_str() + dot + 1);
  result.pciBusID = static_cast<int>(ordinal) + 1;

  result.multiProcessorCount = gpu.multiprocessors;
  result.clockRate = static_cast<int>(gpu.clock * 1000);
  result.warpSize = gpu.warp_size;
  result.maxThreadsPerBlock = gpu.threads_per_block;
  result.maxThreadsPerMultiProcessor = gpu.threads_per_multiprocessor;
  result.maxBlocksPerMultiProcessor = gpu.blocks_per_multiprocessor;
  // Size limits by compute capability. @see CUDA C++ Programming Guide, "Compute Capabilities"
  result.maxThreadsDim[0] = result.maxThreadsDim[1] = result.maxThreadsPerBlock;
  result.maxThreadsDim[2] = 64;
  result.maxGridSize[0] = result.major >= 3 ? INT_MAX : 65535;
  result.maxGridSize[1] = 65535;
  result.maxGridSize[2] = result.major >= 2 ? 65535 : 1;
  result.regsPerMultiprocessor = registers(result.major, result.minor);
  result.regsPerBlock = result.regsPerMultiprocessor < 65536 ? result.regsPerMultiprocessor : 65536;

  result.totalGlobalMem = gpu.global_memory;
  result.totalConstMem = 64 << 10;
  result.memPitch = INT_MAX;
  result.sharedMemPerBlock = gpu.shared_memory_per_block;
  result.sharedMemPerMultiprocessor = gpu.shared_memory_per_multiprocessor;
  result.reservedSharedMemPerBlock = gpu.reserved_shared_memory;
  result.sharedMemPerBlockOptin = shared_memory_by_opting_in(result);

  result.asyncEngineCount = gpu.copy_engines;
  result.deviceOverlap = result.asyncEngineCount > 0;
  result.concurrentKernels = gpu.resident_grids > 1;
  result.streamPrioritiesSupported = gpu.priority_greatest < 0;
  result.computePreemptionSupported = result.major >= 6;
  result.cooperativeLaunch = result.major >= 6;
  result.computeMode = cudaComputeModeDefault;
  result.canMapHostMemory = 1;
  result.unifiedAddressing = 1;
  result.managedMemory = result.major >= 3;
  result.concurrentManagedAccess = result.major >= 6;
  result.memoryPoolsSupported = result.major >= 6;
  result.hostRegisterSupported = 1;
  result.canUseHostPointerForRegisteredMem = 1;
  return result;
}

std::optional<int> device_attribute(const device::profile& gpu, std::uint32_t ordinal,
                                    cudaDeviceAttr attribute) {
  const cudaDeviceProp is = device_properties(gpu, ordinal);
  switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock:
      return is.maxThreadsPerBlock;
    case cudaDevAttrMaxBlockDimX:
      return is.maxThreadsDim[0];
    case cudaDevAttrMaxBlockDimY:
      return is.maxThreadsDim[1];
    case cudaDevAttrMaxBlockDimZ:
      return is.maxThreadsDim[2];
    case cudaDevAttrMaxGridDimX:
      return is.maxGridSize[0];
    case cudaDevAttrMaxGridDimY:
      return is.maxGridSize[1];
    case cudaDevAttrMaxGridDimZ:
      return is.maxGridSize[2];
    case cudaDevAttrMaxSharedMemoryPerBlock:
      return static_cast<int>(is.sharedMemPerBlock);
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      return static_cast<int>(is.sharedMemPerBlockOptin);
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      return static_cast<int>(is.sharedMemPerMultiprocessor);
    case cudaDevAttrReservedSharedMemoryPerBlock:
      return static_cast<int>(is.reservedSharedMemPerBlock);
    case cudaDevAttrTotalConstantMemory:
      return static_cast<int>(is.totalConstMem);
    case cudaDevAttrWarpSize:
      return is.warpSize;
    case cudaDevAttrMaxPitch:
      return static_cast<int>(is.memPitch);
    case cudaDevAttrMaxRegistersPerBlock:
      return is.regsPerBlock;
    case cudaDevAttrMaxRegistersPerMultiprocessor:
      return is.regsPerMultiprocessor;
    case cudaDevAttrClockRate:
      return is.clockRate;
    case cudaDevAttrGpuOverlap:
      return is.deviceOverlap;
    case cudaDevAttrMultiProcessorCount:
      return is.multiProcessorCount;
    case cudaDevAttrKernelExecTimeout:
      return is.kernelExecTimeoutEnabled;
    case cudaDevAttrIntegrated:
      return is.integrated;
    case cudaDevAttrCanMapHostMemory:
      return is.canMapHostMemory;
    case cudaDevAttrComputeMode:
      return is.computeMode;
    case cudaDevAttrConcurrentKernels:
      return is.concurrentKernels;
    case cudaDevAttrEccEnabled:
      return is.ECCEnabled;
    case cudaDevAttrPciBusId:
      return is.pciBusID;
    case cudaDevAttrPciDeviceId:
      return is.pciDeviceID;
    case cudaDevAttrPciDomainId:
      return is.pciDomainID;
    case cudaDevAttrTccDriver:
      return is.tccDriver;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
      return is.maxThreadsPerMultiProcessor;
    case cudaDevAttrMaxBlocksPerMultiprocessor:
      return is.maxBlocksPerMultiProcessor;
    case cudaDevAttrAsyncEngineCount:
      return is.asyncEngineCount;
    case cudaDevAttrUnifiedAddressing:
      return is.unifiedAddressing;
    case cudaDevAttrComputeCapabilityMajor:
      return is.major;
    case cudaDevAttrComputeCapabilityMinor:
      return is.minor;
    case cudaDevAttrStreamPrioritiesSupported:
      return is.streamPrioritiesSupported;
    case cudaDevAttrManagedMemory:
      return is.managedMemory;
    case cudaDevAttrConcurrentManagedAccess:
      return is.concurrentManagedAccess;
    case cudaDevAttrPageableMemoryAccess:
      return is.pageableMemoryAccess;
    case cudaDevAttrPageableMemoryAccessUsesHostPageTables:
      return is.pageableMemoryAccessUsesHostPageTables;
    case cudaDevAttrDirectManagedMemAccessFromHost:
      return is.directManagedMemAccessFromHost;
    case cudaDevAttrIsMultiGpuBoard:
      return is.isMultiGpuBoard;
    case cudaDevAttrMultiGpuBoardGroupID:
      return is.multiGpuBoardGroupID;
    case cudaDevAttrHostNativeAtomicSupported:
      return is.hostNativeAtomicSupported;
    case cudaDevAttrComputePreemptionSupported:
      return is.computePreemptionSupported;
    case cudaDevAttrCanUseHostPointerForRegisteredMem:
      return is.canUseHostPointerForRegisteredMem;
    case cudaDevAttrHostRegisterSupported:
      return is.hostRegisterSupported;
    case cudaDevAttrHostRegisterReadOnlySupported:
      return is.hostRegisterReadOnlySupported;
    case cudaDevAttrCooperativeLaunch:
      return is.cooperativeLaunch;
    case cudaDevAttrClusterLaunch:
      return is.clusterLaunch;
    case cudaDevAttrMemoryPoolsSupported:
      return is.memoryPoolsSupported;
    case cudaDevAttrIpcEventSupport:
      return is.ipcEventSupported;
    default:
      return std::nullopt;
  }
}

#pragma GCC diagnostic pop

bool is_device_attribute(int number) {
  constexpr int last = 147;  // the last that an H200 with CUDA 13.0 answers
  return number >= 1 && number <= last;
}

}  // namespace cuda_runtime

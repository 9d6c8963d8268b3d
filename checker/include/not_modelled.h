// not_modelled.h: functions of the CUDA runtime API that the virtual GPU does not model. They compile, return
// cudaErrorNotSupported, and are named in the recording with the line of the call.
#pragma once
#pragma GCC system_header  // warnings are for the code of the program

#include "driver_types.h"

namespace virtual_gpu {
/// Notes the call and returns cudaErrorNotSupported. What the arguments point to may be written, for all the compiler knows: or it
/// would warn of variables that such a call is to set.
cudaError_t not_modelled(const char* function, const volatile void* const* arguments);
}  // namespace virtual_gpu

#define VIRTUAL_GPU_NOT_MODELLED(function)                                  \
  template <typename... Arguments>                                          \
  __attribute__((always_inline)) inline cudaError_t function(Arguments&&... arguments) { \
    const volatile void* const places[] = {nullptr, &arguments...};         \
    return ::virtual_gpu::not_modelled(#function, places);                  \
  }

VIRTUAL_GPU_NOT_MODELLED(cudaCtxResetPersistingL2Cache)
VIRTUAL_GPU_NOT_MODELLED(cudaDeviceGetGraphMemAttribute)
VIRTUAL_GPU_NOT_MODELLED(cudaDeviceGetSharedMemConfig)
VIRTUAL_GPU_NOT_MODELLED(cudaDeviceGraphMemTrim)
VIRTUAL_GPU_NOT_MODELLED(cudaDeviceSetGraphMemAttribute)
VIRTUAL_GPU_NOT_MODELLED(cudaDeviceSetSharedMemConfig)
VIRTUAL_GPU_NOT_MODELLED(cudaFuncGetName)
VIRTUAL_GPU_NOT_MODELLED(cudaFuncGetParamInfo)
VIRTUAL_GPU_NOT_MODELLED(cudaFuncSetSharedMemConfig)
VIRTUAL_GPU_NOT_MODELLED(cudaGetDriverEntryPoint)
VIRTUAL_GPU_NOT_MODELLED(cudaGetFuncBySymbol)
VIRTUAL_GPU_NOT_MODELLED(cudaGraphAddMemcpyNodeFromSymbol)
VIRTUAL_GPU_NOT_MODELLED(cudaGraphAddMemcpyNodeToSymbol)
VIRTUAL_GPU_NOT_MODELLED(cudaGraphAddNode)
VIRTUAL_GPU_NOT_MODELLED(cudaGraphDebugDotPrint)
VIRTUAL_GPU_NOT_MODELLED(cudaGraphExecChildGraphNodeSetParams)
VIRTUAL_GPU_NOT_MODELLED(cudaGraphExecGetFlags)
VIRTUAL_GPU_NOT_MODELLED(cudaGraphExecMemcpyNodeSetParamsFromSymbol)
VIRTUAL_GPU_NOT_MODELLED(cudaGraphExecMemcpyNodeSetParamsToSymbol)
VIRTUAL_GPU_NOT_MODELLED(cudaGraphInstantiateWithParams)
VIRTUAL_GPU_NOT_MODELLED(cudaGraphKernelNodeCopyAttributes)
VIRTUAL_GPU_NOT_MODELLED(cudaGraphKernelNodeGetAttribute)
VIRTUAL_GPU_NOT_MODELLED(cudaGraphKernelNodeSetAttribute)
VIRTUAL_GPU_NOT_MODELLED(cudaGraphMemcpyNodeSetParamsFromSymbol)
VIRTUAL_GPU_NOT_MODELLED(cudaGraphMemcpyNodeSetParamsToSymbol)
VIRTUAL_GPU_NOT_MODELLED(cudaGraphNodeGetEnabled)
VIRTUAL_GPU_NOT_MODELLED(cudaGraphNodeSetEnabled)
VIRTUAL_GPU_NOT_MODELLED(cudaGraphReleaseUserObject)
VIRTUAL_GPU_NOT_MODELLED(cudaGraphRetainUserObject)
VIRTUAL_GPU_NOT_MODELLED(cudaIpcCloseMemHandle)
VIRTUAL_GPU_NOT_MODELLED(cudaIpcGetEventHandle)
VIRTUAL_GPU_NOT_MODELLED(cudaIpcGetMemHandle)
VIRTUAL_GPU_NOT_MODELLED(cudaIpcOpenEventHandle)
VIRTUAL_GPU_NOT_MODELLED(cudaIpcOpenMemHandle)
VIRTUAL_GPU_NOT_MODELLED(cudaMemDiscardBatchAsync)
VIRTUAL_GPU_NOT_MODELLED(cudaMemGetDefaultMemPool)
VIRTUAL_GPU_NOT_MODELLED(cudaMemGetMemPool)
VIRTUAL_GPU_NOT_MODELLED(cudaMemPoolExportPointer)
VIRTUAL_GPU_NOT_MODELLED(cudaMemPoolExportToShareableHandle)
VIRTUAL_GPU_NOT_MODELLED(cudaMemPoolImportFromShareableHandle)
VIRTUAL_GPU_NOT_MODELLED(cudaMemPoolImportPointer)
VIRTUAL_GPU_NOT_MODELLED(cudaMemPrefetchBatchAsync)
VIRTUAL_GPU_NOT_MODELLED(cudaMemRangeGetAttribute)
VIRTUAL_GPU_NOT_MODELLED(cudaMemRangeGetAttributes)
VIRTUAL_GPU_NOT_MODELLED(cudaMemSetMemPool)
VIRTUAL_GPU_NOT_MODELLED(cudaMemcpy3DBatchAsync)
VIRTUAL_GPU_NOT_MODELLED(cudaMemcpy3DPeer)
VIRTUAL_GPU_NOT_MODELLED(cudaMemcpy3DPeerAsync)
VIRTUAL_GPU_NOT_MODELLED(cudaMemcpyBatchAsync)
VIRTUAL_GPU_NOT_MODELLED(cudaOccupancyAvailableDynamicSMemPerBlock)
VIRTUAL_GPU_NOT_MODELLED(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags)
VIRTUAL_GPU_NOT_MODELLED(cudaOccupancyMaxActiveClusters)
VIRTUAL_GPU_NOT_MODELLED(cudaOccupancyMaxPotentialClusterSize)
VIRTUAL_GPU_NOT_MODELLED(cudaSetValidDevices)
VIRTUAL_GPU_NOT_MODELLED(cudaStreamBeginCaptureToGraph)
VIRTUAL_GPU_NOT_MODELLED(cudaStreamCopyAttributes)
VIRTUAL_GPU_NOT_MODELLED(cudaStreamGetAttribute)
VIRTUAL_GPU_NOT_MODELLED(cudaStreamSetAttribute)
VIRTUAL_GPU_NOT_MODELLED(cudaStreamUpdateCaptureDependencies)
VIRTUAL_GPU_NOT_MODELLED(cudaUserObjectCreate)
VIRTUAL_GPU_NOT_MODELLED(cudaUserObjectRelease)
VIRTUAL_GPU_NOT_MODELLED(cudaUserObjectRetain)

#undef VIRTUAL_GPU_NOT_MODELLED

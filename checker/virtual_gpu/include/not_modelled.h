// not_modelled.h: functions of the CUDA runtime API that the virtual GPU does not model. They compile, return
// cudaErrorNotSupported, and are named in the recording with the line of the call.
#pragma once
#pragma GCC system_header  // warnings are for the code of the program

#include "driver_types.h"

namespace virtual_gpu {
/// Notes the call and returns cudaErrorNotSupported.
cudaError_t not_modelled(const char* function);
}  // namespace virtual_gpu

#define VIRTUAL_GPU_NOT_MODELLED(function)                                  \
  template <typename... Arguments>                                          \
  __attribute__((always_inline)) inline cudaError_t function(Arguments&&...) { \
    return ::virtual_gpu::not_modelled(#function);                          \
  }

VIRTUAL_GPU_NOT_MODELLED(cudaDeviceGetDefaultMemPool)
VIRTUAL_GPU_NOT_MODELLED(cudaFreeAsync)
VIRTUAL_GPU_NOT_MODELLED(cudaGraphAddChildGraphNode)
VIRTUAL_GPU_NOT_MODELLED(cudaGraphAddMemAllocNode)
VIRTUAL_GPU_NOT_MODELLED(cudaGraphAddMemFreeNode)
VIRTUAL_GPU_NOT_MODELLED(cudaGraphAddMemcpyNode)
VIRTUAL_GPU_NOT_MODELLED(cudaGraphAddMemcpyNode1D)
VIRTUAL_GPU_NOT_MODELLED(cudaGraphAddMemsetNode)
VIRTUAL_GPU_NOT_MODELLED(cudaGraphAddNode)
VIRTUAL_GPU_NOT_MODELLED(cudaGraphDebugDotPrint)
VIRTUAL_GPU_NOT_MODELLED(cudaHostGetFlags)
VIRTUAL_GPU_NOT_MODELLED(cudaMallocAsync)
VIRTUAL_GPU_NOT_MODELLED(cudaMallocManaged)
VIRTUAL_GPU_NOT_MODELLED(cudaMallocPitch)
VIRTUAL_GPU_NOT_MODELLED(cudaMemAdvise)
VIRTUAL_GPU_NOT_MODELLED(cudaMemPoolSetAccess)
VIRTUAL_GPU_NOT_MODELLED(cudaMemPoolSetAttribute)
VIRTUAL_GPU_NOT_MODELLED(cudaMemPrefetchAsync)
VIRTUAL_GPU_NOT_MODELLED(cudaMemcpy2D)
VIRTUAL_GPU_NOT_MODELLED(cudaMemcpy2DAsync)
VIRTUAL_GPU_NOT_MODELLED(cudaMemcpyFromSymbol)
VIRTUAL_GPU_NOT_MODELLED(cudaMemcpyFromSymbolAsync)
VIRTUAL_GPU_NOT_MODELLED(cudaMemcpyToSymbol)
VIRTUAL_GPU_NOT_MODELLED(cudaMemcpyToSymbolAsync)
VIRTUAL_GPU_NOT_MODELLED(cudaMemset2D)
VIRTUAL_GPU_NOT_MODELLED(cudaMemset2DAsync)
VIRTUAL_GPU_NOT_MODELLED(cudaSetValidDevices)
VIRTUAL_GPU_NOT_MODELLED(cudaStreamAttachMemAsync)
VIRTUAL_GPU_NOT_MODELLED(cudaStreamCopyAttributes)
VIRTUAL_GPU_NOT_MODELLED(cudaStreamGetAttribute)
VIRTUAL_GPU_NOT_MODELLED(cudaStreamSetAttribute)

#undef VIRTUAL_GPU_NOT_MODELLED

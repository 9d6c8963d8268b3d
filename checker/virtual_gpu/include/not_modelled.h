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

VIRTUAL_GPU_NOT_MODELLED(cudaGraphAddMemAllocNode)
VIRTUAL_GPU_NOT_MODELLED(cudaGraphAddMemFreeNode)
VIRTUAL_GPU_NOT_MODELLED(cudaGraphAddNode)
VIRTUAL_GPU_NOT_MODELLED(cudaGraphDebugDotPrint)
VIRTUAL_GPU_NOT_MODELLED(cudaSetValidDevices)
VIRTUAL_GPU_NOT_MODELLED(cudaStreamCopyAttributes)
VIRTUAL_GPU_NOT_MODELLED(cudaStreamGetAttribute)
VIRTUAL_GPU_NOT_MODELLED(cudaStreamSetAttribute)

#undef VIRTUAL_GPU_NOT_MODELLED

#include "cuda_runtime/api/per_thread_default_stream.h"

#include <utility>

/// True between the entry into NAME_ptds and that into NAME.
extern "C" {
__attribute__((tls_model("initial-exec"),
               visibility("hidden"))) thread_local bool virtual_gpu_caller_is_per_thread = false;
}

namespace cuda_runtime {

null_stream take_null_stream_of_caller() {
  return std::exchange(virtual_gpu_caller_is_per_thread, false) ? null_stream::per_thread_default
                                                                : null_stream::legacy_default;
}

}  // namespace cuda_runtime

// A jump, not a call: the return address tells which line of the program called. r11 carries no argument.
#define ENTRY(name)                                                    \
  __asm__(                                                             \
      ".text\n"                                                        \
      ".globl " #name                                                  \
      "_ptds\n"                                                        \
      ".type " #name "_ptds, @function\n" #name                        \
      "_ptds:\n"                                                       \
      "  movq virtual_gpu_caller_is_per_thread@gottpoff(%rip), %r11\n" \
      "  movb $1, %fs:(%r11)\n"                                        \
      "  jmp " #name                                                   \
      "@PLT\n"                                                         \
      ".size " #name "_ptds, . - " #name "_ptds\n");

ENTRY(cudaEventRecord)
ENTRY(cudaEventRecordWithFlags)
ENTRY(cudaFreeAsync)
ENTRY(cudaGraphLaunch)
ENTRY(cudaGraphUpload)
ENTRY(cudaLaunchCooperativeKernel)
ENTRY(cudaLaunchHostFunc)
ENTRY(cudaLaunchKernel)
ENTRY(cudaLaunchKernelExC)
ENTRY(cudaMallocAsync)
ENTRY(cudaMallocFromPoolAsync)
ENTRY(cudaMemPrefetchAsync)
ENTRY(cudaMemcpy)
ENTRY(cudaMemcpy2D)
ENTRY(cudaMemcpy2DAsync)
ENTRY(cudaMemcpy3D)
ENTRY(cudaMemcpy3DAsync)
ENTRY(cudaMemcpyAsync)
ENTRY(cudaMemcpyFromSymbol)
ENTRY(cudaMemcpyFromSymbolAsync)
ENTRY(cudaMemcpyPeer)
ENTRY(cudaMemcpyPeerAsync)
ENTRY(cudaMemcpyToSymbol)
ENTRY(cudaMemcpyToSymbolAsync)
ENTRY(cudaMemset)
ENTRY(cudaMemset2D)
ENTRY(cudaMemset2DAsync)
ENTRY(cudaMemset3D)
ENTRY(cudaMemset3DAsync)
ENTRY(cudaMemsetAsync)
ENTRY(cudaStreamAddCallback)
ENTRY(cudaStreamAttachMemAsync)
ENTRY(cudaStreamBeginCapture)
ENTRY(cudaStreamEndCapture)
ENTRY(cudaStreamGetCaptureInfo)
ENTRY(cudaStreamGetDevice)
ENTRY(cudaStreamGetFlags)
ENTRY(cudaStreamGetId)
ENTRY(cudaStreamGetPriority)
ENTRY(cudaStreamIsCapturing)
ENTRY(cudaStreamQuery)
ENTRY(cudaStreamSynchronize)
ENTRY(cudaStreamWaitEvent)
ENTRY(virtual_gpu_launch)

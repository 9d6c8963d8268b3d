// kernel_table.h: kernels behind the addresses of their functions, as cudaLaunchKernel and graphs name them.
//
// The translated file registers each kernel that its address names alone (know_kernel in device_language.h).
// Not here: a kernel that is an instance of a template is known only where its type is (cuda_runtime.h).
#pragma once

#include "cuda_runtime/api/api_call.h"
#include "kernels/kernel_launch.h"

namespace cuda_runtime {

/// Whether the address is that of a kernel.
bool is_kernel(const void* function);
/// The name of the kernel at that address; nullptr when only its type was seen, not its definition.
const char* kernel_name(const void* function);

/// Calls the kernel with the arguments that the pointers point at. No kernel, with the error, when the
/// address is none of a kernel: cudaErrorInvalidDeviceFunction for a null pointer, else
/// cudaErrorInvalidResourceHandle, as an H200.
kernels::called_kernel call_with_arguments(api_call& call, const void* function, void** arguments,
                                           cudaError_t& error);

}  // namespace cuda_runtime

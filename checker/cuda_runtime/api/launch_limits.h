// launch_limits.h: which sizes a launch may have on a device, and a launch of such a size.
//
//     if (cudaError_t error = check_launch(run, image.name, shape, bytes)) return error;
#pragma once

#include <cstddef>
#include <string_view>

#include "cuda_runtime/prepared_operation.h"
#include "cuda_runtime/runtime.h"
#include "device/kernel_cost.h"

namespace cuda_runtime {

using kernels::launch_shape;

/// The sizes of a launch in the terms of the block scheduler; `shared_memory_bytes` are the dynamic ones, as the size of
/// `__shared__` arrays is known only when the kernel runs.
device::kernel_shape shape_of(const launch_shape& shape, std::size_t shared_memory_bytes);

/// The launch, without a stream. The recording gets the names of the kernel's parameters.
prepared_operation prepared(trace::recording& recording, const kernels::kernel_launch& launch);

/// The answer of the driver to a launch of that size: cudaErrorInvalidValue, as an H200 gives it where the documentation
/// says cudaErrorInvalidConfiguration, or cudaErrorLaunchOutOfResources. What the program set for the kernel of that name
/// counts. @see CUDA Programming Guide, "Compute Capabilities"
cudaError_t check_launch(runtime& run, std::string_view kernel, const launch_shape& shape,
                         std::size_t shared_memory_bytes);

/// The stream or kernel priority that a wanted one becomes: "clamped to the nearest" that the GPU has.
/// @see CUDA Runtime API, "cudaStreamCreateWithPriority"
int clamped_priority(const device::profile& gpu, int wanted);

}  // namespace cuda_runtime

// device_limits.h: what cudaDeviceSetLimit can set.
#pragma once

#include <cstddef>
#include <cstdint>

#include "include/driver_types.h"

namespace cuda_runtime {

class runtime;

/// The limit as the program set it, or as the hardware has it by default.
std::size_t limit_of(runtime& run, std::uint32_t device, cudaLimit limit);

}  // namespace cuda_runtime

// device_properties.h: what the virtual GPU tells programs about its devices.
#pragma once

#include <cstdint>
#include <optional>

#include "device/profile.h"
#include "include/driver_types.h"

namespace cuda_runtime {

/// All fields; those about what is not modelled (textures, caches, the memory bus) are 0.
cudaDeviceProp device_properties(const device::profile& gpu, std::uint32_t ordinal);

/// One attribute; nothing when it is about something that is not modelled.
std::optional<int> device_attribute(const device::profile& gpu, std::uint32_t ordinal,
                                    cudaDeviceAttr attribute);

/// Whether there is an attribute of that number.
bool is_device_attribute(int number);

}  // namespace cuda_runtime

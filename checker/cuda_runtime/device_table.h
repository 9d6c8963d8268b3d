// device_table.h: the devices of the process, all of one kind, and what the program has set for each.
//
//     if (!devices.has(ordinal)) return cudaErrorInvalidDevice;
//     devices.settings(device).limits[cudaLimitStackSize] = bytes;
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "device/profile.h"
#include "include/driver_types.h"
#include "kernels/memory.h"

namespace cuda_runtime {

/// What a program may set for a device, and what holds before.
struct device_settings {
  std::uint64_t reach = 0;  ///< the devices whose memory its work may use, itself included; one bit a device
  unsigned int flags = 0;   ///< of cudaSetDeviceFlags
  std::map<int, trace::call_id> asked_about{};  ///< the last cudaDeviceCanAccessPeer, by the other device
  /// Of cudaDeviceSetCacheConfig; kept and answered, without effect on times.
  cudaFuncCache cache = cudaFuncCachePreferNone;
  std::map<cudaLimit, std::size_t> limits{};  ///< as set; others are at their default
};

/// By number of the device.
class device_table {
 public:
  device_table(const device::profile& gpu, std::size_t count);

  /// At least 1; they are numbered from 0.
  std::uint32_t count() const { return static_cast<std::uint32_t>(settings_.size()); }
  bool has(int ordinal) const { return ordinal >= 0 && static_cast<std::uint32_t>(ordinal) < count(); }
  device_settings& settings(std::uint32_t device) { return settings_[device]; }
  /// The device is as if the program had never used it.
  void reset(std::uint32_t device) { settings_[device] = {.reach = std::uint64_t{1} << device}; }
  /// Whether two devices can have access to each other's memory: the profile knows how fast their link is.
  bool can_be_peers(std::uint32_t device, std::uint32_t other) const {
    return device != other && gpu_.peer_bandwidth > 0;
  }
  /// Whether work of a device may use that device memory, without the host in between. For memory of pools the pool says
  /// so. @see CUDA Programming Guide, "Stream-Ordered Memory Allocator", multi-GPU support
  bool may_use(std::uint32_t device, const kernels::memory_block& block) const {
    return ((block.pool != 0 ? block.open_to >> device : settings_[device].reach >> block.device) & 1) != 0;
  }
  /// The limit as the program set it, or as the hardware has it by default.
  std::size_t limit(std::uint32_t device, cudaLimit limit) const;

 private:
  const device::profile& gpu_;
  std::vector<device_settings> settings_;
};

}  // namespace cuda_runtime

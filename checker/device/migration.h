// migration.h: the cost of moving managed memory between the host and a device.
//
// It moves in pages of 64 KiB, at the rate of a pinned copy. A page costs little more in a prefetch, much more
// in a fault. Not here: where the pages are (cuda_runtime/residency.h).
//
//     moved_pages all{.pages = 1024, .bytes = 64 << 20};
//     double ns = device::fault_ns(h200, copy_route::host_to_device, all);
#pragma once

#include <cstddef>

#include "device/copy_engine.h"
#include "device/profile.h"

namespace device {

/// An amount of managed memory.
struct moved_pages {
  std::size_t pages = 0;  ///< of 64 KiB, or what an allocation has of one
  std::size_t bytes = 0;  ///< in those pages
};

/// The unit of migration. Chosen: drivers move pages of the system (4 KiB) with a varying number of
/// neighbours; this is in between, and the unit in which accesses of kernels are recorded.
inline constexpr std::size_t managed_page_bytes = 64 << 10;

/// Duration of the moving part of a prefetch of so many bytes, in ns, when nothing disturbs it.
double prefetch_ns(const profile& gpu, copy_route route, std::size_t bytes);
/// Stall of a kernel (route host_to_device) or of the host (device_to_host), in ns, for pages on the other
/// side.
double fault_ns(const profile& gpu, copy_route route, const moved_pages& moved);

}  // namespace device

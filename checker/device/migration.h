// migration.h: what it costs to move managed memory between the host and a device.
//
// It moves in pages of 64 KiB. A page crosses the host link at the rate of a pinned copy; what comes on top
// is little when a prefetch names it, and much when a kernel or the host runs into it. Not here: where the
// pages are (cuda_runtime/residency.h).
//
//     moved_pages all{.pages = 1024, .bytes = 64 << 20};
//     double ns = device::fault_ns(h200, copy_route::host_to_device, all);
#pragma once

#include <cstddef>

#include "device/copy_engine.h"
#include "device/profile.h"

namespace device {

/// How much managed memory moves.
struct moved_pages {
  std::size_t pages = 0;  ///< of 64 KiB, or what an allocation has of one
  std::size_t bytes = 0;  ///< in those pages
};

/// The unit in which managed memory moves here. Chosen: drivers move whole pages of the system (4 KiB) with a
/// varying number of neighbours; this is a middle of that, and the unit in which accesses of kernels are noted.
inline constexpr std::size_t managed_page_bytes = 64 << 10;

/// Duration of the moving part of a prefetch of so many bytes, in ns, when nothing disturbs it.
double prefetch_ns(const profile& gpu, copy_route route, std::size_t bytes);
/// For how long a kernel (route host_to_device) or the host (device_to_host) stands still, in ns, because it
/// touched pages that were on the other side.
double fault_ns(const profile& gpu, copy_route route, const moved_pages& moved);

}  // namespace device

// residency.h: where managed memory is, page by page, and how it moves.
//
// Not here: what moving costs (device/migration.h), and who touches what (access_log.h).
//
//     device::moved_pages moved = move_to(on_host, block, where, bytes);
#pragma once

#include <cstddef>

#include "device/migration.h"
#include "kernels/memory.h"

namespace cuda_runtime {

using kernels::address;
using kernels::memory;
using kernels::memory_block;

static_assert(device::managed_page_bytes == memory::page_bytes,
              "what a kernel touched is known by the pages in which managed memory moves");

/// Where a page of managed memory is: the number of a device, or one of these.
inline constexpr std::int8_t on_host = -1;
/// No one has touched it: it begins where it is touched or prefetched to, and nothing moves.
inline constexpr std::int8_t nowhere = -2;

/// Lets the pages of a managed block that hold these bytes be there from now on. Returns what had to come
/// from elsewhere. Of other blocks nothing moves.
device::moved_pages move_to(std::int8_t place, memory_block& block, address begin, std::size_t bytes);

}  // namespace cuda_runtime

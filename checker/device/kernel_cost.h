// kernel_cost.h: turns counted work into the time a block occupies its multiprocessor.
//
// The slowest limit decides: the latency of the block's slowest thread, the issue throughput of a multiprocessor
// shared by the blocks of the kernel that are resident on it, and, shared by all resident blocks, the bandwidths of
// the device's memory and of the links to the host and to peers. Not modelled: blocks of different kernels on one
// multiprocessor, or a kernel and a copy on one link, do not slow each other; behind a link each byte counts once.
//
//     auto durations = device::block_durations(profile, {.blocks = 1024, .threads_per_block = 256}, work);
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "device/profile.h"

namespace device {

/// The size of a kernel launch, as the block scheduler needs it.
struct kernel_shape {
  std::uint64_t blocks = 1;  ///< of the grid
  std::uint32_t threads_per_block = 1;
  std::size_t shared_memory_per_block = 0;  ///< bytes, static and dynamic
  bool operator==(const kernel_shape&) const = default;
};

/// The work of one block.
struct block_work {
  double warp_cycles = 0;     ///< cycles of a multiprocessor that its warps need at full occupancy
  double latency_cycles = 0;  ///< cycles from the start to the end of its slowest thread
  bool operator==(const block_work&) const = default;
};

/// Distinct bytes that a kernel reads and writes in one place. An atomic update does both.
struct traffic {
  std::uint64_t read = 0;
  std::uint64_t written = 0;
  std::uint64_t both() const { return read + written; }
};

/// What a kernel reads and writes, by place. Behind a link bytes come in sectors of 32.
struct memory_traffic {
  traffic own{};    ///< memory of its device, and managed memory
  traffic host{};   ///< pinned memory
  traffic peers{};  ///< memory of other devices
};

/// The work of a kernel.
struct kernel_work {
  std::vector<block_work> blocks;  ///< one a block, in order; a single entry stands for all blocks
  memory_traffic memory{};
  double migration_ns = 0;  ///< stall while managed memory moves to the device
};

/// Threads that a block occupies: those of whole warps, at least one.
int occupied_threads(const profile& gpu, const kernel_shape& shape);

/// Bytes of a multiprocessor's shared memory that a block of this shape takes.
std::size_t taken_shared_memory(const profile& gpu, const kernel_shape& shape);

/// The part of a multiprocessor's memory that is shared memory, the rest being cache, in bytes. It can change
/// only while the multiprocessor is empty.
struct carveout {
  std::size_t required = 0;   ///< blocks of this shape go nowhere where it is smaller
  std::size_t preferred = 0;  ///< to which an empty multiprocessor is set for them
};
/// The carveout for blocks of this shape.
carveout carveout_for(const profile& gpu, const kernel_shape& shape);

/// Blocks of this shape that one empty multiprocessor can hold; 0 when even one does not fit.
std::uint64_t resident_blocks(const profile& gpu, const kernel_shape& shape);

/// A memset or a copy inside the device as the kernel that the driver makes of it: large ones fill the device.
struct driver_kernel {
  kernel_shape shape;
  nanoseconds block{0};  ///< duration of one
};
/// `latency_ns` before the first byte, `gb_per_second` for the bytes.
driver_kernel driver_kernel_for(const profile& gpu, std::size_t bytes, double latency_ns,
                                double gb_per_second);

/// How long each block runs; one entry when all are alike. Every duration is at least 1 ns.
std::vector<nanoseconds> block_durations(const profile& gpu, const kernel_shape& shape,
                                         const kernel_work& work);

}  // namespace device

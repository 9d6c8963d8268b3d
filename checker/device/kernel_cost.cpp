#include "device/kernel_cost.h"

#include <algorithm>
#include <cmath>

namespace device {

int occupied_threads(const profile& gpu, const kernel_shape& shape) {
  const int threads = std::max(1, static_cast<int>(shape.threads_per_block));
  return (threads + gpu.warp_size - 1) / gpu.warp_size * gpu.warp_size;
}

std::size_t taken_shared_memory(const profile& gpu, const kernel_shape& shape) {
  return shape.shared_memory_per_block + gpu.reserved_shared_memory;
}

std::uint64_t resident_blocks(const profile& gpu, const kernel_shape& shape) {
  const auto fit = static_cast<std::size_t>(
      std::min(gpu.blocks_per_multiprocessor, gpu.threads_per_multiprocessor / occupied_threads(gpu, shape)));
  const std::size_t taken = taken_shared_memory(gpu, shape);
  return taken == 0 ? fit : std::min(fit, gpu.shared_memory_per_multiprocessor / taken);
}

// Measured on an H200 (driver 580, CUDA 13.0, 2026-11-22) by 197 pairs of kernels in two streams, one block a
// multiprocessor, with 32 to 1024 threads and up to 48 KiB: all ran, or waited, as this says. The choices are those
// of the CUDA Programming Guide, "Compute Capabilities", 9.0; older devices have some of them.
carveout carveout_for(const profile& gpu, const kernel_shape& shape) {
  constexpr std::size_t kibibyte = 1 << 10;
  const std::size_t all = gpu.shared_memory_per_multiprocessor;
  if (!gpu.keeps_carveout) return {all, all};
  const auto choice = [&](std::size_t bytes) {
    for (const std::size_t kibibytes : {8, 16, 32, 64, 100, 132, 164, 196}) {
      if (kibibytes * kibibyte >= bytes && kibibytes * kibibyte < all) return kibibytes * kibibyte;
    }
    return all;
  };
  const std::size_t blocks = resident_blocks(gpu, shape);
  const std::size_t required = taken_shared_memory(gpu, shape) * blocks;
  const std::size_t roomy = std::min(32 * kibibyte, 4 * kibibyte * blocks);
  return {choice(required), choice(std::max(required, roomy))};
}

driver_kernel driver_kernel_for(const profile& gpu, std::size_t bytes, double latency_ns,
                                double gb_per_second) {
  // Fitted to an H200, 2026-11-22: a memset or copy of 64 MiB beside a kernel that takes half of all threads took
  // 1.2 (copy) to 4 (memset) times as long, beside a tiny kernel as long as alone.
  constexpr std::uint64_t bytes_per_block = 8 << 10;
  driver_kernel result;
  result.shape.blocks = std::max<std::uint64_t>(1, (bytes + bytes_per_block - 1) / bytes_per_block);
  result.shape.threads_per_block =
      static_cast<std::uint32_t>(std::max(gpu.warp_size, gpu.threads_per_multiprocessor / 4));
  const double at_once =
      std::max(1.0, static_cast<double>(resident_blocks(gpu, result.shape)) * gpu.multiprocessors);
  const double waves = std::ceil(static_cast<double>(result.shape.blocks) / at_once);
  const double duration = latency_ns + static_cast<double>(bytes) / gb_per_second;
  result.block = std::max(nanoseconds(1), from_ns(duration / waves));
  return result;
}

namespace {

// Measured on two H100 (driver 580, CUDA 13.0, 2026-11-26, measure.cu, lines distant.*): 64 MiB are read at 0.92 and written at
// 0.95 times the bandwidth of copies; 1 KiB to 64 MiB in one direction take within 15 % of this rule. Reading and writing pinned
// memory at once takes longer than it says: 1.22 times as long as one of them for 64 MiB, half as long again for 1 MiB.
double link_ns(const profile& gpu, const traffic& moved, double read_bandwidth, double write_bandwidth) {
  if (moved.both() == 0) return 0;
  const double read = static_cast<double>(moved.read) / read_bandwidth;
  const double written = static_cast<double>(moved.written) / write_bandwidth;
  return std::max(read, written) + (gpu.duplex_slowdown - 1) * std::min(read, written);
}

}  // namespace

std::vector<nanoseconds> block_durations(const profile& gpu, const kernel_shape& shape,
                                         const kernel_work& work) {
  const double blocks = static_cast<double>(shape.blocks);
  const double resident = static_cast<double>(std::max<std::uint64_t>(1, resident_blocks(gpu, shape)));
  const double sharing = std::min(resident, std::ceil(blocks / gpu.multiprocessors));
  const double concurrent = std::min(blocks, resident * gpu.multiprocessors);
  const traffic& host = work.memory.host;
  const traffic& peers = work.memory.peers;
  const double moving_ns =
      std::max({static_cast<double>(work.memory.own.both()) / gpu.memory_bandwidth,
                link_ns(gpu, host, gpu.h2d_bandwidth, gpu.d2h_bandwidth),
                link_ns(gpu, peers, gpu.peer_bandwidth, gpu.peer_bandwidth)});
  const double first_access_ns = host.both() + peers.both() > 0 ? gpu.link_access_latency : 0;
  const double memory_ns = moving_ns / blocks * concurrent;
  const double standstill_ns = (work.migration_ns + first_access_ns) / blocks * concurrent;

  const auto duration = [&](const block_work& block) {
    const double cycles = std::max(block.latency_cycles, block.warp_cycles * sharing);
    return nanoseconds(
        std::max(1LL, std::llround(std::max(cycles * 1e3 / gpu.clock, memory_ns) + standstill_ns)));
  };
  const bool all_alike = std::all_of(work.blocks.begin(), work.blocks.end(),
                                     [&](const block_work& block) { return block == work.blocks.front(); });
  if (all_alike) return {duration(work.blocks.empty() ? block_work{} : work.blocks.front())};
  std::vector<nanoseconds> result;
  result.reserve(work.blocks.size());
  for (const block_work& block : work.blocks) result.push_back(duration(block));
  return result;
}

}  // namespace device

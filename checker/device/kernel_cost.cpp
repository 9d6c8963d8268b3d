#include "device/kernel_cost.h"

#include <algorithm>
#include <cmath>

namespace device {

int occupied_threads(const profile& gpu, const kernel_shape& shape) {
  const int threads = std::max(1, static_cast<int>(shape.threads_per_block));
  return (threads + gpu.warp_size - 1) / gpu.warp_size * gpu.warp_size;
}

std::uint64_t resident_blocks(const profile& gpu, const kernel_shape& shape) {
  const auto fit = static_cast<std::size_t>(
      std::min(gpu.blocks_per_multiprocessor, gpu.threads_per_multiprocessor / occupied_threads(gpu, shape)));
  if (shape.shared_memory_per_block == 0) return fit;
  return std::min(fit, gpu.shared_memory_per_multiprocessor / shape.shared_memory_per_block);
}

std::vector<nanoseconds> block_durations(const profile& gpu, const kernel_shape& shape,
                                         const kernel_work& work) {
  const double blocks = static_cast<double>(shape.blocks);
  const double resident = static_cast<double>(std::max<std::uint64_t>(1, resident_blocks(gpu, shape)));
  const double sharing = std::min(resident, std::ceil(blocks / gpu.multiprocessors));
  const double concurrent = std::min(blocks, resident * gpu.multiprocessors);
  const double memory_ns =
      static_cast<double>(work.memory_bytes) / blocks * concurrent / gpu.memory_bandwidth;

  const double standstill_ns = work.migration_ns / blocks * concurrent;

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

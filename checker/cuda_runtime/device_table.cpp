#include "cuda_runtime/device_table.h"

namespace cuda_runtime {
namespace {

constexpr std::size_t KiB = 1 << 10;
constexpr std::size_t MiB = 1 << 20;

/// As an H200 has them (CUDA 13.0, driver 580).
std::size_t default_limit(const device::profile& gpu, cudaLimit limit) {
  switch (limit) {
    case cudaLimitStackSize:
      return 1 * KiB;
    case cudaLimitPrintfFifoSize:
      return static_cast<std::size_t>(gpu.multiprocessors) * 64 * KiB;
    case cudaLimitMallocHeapSize:
      return 8 * MiB;
    case cudaLimitDevRuntimePendingLaunchCount:
      return 2048;
    case cudaLimitMaxL2FetchGranularity:
      return 64;
    default:
      return 0;
  }
}

}  // namespace

device_table::device_table(const device::profile& gpu, std::size_t count) : gpu_(gpu), settings_(count) {
  for (std::uint32_t device = 0; device < count; ++device) reset(device);
}

std::size_t device_table::limit(std::uint32_t device, cudaLimit limit) const {
  const auto& limits = settings_[device].limits;
  const auto set = limits.find(limit);
  return set != limits.end() ? set->second : default_limit(gpu_, limit);
}

}  // namespace cuda_runtime

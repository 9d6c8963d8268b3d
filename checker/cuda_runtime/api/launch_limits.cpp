#include "cuda_runtime/api/launch_limits.h"

#include <algorithm>
#include <cstdlib>

namespace cuda_runtime {

device::kernel_shape shape_of(dim3 grid, dim3 block, std::size_t shared_memory_bytes) {
  return {std::uint64_t{grid.x} * grid.y * grid.z, block.x * block.y * block.z, shared_memory_bytes};
}

cudaError_t check_launch(const runtime& run, std::string_view kernel, dim3 grid, dim3 block,
                         std::size_t shared_memory_bytes) {
  const device::profile& gpu = run.gpu();
  const int major = std::atoi(gpu.compute_capability.c_str());
  const unsigned grid_x_most = major >= 3 ? 2147483647u : 65535u;
  const unsigned grid_z_most = major >= 2 ? 65535u : 1u;
  const auto threads = std::uint64_t{block.x} * block.y * block.z;
  const bool fits = grid.x > 0 && grid.y > 0 && grid.z > 0 && threads > 0 && grid.x <= grid_x_most &&
                    grid.y <= 65535 && grid.z <= grid_z_most && block.z <= 64 &&
                    static_cast<double>(threads) <= gpu.threads_per_block &&
                    shared_memory_bytes <= run.dynamic_shared_memory_most(kernel);
  if (!fits) return cudaErrorInvalidValue;
  const bool has_room = device::resident_blocks(gpu, shape_of(grid, block, shared_memory_bytes)) > 0;
  return has_room ? cudaSuccess : cudaErrorLaunchOutOfResources;
}

int clamped_priority(const device::profile& gpu, int wanted) {
  return std::clamp(wanted, static_cast<int>(gpu.priority_greatest), 0);
}

}  // namespace cuda_runtime

#include "cuda_runtime/api/launch_limits.h"

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

namespace cuda_runtime {

device::kernel_shape shape_of(const launch_shape& shape, std::size_t shared_memory_bytes) {
  return {shape.blocks(), shape.threads(), shared_memory_bytes};
}

namespace {

std::vector<std::string> parameter_names_in(const std::string& parameters) {
  std::vector<std::string> names;
  std::istringstream text(parameters);
  for (std::string name; std::getline(text, name, ',');) names.push_back(name);
  return names;
}

void know_parameters(trace::recording& recording, const kernels::kernel_image& kernel,
                     const std::vector<std::size_t>& places) {
  for (const trace::kernel_parameters& known : recording.kernels)
    if (known.kernel == kernel.name) return;
  const std::vector<std::string> names = parameter_names_in(kernel.parameters);
  trace::kernel_parameters& added = recording.kernels.emplace_back();
  added.kernel = kernel.name;
  for (const std::size_t place : places) added.integers.push_back(names.at(place));
}

}  // namespace

prepared_operation prepared(trace::recording& recording, const kernels::kernel_launch& launch) {
  prepared_operation result;
  const auto& [grid, block] = launch.shape;
  result.request.kind = trace::operation_kind::kernel;
  result.request.shape = shape_of(launch.shape, launch.shared_memory_bytes);
  result.recorded.name = launch.kernel.image.name;
  result.recorded.grid = {grid.x, grid.y, grid.z};
  result.recorded.block = {block.x, block.y, block.z};
  result.recorded.shared_memory_bytes = launch.shared_memory_bytes;
  if (const kernels::kernel_image& kernel = launch.kernel.image; kernel.function != nullptr) {
    std::vector<long long> values(kernel.argument_count);
    std::vector<std::size_t> places(kernel.argument_count);
    values.resize(kernel.copy_integers(kernel.closure, values.data(), places.data()));
    places.resize(values.size());
    result.recorded.integers.emplace(values.begin(), values.end());
    know_parameters(recording, kernel, places);
  }
  result.work.emplace<kernel_payload>(launch);
  return result;
}

cudaError_t check_launch(runtime& run, std::string_view kernel, const launch_shape& shape,
                         std::size_t shared_memory_bytes) {
  const device::profile& gpu = run.gpu();
  const auto& [grid, block] = shape;
  const int major = std::atoi(gpu.compute_capability.c_str());
  const unsigned max_grid_x = major >= 3 ? 2147483647u : 65535u;
  const unsigned max_grid_z = major >= 2 ? 65535u : 1u;
  const auto threads = std::uint64_t{block.x} * block.y * block.z;
  const bool fits = grid.x > 0 && grid.y > 0 && grid.z > 0 && threads > 0 && grid.x <= max_grid_x &&
                    grid.y <= 65535 && grid.z <= max_grid_z && block.z <= 64 &&
                    threads <= static_cast<std::uint64_t>(gpu.threads_per_block) &&
                    shared_memory_bytes <= run.functions().max_dynamic_shared_bytes(kernel);
  if (!fits) return cudaErrorInvalidValue;
  const bool has_room = device::resident_blocks(gpu, shape_of(shape, shared_memory_bytes)) > 0;
  return has_room ? cudaSuccess : cudaErrorLaunchOutOfResources;
}

int clamped_priority(const device::profile& gpu, int wanted) {
  return std::clamp(wanted, gpu.priority_greatest, 0);
}

}  // namespace cuda_runtime

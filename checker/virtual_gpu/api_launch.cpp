// Kernel launches.
#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "device/kernel_cost.h"
#include "virtual_gpu/api_call.h"
#include "virtual_gpu/exported.h"
#include "virtual_gpu/kernel_run.h"

using virtual_gpu::api_call;

namespace {

/// The answer of the driver to a launch of that size. @see CUDA C++ Programming Guide, "Compute Capabilities"; the codes
/// are those of an H200.
cudaError_t check_size(const device::profile& gpu, dim3 grid, dim3 block, std::size_t shared_memory_bytes) {
  const int major = std::atoi(gpu.compute_capability.c_str());
  const unsigned grid_x_most = major >= 3 ? 2147483647u : 65535u;
  const unsigned grid_z_most = major >= 2 ? 65535u : 1u;
  const auto threads = std::uint64_t{block.x} * block.y * block.z;
  const bool fits = grid.x > 0 && grid.y > 0 && grid.z > 0 && threads > 0 && grid.x <= grid_x_most && grid.y <= 65535 &&
                    grid.z <= grid_z_most && block.z <= 64 &&
                    static_cast<double>(threads) <= gpu.threads_per_block &&
                    static_cast<double>(shared_memory_bytes) <= gpu.shared_memory_per_block;
  return fits ? cudaSuccess : cudaErrorInvalidValue;
}

/// Which part of the size it is, for people.
std::string problem_of_size(const device::profile& gpu, dim3 grid, dim3 block, std::size_t shared_memory_bytes) {
  const auto threads = std::uint64_t{block.x} * block.y * block.z;
  if (threads == 0 || std::uint64_t{grid.x} * grid.y * grid.z == 0) return "a launch has at least one block of one thread";
  if (static_cast<double>(threads) > gpu.threads_per_block) {
    return "a block of " + std::to_string(threads) + " threads is too large: this GPU takes at most " +
           std::to_string(static_cast<int>(gpu.threads_per_block));
  }
  if (static_cast<double>(shared_memory_bytes) > gpu.shared_memory_per_block) {
    return std::to_string(shared_memory_bytes) + " bytes of shared memory are too much: a block can have at most " +
           std::to_string(static_cast<std::size_t>(gpu.shared_memory_per_block));
  }
  return "the grid or the block has too many elements in one dimension";
}

}  // namespace

namespace virtual_gpu {

EXPORTED void hand_over(const kernel_image& image) { runtime::get().hand_over(image); }

EXPORTED void launch(dim3 grid, dim3 block, std::size_t shared_memory_bytes, cudaStream_t handle) {
  api_call call("cudaLaunchKernel", __builtin_return_address(0));
  runtime& run = call.run();
  const std::optional<kernel_image> image = run.take_kernel();
  const trace::stream* const found = call.stream(handle);
  const trace::stream stream = found != nullptr ? *found : trace::stream{};
  cudaError_t error = !image ? cudaErrorInvalidDeviceFunction : cudaSuccess;
  if (error == cudaSuccess && found == nullptr) error = cudaErrorInvalidResourceHandle;
  if (error == cudaSuccess && stream.device != run.current_device()) {
    // The documentation lets every launch into a stream of another device fail; current drivers take it.
    const bool is_taken = std::atoi(run.gpu().compute_capability.c_str()) >= 7;
    if (is_taken) {
      call.note("stream_of_another_device",
                "the launch goes to a stream of device " + std::to_string(stream.device) + " while device " +
                    std::to_string(run.current_device()) +
                    " is current; this driver runs it, but CUDA's documentation says that it fails");
    } else {
      error = cudaErrorInvalidResourceHandle;
    }
  }
  if (error == cudaSuccess) error = check_size(run.gpu(), grid, block, shared_memory_bytes);
  if (error == cudaErrorInvalidValue) call.explain(problem_of_size(run.gpu(), grid, block, shared_memory_bytes));
  device::request what;
  what.kind = trace::operation_kind::kernel;
  what.shape = {std::uint64_t{grid.x} * grid.y * grid.z, block.x * block.y * block.z, shared_memory_bytes};
  if (error == cudaSuccess && device::resident_blocks(run.gpu(), what.shape) == 0) error = cudaErrorLaunchOutOfResources;
  if (!call.is_permitted()) error = cudaErrorNotPermitted;
  if (error != cudaSuccess || run.sticky_error() != cudaSuccess) {
    if (image) image->destroy(image->closure);
    call.done(error);
    return;
  }
  if (run.is_first_launch(image->run_thread, stream.device)) run.spend(trace::nanoseconds(std::llround(run.gpu().first_launch)));
  run.show_kernel_output(stream.device);
  run.wait_for_room_in_the_launch_queue(stream.device);
  what.stream = stream.id;
  trace::operation described;
  described.name = image->name;
  described.grid = {grid.x, grid.y, grid.z};
  described.block = {block.x, block.y, block.z};
  described.shared_memory_bytes = shared_memory_bytes;
  payload needs;
  needs.launch = std::make_unique<kernel_launch>(kernel_launch{*image, grid, block, shared_memory_bytes});
  const trace::operation_id issued = run.issue(what, std::move(described), std::move(needs));
  if (run.launches_block()) run.wait_for(issued);
  call.done(cudaSuccess);
}

}  // namespace virtual_gpu

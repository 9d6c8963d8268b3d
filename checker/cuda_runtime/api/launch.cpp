// Kernel launches.
#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "cuda_runtime/api/api_call.h"
#include "cuda_runtime/api/kernel_table.h"
#include "cuda_runtime/api/launch_limits.h"
#include "cuda_runtime/capture.h"
#include "kernels/exported.h"
#include "kernels/kernel_run.h"

using cuda_runtime::api_call;

namespace {

/// Which part of the size it is, for people.
std::string problem_of_size(const device::profile& gpu, dim3 grid, dim3 block,
                            std::size_t shared_memory_bytes, std::size_t max_shared_bytes) {
  const auto threads = std::uint64_t{block.x} * block.y * block.z;
  if (threads == 0 || std::uint64_t{grid.x} * grid.y * grid.z == 0)
    return "a launch has at least one block of one thread";
  if (threads > static_cast<std::uint64_t>(gpu.threads_per_block)) {
    return "a block of " + std::to_string(threads) + " threads is too large: this GPU takes at most " +
           std::to_string(gpu.threads_per_block);
  }
  if (shared_memory_bytes > max_shared_bytes) {
    return std::to_string(shared_memory_bytes) +
           " bytes of shared memory are too much: a block can have at most " +
           std::to_string(max_shared_bytes);
  }
  return "the grid or the block has too many elements in one dimension";
}

}  // namespace

EXPORTED void virtual_gpu::hand_over(const kernel_image& image) {
  cuda_runtime::runtime& run = cuda_runtime::runtime::get();
  run.called().add({image, run.log().current_location()});
}

namespace cuda_runtime {

/// Whether all blocks fit the device at once, so that they may wait for each other.
/// @see CUDA Runtime API, cudaLaunchCooperativeKernel
static cudaError_t check_cooperative(api_call& call, const device::kernel_shape& shape) {
  const device::profile& gpu = call.run().gpu();
  if (std::atoi(gpu.compute_capability.c_str()) < 6) {
    call.explain("cooperative launches need compute capability 6.0");
    return cudaErrorNotSupported;
  }
  const auto max_blocks =
      device::resident_blocks(gpu, shape) * static_cast<std::uint64_t>(gpu.multiprocessors);
  if (shape.blocks <= max_blocks) return cudaSuccess;
  call.explain(std::to_string(shape.blocks) +
               " blocks are too many for a cooperative launch: this GPU holds " + std::to_string(max_blocks) +
               " of that size at once");
  return cudaErrorCooperativeLaunchTooLarge;
}

/// What the attributes of a launch ask for.
struct launch_attributes {
  kernels::block_residency residency = kernels::block_residency::in_turn;
  std::optional<int> priority{};  ///< instead of the stream's
};

/// Reads the attributes of a launch; which of them are not modelled is noted.
/// @see CUDA Runtime API, "cudaLaunchAttributeID"
static cudaError_t read_attributes(api_call& call, const cudaLaunchConfig_t& config,
                                   launch_attributes& result) {
  if (config.attrs == nullptr && config.numAttrs > 0) return cudaErrorInvalidValue;
  for (unsigned int i = 0; i < config.numAttrs; ++i) {
    const cudaLaunchAttribute& attribute = config.attrs[i];
    if (attribute.id == cudaLaunchAttributeCooperative) {
      if (attribute.val.cooperative != 0) result.residency = kernels::block_residency::all_at_once;
    } else if (attribute.id == cudaLaunchAttributePriority) {
      result.priority = clamped_priority(call.run().gpu(), attribute.val.priority);
    } else if (attribute.id != cudaLaunchAttributeIgnore) {
      call.note(trace::diagnostic_kind::not_supported,
                "launch attributes other than cooperative and priority are not modelled by the virtual GPU: "
                "number " +
                    std::to_string(attribute.id));
      return cudaErrorNotSupported;
    }
  }
  return cudaSuccess;
}

/// Launches the kernel, unless the call is refused. Without a kernel `error` says why.
static cudaError_t launch(api_call& call, const std::optional<kernels::kernel_image>& image,
                          cudaError_t error, dim3 grid, dim3 block, std::size_t shared_memory_bytes,
                          cudaStream_t handle, const launch_attributes& attributes = {}) {
  runtime& run = call.run();
  const trace::stream* const found = call.stream(handle);
  const trace::stream stream = found != nullptr ? *found : trace::stream{};
  if (error == cudaSuccess && found == nullptr) error = cudaErrorInvalidResourceHandle;
  if (error == cudaSuccess && stream.device != run.current_device()) {
    // The documentation lets every launch into a stream of another device fail; current drivers take it.
    const bool is_taken = std::atoi(run.gpu().compute_capability.c_str()) >= 7;
    if (is_taken) {
      call.note(trace::diagnostic_kind::stream_of_another_device,
                "the launch goes to a stream of device " + std::to_string(stream.device) + " while device " +
                    std::to_string(run.current_device()) +
                    " is current: drivers of such a GPU run it, but CUDA's documentation says that it fails");
    } else {
      call.explain("the launch goes to a stream of device " + std::to_string(stream.device) +
                   " while device " + std::to_string(run.current_device()) + " is current");
      error = cudaErrorInvalidResourceHandle;
    }
  }
  if (error == cudaSuccess) {
    error = check_launch(run, image->name, {grid, block}, shared_memory_bytes);
    if (error == cudaErrorInvalidValue) {
      call.explain(problem_of_size(run.gpu(), grid, block, shared_memory_bytes,
                                   run.functions().max_dynamic_shared_bytes(image->name)));
    }
  }
  if (error == cudaSuccess && attributes.residency == kernels::block_residency::all_at_once) {
    error = check_cooperative(call, shape_of({grid, block}, shared_memory_bytes));
  }
  if (!call.is_permitted() || error != cudaSuccess || run.errors().sticky() != cudaSuccess) {
    return error;
  }
  const bool runs_now = run.captures().of(stream.id) == nullptr;
  if (runs_now) {
    if (run.functions().is_first_launch(image->run_thread, stream.device)) {
      run.clock().spend(trace::nanoseconds(std::llround(run.gpu().first_launch)));
    }
    run.output().show(stream.device);
    run.clock().wait_for_room_in_launch_queue(stream.device);
  }
  prepared_operation work =
      prepared(run.log().recording(),
               {kernels::kernel_copy(*image), {grid, block}, shared_memory_bytes, attributes.residency});
  work.request.stream = stream.id;
  work.request.priority = attributes.priority;
  const trace::operation_id issued = run.work().issue(std::move(work));
  if (run.settings().launches_block) run.clock().wait_for(issued);
  return cudaSuccess;
}

}  // namespace cuda_runtime

EXPORTED void virtual_gpu::launch(dim3 grid, dim3 block, std::size_t shared_memory_bytes,
                                  cudaStream_t handle) {
  kernels::called_kernel called;
  api_call call(trace::api_function::cudaLaunchKernel, __builtin_return_address(0));
  called = kernels::called_kernel(call.run().called().take());
  call.close(cuda_runtime::launch(call, called.image(),
                                  called.image() ? cudaSuccess : cudaErrorInvalidDeviceFunction, grid, block,
                                  shared_memory_bytes, handle));
}

extern "C" EXPORTED cudaError_t cudaLaunchKernel(const void* func, dim3 gridDim, dim3 blockDim, void** args,
                                                 size_t sharedMem, cudaStream_t stream) {
  kernels::called_kernel called;
  api_call call(trace::api_function::cudaLaunchKernel, __builtin_return_address(0));
  cudaError_t error = cudaSuccess;
  called = cuda_runtime::call_with_arguments(call, func, args, error);
  return call.close(cuda_runtime::launch(call, called.image(), error, gridDim, blockDim, sharedMem, stream));
}

extern "C" EXPORTED cudaError_t cudaLaunchCooperativeKernel(const void* func, dim3 gridDim, dim3 blockDim,
                                                            void** args, size_t sharedMem,
                                                            cudaStream_t stream) {
  kernels::called_kernel called;
  api_call call(trace::api_function::cudaLaunchKernel, __builtin_return_address(0));
  cudaError_t error = cudaSuccess;
  called = cuda_runtime::call_with_arguments(call, func, args, error);
  return call.close(cuda_runtime::launch(call, called.image(), error, gridDim, blockDim, sharedMem, stream,
                                         {.residency = kernels::block_residency::all_at_once}));
}

extern "C" EXPORTED cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* func,
                                                    void** args) {
  kernels::called_kernel called;
  api_call call(trace::api_function::cudaLaunchKernel, __builtin_return_address(0));
  if (config == nullptr) return call.close(cudaErrorInvalidValue);
  cuda_runtime::launch_attributes attributes;
  cudaError_t error = cuda_runtime::read_attributes(call, *config, attributes);
  if (error != cudaSuccess) return call.close(error);
  called = cuda_runtime::call_with_arguments(call, func, args, error);
  return call.close(cuda_runtime::launch(call, called.image(), error, config->gridDim, config->blockDim,
                                         config->dynamicSmemBytes, config->stream, attributes));
}

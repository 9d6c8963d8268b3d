// kernel_launch.h: a launch that has not started: the kernel with its arguments, and how many threads run it.
//
// The host's arguments are objects: their destructors run when the launch returns, whether or not the kernel has begun.
// What the threads get are their bytes as they were at the launch: no thread runs a copy constructor or a destructor.
// @see CUDA C++ Programming Guide, "__global__ Function Argument Processing"
#pragma once

#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include "include/device_language.h"

namespace kernels {

using virtual_gpu::kernel_image;

/// A kernel that the host has called; ends its arguments when it goes. To be declared outside of the API call
/// whose launch it is for: destructors may call CUDA.
class called_kernel {
 public:
  called_kernel() = default;
  explicit called_kernel(std::optional<kernel_image> image) : image_(image) {}
  called_kernel(called_kernel&& other) noexcept : image_(std::exchange(other.image_, std::nullopt)) {}
  called_kernel& operator=(called_kernel&& other) noexcept {
    std::swap(image_, other.image_);
    return *this;
  }
  ~called_kernel() {
    if (image_) image_->destroy(image_->closure);
  }
  /// None when no kernel was called.
  const std::optional<kernel_image>& image() const { return image_; }

 private:
  std::optional<kernel_image> image_;
};

/// A kernel whose closure is a copy of the host's bytes as they are now; copies of it share them.
struct kernel_copy {
  explicit kernel_copy(const kernel_image& original) : image(original) {
    const std::align_val_t alignment{original.closure_alignment};
    bytes = {::operator new(original.closure_bytes, alignment),
             [alignment](void* closure) { ::operator delete(closure, alignment); }};
    std::memcpy(bytes.get(), original.closure, original.closure_bytes);
    image.closure = bytes.get();
  }

  kernel_image image;  ///< its closure is `bytes`
  std::shared_ptr<void> bytes{};
};

/// The blocks and threads of a launch.
struct launch_shape {
  dim3 grid;
  dim3 block;

  std::uint64_t blocks() const { return std::uint64_t{grid.x} * grid.y * grid.z; }
  unsigned threads() const { return block.x * block.y * block.z; }
  /// blockIdx of the block with that number.
  dim3 block_index(std::uint64_t number) const {
    return {static_cast<unsigned>(number % grid.x), static_cast<unsigned>(number / grid.x % grid.y),
            static_cast<unsigned>(number / grid.x / grid.y)};
  }
  /// threadIdx of the thread with that number in its block.
  dim3 thread_index(unsigned number) const {
    if (number < block.x) return {number, 0, 0};  // without divisions
    return {number % block.x, number / block.x % block.y, number / block.x / block.y};
  }
  /// "thread (3,0,0) of block (0,0,0)"
  std::string thread_in_words(std::uint64_t block_number, unsigned thread_number) const;
};

/// Whether the blocks of a kernel may wait for each other: only when all of them are resident.
enum class block_residency { in_turn, all_at_once };

/// What one launch asks for.
struct kernel_launch {
  kernel_copy kernel;
  launch_shape shape;
  std::size_t shared_memory_bytes = 0;  ///< dynamic shared memory of each block
  block_residency residency = block_residency::in_turn;
};

}  // namespace kernels

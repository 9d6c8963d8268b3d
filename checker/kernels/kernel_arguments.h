// kernel_arguments.h: the arguments of a launch, on both sides.
//
// The host's are objects: their destructors run when the launch returns, whether or not the kernel has begun.
// What the threads get are their bytes as they were at the launch: no thread runs a copy constructor or a
// destructor. @see CUDA C++ Programming Guide, "__global__ Function Argument Processing"
#pragma once

#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <utility>

#include "include/device_language.h"

namespace kernels {

using virtual_gpu::kernel_image;

/// A kernel that the host has called; ends its arguments when it goes. To be declared before the api_call
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

/// A kernel whose closure is not the host's, but its bytes as they are now; copies of it share them.
struct kernel_copy {
  explicit kernel_copy(const kernel_image& of) : image(of) {
    const std::align_val_t alignment{of.closure_alignment};
    bytes = {::operator new(of.closure_bytes, alignment),
             [alignment](void* each) { ::operator delete(each, alignment); }};
    std::memcpy(bytes.get(), of.closure, of.closure_bytes);
    image.closure = bytes.get();
  }

  kernel_image image;             ///< with the closure in `bytes`
  std::shared_ptr<void> bytes{};  ///< of the closure, aligned as it was
};

}  // namespace kernels

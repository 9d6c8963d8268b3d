// function_attributes.h: what a program has set for its kernels, and which were launched before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "device/profile.h"

namespace cuda_runtime {

/// By name or address of the kernel.
class function_attributes {
 public:
  explicit function_attributes(const device::profile& gpu) : gpu_(gpu) {}

  /// Bytes of dynamic shared memory that a launch of the kernel may ask for.
  std::size_t max_dynamic_shared_bytes(std::string_view kernel) const;
  /// Bytes of shared memory that a block of the kernel may have in all: more than usual for kernels that have opted in.
  /// @see CUDA Programming Guide, "Compute Capabilities", shared memory a thread block
  std::size_t max_shared_bytes(std::string_view kernel) const;
  /// The upper limit of set_max_dynamic_shared_bytes().
  std::size_t opt_in_shared_bytes() const;
  /// @see CUDA Runtime API, cudaFuncAttributeMaxDynamicSharedMemorySize
  void set_max_dynamic_shared_bytes(std::string_view kernel, std::size_t bytes) {
    max_dynamic_shared_bytes_[std::string(kernel)] = bytes;
  }
  /// Per cent of a multiprocessor's memory that a kernel would have as shared memory; -1: as the driver likes. Kept and
  /// answered, without effect. @see CUDA Runtime API, cudaFuncAttributePreferredSharedMemoryCarveout
  int& carveout(const void* function) { return carveouts_.try_emplace(function, -1).first->second; }

  /// True the first time that a kernel of that code is launched on that device.
  bool is_first_launch(void (*code)(void*), std::uint32_t device) {
    return launched_.insert({code, device}).second;
  }
  /// The device was reset.
  void forget_launches(std::uint32_t device) {
    std::erase_if(launched_, [device](const auto& launched) { return launched.second == device; });
  }

 private:
  const device::profile& gpu_;
  std::map<std::string, std::size_t, std::less<>> max_dynamic_shared_bytes_;  // by kernel, as set
  std::map<const void*, int> carveouts_;
  std::set<std::pair<void (*)(void*), std::uint32_t>> launched_;
};

}  // namespace cuda_runtime

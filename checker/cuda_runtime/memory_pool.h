// memory_pool.h: the books of one pool of stream-ordered memory: how much is in use, and how much is kept for
// later use.
//
// A pool takes memory from the device in large steps and keeps what is freed until the next synchronization,
// or longer when its release threshold says so. Here: the numbers that cudaMemPoolGetAttribute answers. Not
// here: the memory itself (memory.h), and when an allocation may be used (runtime.h).
//
//     memory_pool pool(1, 0);
//     pool.take(1 << 20);       // true, it grew; in use: 1 MiB, reserved: 32 MiB
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace cuda_runtime {

/// Numbers of one pool; it holds no memory itself. @see CUDA Runtime API, cudaMemPoolAttr
class memory_pool {
 public:
  /// What a pool takes from the device at a time. Measured on an H200, CUDA 13.0, driver 580.
  static constexpr std::size_t step_bytes = 32 << 20;

  memory_pool(std::uint32_t number, std::uint32_t device)
      : open_to(std::uint64_t{1} << device), number_(number), device_(device) {}

  /// Which pool of the process, from 1.
  std::uint32_t number() const { return number_; }
  /// Where its memory is.
  std::uint32_t device() const { return device_; }

  /// Notes that so many bytes were asked for; at the host's call, whenever their turn in the stream comes. Returns whether the
  /// device had to give more.
  bool take(std::size_t bytes) {
    const bool grows = growth(bytes) != 0;
    used_ += bytes;
    used_high_ = std::max(used_high_, used_);
    reserved_ = std::max(reserved_, in_steps(used_));
    reserved_high_ = std::max(reserved_high_, reserved_);
    return grows;
  }
  /// Notes that so many bytes were freed; at the host's call too.
  void give_back(std::size_t bytes) { used_ -= bytes; }

  /// How much take() would reserve beyond what is reserved.
  std::size_t growth(std::size_t bytes) const {
    const std::size_t needed = in_steps(used_ + bytes);
    return needed > reserved_ ? needed - reserved_ : 0;
  }
  /// Gives unused memory back to the device, but keeps `kept_bytes` reserved.
  void trim(std::size_t kept_bytes) {
    if (kept_bytes < reserved_)
      reserved_ = std::min(reserved_, std::max(in_steps(used_), in_steps(kept_bytes)));
  }
  /// What a synchronization does: trims to the release threshold.
  void synchronized() { trim(release_threshold); }

  /// Bytes that the program has now.
  std::size_t used() const { return used_; }
  /// The most since the last reset.
  std::size_t used_high() const { return used_high_; }
  /// Bytes taken from the device now, in whole steps.
  std::size_t reserved() const { return reserved_; }
  /// The most since the last reset.
  std::size_t reserved_high() const { return reserved_high_; }
  /// The most is what is used now.
  void reset_used_high() { used_high_ = used_; }
  /// The most is what is reserved now.
  void reset_reserved_high() { reserved_high_ = reserved_; }

  std::uint64_t release_threshold = 0;  ///< bytes that a synchronization leaves reserved
  int follows_event_dependencies =
      1;  ///< as set, and answered; addresses are never reused here, so nothing depends on it
  int allows_opportunistic_reuse = 1;    ///< the same
  int allows_internal_dependencies = 1;  ///< the same
  std::uint64_t open_to;      ///< the devices that may use its memory, its own included; one bit a device
  trace::call_id destroyed_by =
      0;  ///< then its handle is no longer valid; memory from it is until it is freed

 private:
  static std::size_t in_steps(std::size_t bytes) {
    return bytes / step_bytes * step_bytes + (bytes % step_bytes == 0 ? 0 : step_bytes);
  }

  std::uint32_t number_;
  std::uint32_t device_;
  std::size_t used_ = 0;
  std::size_t used_high_ = 0;
  std::size_t reserved_ = 0;
  std::size_t reserved_high_ = 0;
};

}  // namespace cuda_runtime

// device_heap.h: the memory that threads of kernels allocate with malloc() or new.
//
// It lies in blocks of device memory, and no address is given out twice, so that memory of two kernels is never taken for
// the same. Not found: accesses beyond one allocation that end in another one of the same block.
//
//     void* const memory = heap.allocate(24, limit_bytes);
//     if (!heap.release(address_of(memory))) ...  // not allocated, or freed before
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "kernels/memory.h"

namespace kernels {

/// The heap of one device.
class device_heap {
 public:
  device_heap(memory& where, std::uint32_t device) : memory_(where), device_(device) {}

  /// A multiple of 16; nullptr when more than `limit_bytes` would be in use at once.
  void* allocate(std::size_t bytes, std::size_t limit_bytes);
  /// False when nothing was allocated there, or it has been freed.
  bool release(address where);

 private:
  /// Chosen: large enough for thousands of list nodes, small enough to be filled at once.
  static constexpr std::size_t bytes_of_block = 1 << 20;
  struct block {
    std::size_t used = 0;  // bytes given out, freed or not
    std::size_t live = 0;  // allocations
  };

  memory& memory_;
  const std::uint32_t device_;
  std::size_t bytes_in_use_ = 0;
  memory_block* current_ = nullptr;  // where the next allocation is tried
  std::unordered_map<trace::allocation_id, block> blocks_;
  std::unordered_map<address, std::size_t> allocations_;  // live ones: bytes by first address
};

}  // namespace kernels

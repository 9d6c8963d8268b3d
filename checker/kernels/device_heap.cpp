#include "kernels/device_heap.h"

#include <algorithm>

namespace kernels {

void* device_heap::allocate(std::size_t bytes, std::size_t limit_bytes) {
  constexpr std::size_t alignment = 16;
  if (bytes > limit_bytes) return nullptr;
  const std::size_t taken = std::max((bytes + alignment - 1) / alignment * alignment, alignment);
  if (taken > limit_bytes - std::min(bytes_in_use_, limit_bytes)) return nullptr;
  if (current_ == nullptr || taken > current_->bytes - blocks_[current_->id].used) {
    if (current_ != nullptr && blocks_[current_->id].live == 0) memory_.release(current_->id);
    current_ = memory_.allocate(trace::memory_kind::device, std::max(taken, bytes_of_block), device_);
    if (current_ == nullptr) return nullptr;
    current_->name = "heap of the kernels";
    current_->is_heap = true;
  }
  block& from = blocks_[current_->id];
  const address where = current_->begin + from.used;
  from.used += taken;
  ++from.live;
  bytes_in_use_ += taken;
  allocations_[where] = taken;
  return reinterpret_cast<void*>(where);
}

bool device_heap::release(address where) {
  const auto found = allocations_.find(where);
  if (found == allocations_.end()) return false;
  bytes_in_use_ -= found->second;
  allocations_.erase(found);
  const memory_block& held = *memory_.find(where);
  if (--blocks_[held.id].live == 0 && &held != current_) memory_.release(held.id);
  return true;
}

}  // namespace kernels

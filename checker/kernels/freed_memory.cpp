#include "kernels/freed_memory.h"

#include <iterator>

namespace kernels {

bool freed_memory::keep(address begin, std::size_t bytes, address code) {
  if (bytes > max_block_bytes) return false;
  blocks_[begin] = {bytes, code};
  order_.push_back(begin);
  bytes_ += bytes;
  for (address page = begin / page_bytes; page * page_bytes < begin + bytes; ++page)
    pages_.set(index_of(page * page_bytes));
  return true;
}

std::optional<address> freed_memory::take_surplus() {
  if (bytes_ <= max_bytes) return std::nullopt;
  const address oldest = order_.front();
  order_.pop_front();
  const auto found = blocks_.find(oldest);
  bytes_ -= found->second.bytes;
  blocks_.erase(found);
  return oldest;
}

const freed_memory::origin* freed_memory::find_block(address where) const {
  const auto next = blocks_.upper_bound(where);
  if (next == blocks_.begin()) return nullptr;
  const auto& [begin, kept] = *std::prev(next);
  return where < begin + kept.bytes ? &kept : nullptr;
}

}  // namespace kernels

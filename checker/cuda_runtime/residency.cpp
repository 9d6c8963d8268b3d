#include "cuda_runtime/residency.h"

#include <algorithm>

namespace cuda_runtime {

device::moved_pages move_to(std::int8_t place, memory_block& block, address begin, std::size_t bytes) {
  device::moved_pages result;
  if (block.kind != trace::memory_kind::managed || bytes == 0) return result;
  if (block.places.empty())
    block.places.assign((block.bytes + memory::page_bytes - 1) / memory::page_bytes, nowhere);
  const std::size_t last = (begin + bytes - 1 - block.begin) / memory::page_bytes;
  for (std::size_t page = (begin - block.begin) / memory::page_bytes; page <= last; ++page) {
    std::int8_t& is_in = block.places.at(page);
    if (is_in != nowhere && is_in != place) {
      ++result.pages;
      result.bytes += std::min(memory::page_bytes, block.bytes - page * memory::page_bytes);
    }
    is_in = place;
  }
  return result;
}

}  // namespace cuda_runtime

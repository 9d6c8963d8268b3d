#include "cuda_runtime/memory_box.h"

#include <cstring>
#include <utility>
#include <vector>

namespace cuda_runtime {

std::size_t memory_box::span_bytes() const {
  return bytes() == 0 ? 0 : (depth - 1) * slice_pitch + (height - 1) * pitch + width;
}

trace::byte_set memory_box::offsets_from(address block_begin) const {
  if (bytes() == span_bytes()) return trace::byte_set::range(begin - block_begin, bytes());
  std::vector<trace::byte_run> runs;
  for (std::size_t slice = 0; slice < depth; ++slice) {
    runs.push_back({begin - block_begin + slice * slice_pitch, width, pitch, height});
  }
  return trace::byte_set::from_runs(std::move(runs));
}

void memory_box::gather(unsigned char* packed) const {
  each_row([&](const unsigned char* row) {
    std::memcpy(packed, row, width);
    packed += width;
  });
}

void memory_box::scatter(const unsigned char* packed) const {
  each_row([&](unsigned char* row) {
    std::memcpy(row, packed, width);
    packed += width;
  });
}

void memory_box::fill(int value, std::size_t element_bytes) const {
  each_row([&](unsigned char* row) {
    if (element_bytes == 1) {
      std::memset(row, value, width);
      return;
    }
    for (std::size_t offset = 0; offset < width; offset += element_bytes)
      std::memcpy(row + offset, &value, element_bytes);
  });
}

}  // namespace cuda_runtime

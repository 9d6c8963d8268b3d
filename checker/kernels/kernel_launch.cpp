#include "kernels/kernel_launch.h"

namespace kernels {

std::string launch_shape::thread_in_words(std::uint64_t block_number, unsigned thread_number) const {
  const auto triple = [](dim3 index) {
    return '(' + std::to_string(index.x) + ',' + std::to_string(index.y) + ',' + std::to_string(index.z) +
           ')';
  };
  return "thread " + triple(thread_index(thread_number)) + " of block " + triple(block_index(block_number));
}

}  // namespace kernels

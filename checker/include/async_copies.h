// async_copies.h: copies that a thread of a kernel asks for and waits for later; what cuda_pipeline.h, cuda/pipeline and
// cooperative_groups/memcpy_async.h are made of. Programs include those.
//
// A copy is made when its thread waits for it. It costs what the thread's own loads and stores would.
#pragma once
#pragma GCC system_header  // warnings are for the code of the program

#include "cuda_runtime.h"

namespace virtual_gpu {

/// Adds a copy to the thread's open batch: `bytes` bytes, the last `zero_bytes` of them zeros instead. Both addresses are
/// multiples of `alignment`, or the wait ends the kernel with cudaErrorMisalignedAddress.
void copy_later(void* to, const void* from, std::size_t bytes, std::size_t zero_bytes, std::size_t alignment);
/// Ends the thread's open batch.
void commit_copies();
/// Makes the copies of all ended batches of the thread but the latest `left`.
void wait_for_copies(std::size_t left);

/// Adds the thread's share of a copy that a group makes together.
template <typename Group>
__attribute__((always_inline)) inline void copy_later_together(const Group& group, void* to, const void* from, std::size_t bytes) {
  const auto places = reinterpret_cast<std::size_t>(to) | reinterpret_cast<std::size_t>(from);
  // The sizes that the hardware copies asynchronously, else by bytes.
  const std::size_t piece = places % 16 == 0 ? 16 : places % 8 == 0 ? 8 : places % 4 == 0 ? 4 : 1;
  for (std::size_t i = group.thread_rank() * piece; i < bytes; i += group.size() * piece) {
    copy_later(static_cast<char*>(to) + i, static_cast<const char*>(from) + i, bytes - i < piece ? bytes - i : piece, 0, 1);
  }
}

/// A group of one.
struct single_thread {
  static unsigned int thread_rank() { return 0; }
  static unsigned int size() { return 1; }
};

}  // namespace virtual_gpu

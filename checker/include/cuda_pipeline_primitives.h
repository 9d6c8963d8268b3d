// cuda_pipeline_primitives.h: asynchronous copies of a thread, in batches.
// @see CUDA C++ Programming Guide, "Pipeline Primitives Interface"
#pragma once
#pragma GCC system_header  // warnings are for the code of the program

#include "async_copies.h"

/// Copies 4, 8 or 16 bytes to shared memory, the last `zero_bytes` of them zeros. Both addresses are multiples of `bytes`.
__attribute__((always_inline)) inline void __pipeline_memcpy_async(void* to, const void* from, std::size_t bytes,
                                                                   std::size_t zero_bytes = 0) {
  ::virtual_gpu::copy_later(to, from, bytes, zero_bytes, bytes);
}
/// Ends a batch of copies.
__attribute__((always_inline)) inline void __pipeline_commit() { ::virtual_gpu::commit_copies(); }
/// Waits for all batches but the latest `left`: for those of this thread alone.
__attribute__((always_inline)) inline void __pipeline_wait_prior(std::size_t left) { ::virtual_gpu::wait_for_copies(left); }

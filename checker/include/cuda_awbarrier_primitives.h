// cuda_awbarrier_primitives.h: barriers that are objects, as C.
// @see CUDA C++ Programming Guide, "Memory Barrier Primitives Interface"
#pragma once
#pragma GCC system_header  // warnings are for the code of the program

#include "barrier_objects.h"

typedef unsigned long long __mbarrier_t;
typedef unsigned long long __mbarrier_token_t;

inline std::uint32_t __mbarrier_maximum_count() { return (1 << 20) - 1; }
__attribute__((always_inline)) inline void __mbarrier_init(__mbarrier_t* barrier, std::uint32_t expected) {
  ::virtual_gpu::make_barrier(barrier, expected);
}
__attribute__((always_inline)) inline void __mbarrier_inval(__mbarrier_t* barrier) { *barrier = 0; }
__attribute__((always_inline)) inline __mbarrier_token_t __mbarrier_arrive(__mbarrier_t* barrier) {
  return ::virtual_gpu::arrive(barrier, 1);
}
__attribute__((always_inline)) inline __mbarrier_token_t __mbarrier_arrive_and_drop(__mbarrier_t* barrier) {
  const __mbarrier_token_t phase = ::virtual_gpu::phase_of(barrier);
  ::virtual_gpu::arrive_and_drop(barrier);
  return phase;
}
__attribute__((always_inline)) inline bool __mbarrier_test_wait(__mbarrier_t* barrier, __mbarrier_token_t token) {
  return ::virtual_gpu::has_phase_ended(barrier, token);
}
/// The thread's copies since the last commit are there when the barrier's current phase has ended.
__attribute__((always_inline)) inline void __pipeline_arrive_on(__mbarrier_t* barrier) {
  ::virtual_gpu::copy_until_phase_ends(barrier);
}

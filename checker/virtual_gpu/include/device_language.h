// device_language.h: what kernels see beside C++, and the two functions that translated launches call.
#pragma once
#pragma GCC system_header  // warnings are for the code of the program

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "cuda_runtime_api.h"

extern const uint3 threadIdx;
extern const uint3 blockIdx;
extern const dim3 blockDim;
extern const dim3 gridDim;
extern const int warpSize;

/// Waits until all threads of the block that are still running have come here.
void __syncthreads();
/// Orders memory accesses; on the virtual GPU they are always in program order.
void __threadfence();
void __threadfence_block();
void __threadfence_system();
/// Cycles of the multiprocessor's clock since the kernel began.
long long clock64();
/// Lets the thread sleep for about that many nanoseconds (at most about 1 ms, as the hardware does).
void __nanosleep(unsigned int nanoseconds);
/// Ends the kernel with cudaErrorLaunchFailure.
void __trap();

template <typename Value>
__attribute__((always_inline)) inline Value __ldg(const Value* where) { return *where; }

inline int atomicAdd(int* where, int value) { return __atomic_fetch_add(where, value, __ATOMIC_SEQ_CST); }
inline unsigned int atomicAdd(unsigned int* where, unsigned int value) { return __atomic_fetch_add(where, value, __ATOMIC_SEQ_CST); }
inline unsigned long long atomicAdd(unsigned long long* where, unsigned long long value) { return __atomic_fetch_add(where, value, __ATOMIC_SEQ_CST); }
template <typename Bits, typename Value>
inline Value virtual_gpu_atomic_add(Value* where, Value value) {
  Bits* const bits = reinterpret_cast<Bits*>(where);
  Bits seen = __atomic_load_n(bits, __ATOMIC_SEQ_CST);
  for (;;) {
    Value old;
    __builtin_memcpy(&old, &seen, sizeof old);
    const Value sum = old + value;
    Bits wanted;
    __builtin_memcpy(&wanted, &sum, sizeof wanted);
    if (__atomic_compare_exchange_n(bits, &seen, wanted, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) return old;
  }
}
inline float atomicAdd(float* where, float value) { return virtual_gpu_atomic_add<std::uint32_t>(where, value); }
inline double atomicAdd(double* where, double value) { return virtual_gpu_atomic_add<std::uint64_t>(where, value); }
inline int atomicExch(int* where, int value) { return __atomic_exchange_n(where, value, __ATOMIC_SEQ_CST); }
inline unsigned int atomicExch(unsigned int* where, unsigned int value) { return __atomic_exchange_n(where, value, __ATOMIC_SEQ_CST); }
inline int atomicCAS(int* where, int compare, int value) {
  __atomic_compare_exchange_n(where, &compare, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  return compare;
}
inline unsigned int atomicCAS(unsigned int* where, unsigned int compare, unsigned int value) {
  __atomic_compare_exchange_n(where, &compare, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  return compare;
}

inline int min(int a, int b) { return b < a ? b : a; }
inline unsigned int min(unsigned int a, unsigned int b) { return b < a ? b : a; }
inline long long min(long long a, long long b) { return b < a ? b : a; }
inline unsigned long long min(unsigned long long a, unsigned long long b) { return b < a ? b : a; }
inline float min(float a, float b) { return b < a ? b : a; }
inline double min(double a, double b) { return b < a ? b : a; }
inline int max(int a, int b) { return a < b ? b : a; }
inline unsigned int max(unsigned int a, unsigned int b) { return a < b ? b : a; }
inline long long max(long long a, long long b) { return a < b ? b : a; }
inline unsigned long long max(unsigned long long a, unsigned long long b) { return a < b ? b : a; }
inline float max(float a, float b) { return a < b ? b : a; }
inline double max(double a, double b) { return a < b ? b : a; }

namespace virtual_gpu {

/// A kernel with its arguments, ready to be launched.
struct kernel_image {
  const char* name;
  void* closure;                       ///< arguments, as they were at the call
  std::size_t closure_bytes;
  void (*run_thread)(void* closure);   ///< runs one thread of it
  void (*destroy)(void* closure);
};

/// Takes over the kernel that the next launch() is for.
void hand_over(const kernel_image& image);

/// What the body of a translated __global__ function does.
template <typename Body>
void kernel(const char* name, Body&& body) {
  using closure = typename std::remove_reference<Body>::type;
  hand_over({name, new closure(std::forward<Body>(body)), sizeof(closure),
             [](void* arguments) {
               closure own(*static_cast<closure*>(arguments));
               own();
             },
             [](void* arguments) { delete static_cast<closure*>(arguments); }});
}

/// What <<<...>>> becomes: launches the kernel that was handed over.
void launch(dim3 grid, dim3 block, std::size_t shared_memory_bytes = 0,
            cudaStream_t stream = nullptr) VIRTUAL_GPU_SYMBOL(virtual_gpu_launch);

/// Shared memory of the running block: the same object for every thread that asks with the same key.
void* shared_object(const void* key, std::size_t bytes, std::size_t alignment);
void* dynamic_shared();

template <typename Object>
Object& shared() {
  static const char key = 0;
  return *static_cast<Object*>(shared_object(&key, sizeof(Object), alignof(Object)));
}

}  // namespace virtual_gpu

// device_atomic_functions.h: atomic updates of global and shared memory.
//
// Each is one access in the recording. On the virtual GPU all scopes are alike: the forms for a block and for
// the system do the same. @see CUDA C++ Programming Guide, "Atomic Functions"
#pragma once
#pragma GCC system_header  // warnings are for the code of the program

#include "vector_types.h"

namespace virtual_gpu {

float atomic_add(float* where, float value);
double atomic_add(double* where, double value);
unsigned int atomic_increment(unsigned int* where, unsigned int value);
unsigned int atomic_decrement(unsigned int* where, unsigned int value);
int atomic_min(int* where, int value);
int atomic_max(int* where, int value);
unsigned int atomic_min(unsigned int* where, unsigned int value);
unsigned int atomic_max(unsigned int* where, unsigned int value);
long long atomic_min(long long* where, long long value);
long long atomic_max(long long* where, long long value);
unsigned long long atomic_min(unsigned long long* where, unsigned long long value);
unsigned long long atomic_max(unsigned long long* where, unsigned long long value);

}  // namespace virtual_gpu

// The function, and its forms with another scope.
#define VIRTUAL_GPU_ATOMIC(type, name, result)                                                \
  __attribute__((always_inline)) inline type name(type* where, type value) { return result; } \
  __attribute__((always_inline)) inline type name##_block(type* where, type value) {          \
    return name(where, value);                                                                \
  }                                                                                           \
  __attribute__((always_inline)) inline type name##_system(type* where, type value) {         \
    return name(where, value);                                                                \
  }

#define VIRTUAL_GPU_ATOMIC_ADD(type) \
  VIRTUAL_GPU_ATOMIC(type, atomicAdd, __atomic_fetch_add(where, value, __ATOMIC_SEQ_CST))
VIRTUAL_GPU_ATOMIC_ADD(int)
VIRTUAL_GPU_ATOMIC_ADD(unsigned int)
VIRTUAL_GPU_ATOMIC_ADD(unsigned long long)
VIRTUAL_GPU_ATOMIC(float, atomicAdd, ::virtual_gpu::atomic_add(where, value))
VIRTUAL_GPU_ATOMIC(double, atomicAdd, ::virtual_gpu::atomic_add(where, value))
// Each element is an update of its own, as on hardware.
VIRTUAL_GPU_ATOMIC(float2, atomicAdd, (float2{atomicAdd(&where->x, value.x), atomicAdd(&where->y, value.y)}))
VIRTUAL_GPU_ATOMIC(float4, atomicAdd,
                   (float4{atomicAdd(&where->x, value.x), atomicAdd(&where->y, value.y),
                           atomicAdd(&where->z, value.z), atomicAdd(&where->w, value.w)}))
#undef VIRTUAL_GPU_ATOMIC_ADD

VIRTUAL_GPU_ATOMIC(int, atomicSub, __atomic_fetch_sub(where, value, __ATOMIC_SEQ_CST))
VIRTUAL_GPU_ATOMIC(unsigned int, atomicSub, __atomic_fetch_sub(where, value, __ATOMIC_SEQ_CST))
VIRTUAL_GPU_ATOMIC(unsigned int, atomicInc, ::virtual_gpu::atomic_increment(where, value))
VIRTUAL_GPU_ATOMIC(unsigned int, atomicDec, ::virtual_gpu::atomic_decrement(where, value))

#define VIRTUAL_GPU_ATOMIC_EXCHANGE(type) \
  VIRTUAL_GPU_ATOMIC(type, atomicExch, __atomic_exchange_n(where, value, __ATOMIC_SEQ_CST))
VIRTUAL_GPU_ATOMIC_EXCHANGE(int)
VIRTUAL_GPU_ATOMIC_EXCHANGE(unsigned int)
VIRTUAL_GPU_ATOMIC_EXCHANGE(unsigned long long)
VIRTUAL_GPU_ATOMIC(float, atomicExch,
                   __builtin_bit_cast(float, __atomic_exchange_n(reinterpret_cast<unsigned int*>(where),
                                                                 __builtin_bit_cast(unsigned int, value),
                                                                 __ATOMIC_SEQ_CST)))
#undef VIRTUAL_GPU_ATOMIC_EXCHANGE

#define VIRTUAL_GPU_ATOMIC_OF_INTEGER(type)                                    \
  VIRTUAL_GPU_ATOMIC(type, atomicMin, ::virtual_gpu::atomic_min(where, value)) \
  VIRTUAL_GPU_ATOMIC(type, atomicMax, ::virtual_gpu::atomic_max(where, value)) \
  VIRTUAL_GPU_ATOMIC_OF_BITS(type)
#define VIRTUAL_GPU_ATOMIC_OF_BITS(type)                                                  \
  VIRTUAL_GPU_ATOMIC(type, atomicAnd, __atomic_fetch_and(where, value, __ATOMIC_SEQ_CST)) \
  VIRTUAL_GPU_ATOMIC(type, atomicOr, __atomic_fetch_or(where, value, __ATOMIC_SEQ_CST))   \
  VIRTUAL_GPU_ATOMIC(type, atomicXor, __atomic_fetch_xor(where, value, __ATOMIC_SEQ_CST))
VIRTUAL_GPU_ATOMIC_OF_INTEGER(int)
VIRTUAL_GPU_ATOMIC_OF_INTEGER(unsigned int)
VIRTUAL_GPU_ATOMIC_OF_INTEGER(unsigned long long)
VIRTUAL_GPU_ATOMIC(long long, atomicMin, ::virtual_gpu::atomic_min(where, value))
VIRTUAL_GPU_ATOMIC(long long, atomicMax, ::virtual_gpu::atomic_max(where, value))
VIRTUAL_GPU_ATOMIC_OF_BITS(long long)
#undef VIRTUAL_GPU_ATOMIC_OF_INTEGER
#undef VIRTUAL_GPU_ATOMIC_OF_BITS
#undef VIRTUAL_GPU_ATOMIC

#define VIRTUAL_GPU_ATOMIC_CAS(type)                                                                   \
  __attribute__((always_inline)) inline type atomicCAS(type* where, type compare, type value) {        \
    __atomic_compare_exchange_n(where, &compare, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);    \
    return compare;                                                                                    \
  }                                                                                                    \
  __attribute__((always_inline)) inline type atomicCAS_block(type* where, type compare, type value) {  \
    return atomicCAS(where, compare, value);                                                           \
  }                                                                                                    \
  __attribute__((always_inline)) inline type atomicCAS_system(type* where, type compare, type value) { \
    return atomicCAS(where, compare, value);                                                           \
  }
VIRTUAL_GPU_ATOMIC_CAS(int)
VIRTUAL_GPU_ATOMIC_CAS(unsigned int)
VIRTUAL_GPU_ATOMIC_CAS(unsigned long long)
VIRTUAL_GPU_ATOMIC_CAS(unsigned short)
#undef VIRTUAL_GPU_ATOMIC_CAS

// warp_functions.h: shuffles, votes, matches and reductions of the threads of a warp.
//
// All lanes that the mask names have to come to the same operation with the same mask, or have to have ended;
// otherwise the kernel fails with cudaErrorLaunchFailure and the recording names the line. (On hardware the
// result is undefined, mostly a kernel that never ends.) @see CUDA C++ Programming Guide, "Warp Shuffle
// Functions" and its neighbours
#pragma once
#pragma GCC system_header  // warnings are for the code of the program

namespace virtual_gpu {

enum class shuffle { index, up, down, exclusive_or };
/// The bits that the lane given by `operand` has for `value`; 0xCD in each byte when that lane does not take
/// part (CUDA leaves it undefined), the own ones where a segment of `width` lanes ends.
unsigned long long shuffled(shuffle how, unsigned int mask, unsigned long long value, unsigned int operand,
                            int width);

struct votes {
  unsigned int lanes;      ///< those that took part
  unsigned int in_favour;  ///< those whose predicate was not zero
};
votes vote(const char* name, unsigned int mask, bool predicate);
/// The lanes that gave the same value.
unsigned int matching_lanes(const char* name, unsigned int mask, unsigned long long value);

enum class reduction { sum, min, max, min_signed, max_signed, all_bits, any_bits, odd_bits };
unsigned int reduced(reduction how, const char* name, unsigned int mask, unsigned int value);

/// The place of the thread in its warp.
unsigned int lane_index();

template <int Bytes>
struct bits_of_size;
template <>
struct bits_of_size<1> {
  using type = unsigned char;
};
template <>
struct bits_of_size<2> {
  using type = unsigned short;
};
template <>
struct bits_of_size<4> {
  using type = unsigned int;
};
template <>
struct bits_of_size<8> {
  using type = unsigned long long;
};
template <typename Value>
using bits_of = typename bits_of_size<sizeof(Value)>::type;

template <typename Value>
__attribute__((always_inline)) inline Value shuffled_value(shuffle how, unsigned int mask, Value value,
                                                           unsigned int operand, int width) {
  const auto bits = shuffled(how, mask, __builtin_bit_cast(bits_of<Value>, value), operand, width);
  return __builtin_bit_cast(Value, static_cast<bits_of<Value>>(bits));
}

}  // namespace virtual_gpu

extern "C" {
/// Waits until all lanes of the mask that have not ended have come here.
void __syncwarp(unsigned int mask = 0xffffffff);
/// The lanes that are here together: those that came to this place before the warp could not go on otherwise.
unsigned int __activemask(void);
}

#define VIRTUAL_GPU_INLINE __attribute__((always_inline)) inline

#define VIRTUAL_GPU_SHUFFLES(type)                                                                        \
  VIRTUAL_GPU_INLINE type __shfl_sync(unsigned int mask, type value, int source, int width = 32) {        \
    return ::virtual_gpu::shuffled_value(::virtual_gpu::shuffle::index, mask, value, source, width);      \
  }                                                                                                       \
  VIRTUAL_GPU_INLINE type __shfl_up_sync(unsigned int mask, type value, unsigned int delta,               \
                                         int width = 32) {                                                \
    return ::virtual_gpu::shuffled_value(::virtual_gpu::shuffle::up, mask, value, delta, width);          \
  }                                                                                                       \
  VIRTUAL_GPU_INLINE type __shfl_down_sync(unsigned int mask, type value, unsigned int delta,             \
                                           int width = 32) {                                              \
    return ::virtual_gpu::shuffled_value(::virtual_gpu::shuffle::down, mask, value, delta, width);        \
  }                                                                                                       \
  VIRTUAL_GPU_INLINE type __shfl_xor_sync(unsigned int mask, type value, int lane_mask, int width = 32) { \
    return ::virtual_gpu::shuffled_value(::virtual_gpu::shuffle::exclusive_or, mask, value, lane_mask,    \
                                         width);                                                          \
  }
VIRTUAL_GPU_SHUFFLES(int)
VIRTUAL_GPU_SHUFFLES(unsigned int)
VIRTUAL_GPU_SHUFFLES(long)
VIRTUAL_GPU_SHUFFLES(unsigned long)
VIRTUAL_GPU_SHUFFLES(long long)
VIRTUAL_GPU_SHUFFLES(unsigned long long)
VIRTUAL_GPU_SHUFFLES(float)
VIRTUAL_GPU_SHUFFLES(double)
#undef VIRTUAL_GPU_SHUFFLES

VIRTUAL_GPU_INLINE int __all_sync(unsigned int mask, int predicate) {
  const ::virtual_gpu::votes result = ::virtual_gpu::vote("__all_sync", mask, predicate != 0);
  return result.in_favour == result.lanes;
}
VIRTUAL_GPU_INLINE int __any_sync(unsigned int mask, int predicate) {
  return ::virtual_gpu::vote("__any_sync", mask, predicate != 0).in_favour != 0;
}
VIRTUAL_GPU_INLINE int __uni_sync(unsigned int mask, int predicate) {
  const ::virtual_gpu::votes result = ::virtual_gpu::vote("__uni_sync", mask, predicate != 0);
  return (result.in_favour == result.lanes) | (result.in_favour == 0);
}
VIRTUAL_GPU_INLINE unsigned int __ballot_sync(unsigned int mask, int predicate) {
  return ::virtual_gpu::vote("__ballot_sync", mask, predicate != 0).in_favour;
}

#define VIRTUAL_GPU_MATCHES(type)                                                                       \
  VIRTUAL_GPU_INLINE unsigned int __match_any_sync(unsigned int mask, type value) {                     \
    return ::virtual_gpu::matching_lanes("__match_any_sync", mask,                                      \
                                         __builtin_bit_cast(::virtual_gpu::bits_of<type>, value));      \
  }                                                                                                     \
  VIRTUAL_GPU_INLINE unsigned int __match_all_sync(unsigned int mask, type value, int* are_all_equal) { \
    const unsigned int same = ::virtual_gpu::matching_lanes(                                            \
        "__match_all_sync", mask, __builtin_bit_cast(::virtual_gpu::bits_of<type>, value));             \
    *are_all_equal = same == ::virtual_gpu::vote("__match_all_sync", mask, true).lanes;                 \
    return *are_all_equal ? same : 0;                                                                   \
  }
VIRTUAL_GPU_MATCHES(int)
VIRTUAL_GPU_MATCHES(unsigned int)
VIRTUAL_GPU_MATCHES(long)
VIRTUAL_GPU_MATCHES(unsigned long)
VIRTUAL_GPU_MATCHES(long long)
VIRTUAL_GPU_MATCHES(unsigned long long)
VIRTUAL_GPU_MATCHES(float)
VIRTUAL_GPU_MATCHES(double)
#undef VIRTUAL_GPU_MATCHES

#define VIRTUAL_GPU_REDUCTION(type, name, how)                                                  \
  VIRTUAL_GPU_INLINE type name(unsigned int mask, type value) {                                 \
    return static_cast<type>(::virtual_gpu::reduced(::virtual_gpu::reduction::how, #name, mask, \
                                                    static_cast<unsigned int>(value)));         \
  }
VIRTUAL_GPU_REDUCTION(unsigned int, __reduce_add_sync, sum)
VIRTUAL_GPU_REDUCTION(int, __reduce_add_sync, sum)
VIRTUAL_GPU_REDUCTION(unsigned int, __reduce_min_sync, min)
VIRTUAL_GPU_REDUCTION(int, __reduce_min_sync, min_signed)
VIRTUAL_GPU_REDUCTION(unsigned int, __reduce_max_sync, max)
VIRTUAL_GPU_REDUCTION(int, __reduce_max_sync, max_signed)
VIRTUAL_GPU_REDUCTION(unsigned int, __reduce_and_sync, all_bits)
VIRTUAL_GPU_REDUCTION(unsigned int, __reduce_or_sync, any_bits)
VIRTUAL_GPU_REDUCTION(unsigned int, __reduce_xor_sync, odd_bits)
#undef VIRTUAL_GPU_REDUCTION
#undef VIRTUAL_GPU_INLINE

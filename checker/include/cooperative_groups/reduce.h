// cooperative_groups/reduce.h: one value out of those of all threads of a tile or a coalesced group.
// @see CUDA C++ Programming Guide, "Cooperative Groups", reduce
#pragma once
#pragma GCC system_header  // warnings are for the code of the program

#include "cooperative_groups.h"

namespace cooperative_groups {

#define VIRTUAL_GPU_OPERATOR(name, value)                      \
  template <typename Value>                                    \
  struct name {                                                \
    Value operator()(Value a, Value b) const { return value; } \
  };
VIRTUAL_GPU_OPERATOR(plus, a + b)
VIRTUAL_GPU_OPERATOR(less, b < a ? b : a)
VIRTUAL_GPU_OPERATOR(greater, a < b ? b : a)
VIRTUAL_GPU_OPERATOR(bit_and, a& b)
VIRTUAL_GPU_OPERATOR(bit_or, a | b)
VIRTUAL_GPU_OPERATOR(bit_xor, a ^ b)
#undef VIRTUAL_GPU_OPERATOR

/// Combines the values in the order of the threads; every thread gets the result.
template <typename Group, typename Value, typename Operator>
__attribute__((always_inline)) inline Value reduce(const Group& group, Value value, Operator&& combine) {
  Value result = group.shfl(value, 0);
  const int count = static_cast<int>(group.num_threads());
  for (int rank = 1; rank < count; ++rank) result = combine(result, group.shfl(value, rank));
  return result;
}

}  // namespace cooperative_groups

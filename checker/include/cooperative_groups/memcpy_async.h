// cooperative_groups/memcpy_async.h: copies that a group makes together and waits for later.
// @see CUDA C++ Programming Guide, "Cooperative Groups", memcpy_async, wait and wait_prior
#pragma once
#pragma GCC system_header  // warnings are for the code of the program

#include "async_copies.h"
#include "cooperative_groups.h"

namespace cooperative_groups {

/// Copies `bytes` bytes.
template <typename Group, typename Element, typename Bytes>
__attribute__((always_inline)) inline void memcpy_async(const Group& group, Element* to, const Element* from, const Bytes& bytes) {
  ::virtual_gpu::copy_later_together(group, to, from, static_cast<std::size_t>(bytes));
  ::virtual_gpu::commit_copies();
}

/// Copies as many elements as both sides have.
template <typename Group, typename Element, typename ToCount, typename FromCount>
__attribute__((always_inline)) inline void memcpy_async(const Group& group, Element* to, const ToCount& to_count, const Element* from,
                                                        const FromCount& from_count) {
  const auto to_elements = static_cast<std::size_t>(to_count), from_elements = static_cast<std::size_t>(from_count);
  memcpy_async(group, to, from, (to_elements < from_elements ? to_elements : from_elements) * sizeof(Element));
}

/// Waits for all copies of the group but the latest `Left`, and for its threads.
template <unsigned int Left, typename Group>
__attribute__((always_inline)) inline void wait_prior(const Group& group) {
  ::virtual_gpu::wait_for_copies(Left);
  group.sync();
}

template <typename Group>
__attribute__((always_inline)) inline void wait(const Group& group) {
  wait_prior<0>(group);
}

}  // namespace cooperative_groups

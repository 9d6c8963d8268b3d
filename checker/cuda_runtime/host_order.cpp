#include "cuda_runtime/host_order.h"

#include <utility>

namespace cuda_runtime {

host_order::released host_order::released_now(host_thread& by) {
  if (by.host_function != 0) return {by.host_function, 0, by.open_call, 0};
  by.has_released = true;
  return {0, by.id, by.open_call, by.step};
}

void host_order::release(host_thread& by, const void* object) {
  flush_();
  std::vector<released>& now_released = released_[object];
  now_released.clear();
  if (by.host_function != 0) now_released = acquired_by_function_[by.id];
  now_released.push_back(released_now(by));
}

void host_order::release_beside_others(host_thread& by, const void* object) {
  flush_();
  std::vector<released>& all = released_[object];
  std::erase_if(all, [&](const released& known) { return known.by != 0 && known.by == by.id; });
  if (by.host_function != 0) {
    for (const released& from : acquired_by_function_[by.id]) pass_on(from, all);
  }
  pass_on(released_now(by), all);
}

void host_order::acquire(host_thread& by, const void* object) {
  const auto found = released_.find(object);
  if (found == released_.end()) return;
  if (by.host_function != 0) {
    for (const released& from : found->second) pass_on(from, acquired_by_function_[by.id]);
    return;
  }
  for (const released& from : found->second) {
    if (from.by == by.id) continue;
    flush_();
    const trace::host_edge edge{from.by_operation, from.by,   from.after, by.id,
                                by.open_call,      from.step, by.step};
    // A loop that polls acquires the same again and again.
    if (!recording_.host_edges.empty() && recording_.host_edges.back() == edge) continue;
    recording_.host_edges.push_back(edge);
    recording_.host_edges.back().to_step = ++by.step;
    by.has_released = false;
  }
}

/// Keeps what the running host function has acquired, for what it releases; a later release of the same
/// thread, and a later function of the same stream, imply the earlier one.
void host_order::pass_on(const released& from, std::vector<released>& to) const {
  const auto stream_of = [&](const released& known) {
    return known.by_operation == 0 ? 0 : recording_.operations[known.by_operation - 1].stream;
  };
  for (released& known : to) {
    if (known.by != from.by || stream_of(known) != stream_of(from)) continue;
    if (known.by_operation < from.by_operation || known.after < from.after || known.step < from.step)
      known = from;
    return;
  }
  to.push_back(from);
}

}  // namespace cuda_runtime

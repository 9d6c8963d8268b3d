#include "cuda_runtime/host_order.h"

#include <algorithm>
#include <utility>

namespace cuda_runtime {
namespace {

void join(host_knowledge& into, const host_knowledge& other) {
  host_knowledge all;
  all.reserve(into.size() + other.size());
  auto one = into.begin();
  for (const auto& [party, progress] : other) {
    while (one != into.end() && one->first < party) all.push_back(*one++);
    all.emplace_back(party, progress);
    if (one != into.end() && one->first == party) all.back().second = std::max(progress, one++->second);
  }
  all.insert(all.end(), one, into.end());
  into = std::move(all);
}

}  // namespace

host_order::released host_order::released_now(host_thread& by) const {
  if (by.host_function != 0)
    return {.by_operation = by.host_function, .after = by.open_call, .step = by.step};
  return {.by = by.id, .after = by.open_call, .step = by.step};
}

/// What the thread knows and has done. What it touches next is no part of it.
host_knowledge host_order::known_after(host_thread& by) {
  flush_();
  const kernels::host_position now = position_of(by);
  host_knowledge known = by.known;
  join(known, {{now.party, now.progress}});
  by.has_released = true;
  return known;
}

void host_order::release(host_thread& by, const void* object) {
  object_state& state = objects_[object];
  state.known = known_after(by);
  state.releases = {released_now(by)};
}

void host_order::release_beside_others(host_thread& by, const void* object) {
  object_state& state = objects_[object];
  join(state.known, known_after(by));
  const released now = released_now(by);
  // A later release of the same thread, and of a later function of the same stream, implies the earlier one.
  const auto stream_of = [&](const released& known) {
    return known.by_operation == 0 ? 0 : recording_.operation_at(known.by_operation).stream;
  };
  std::erase_if(state.releases, [&](const released& known) {
    return known.by == now.by && stream_of(known) == stream_of(now);
  });
  state.releases.push_back(now);
}

void host_order::acquire(host_thread& by, const void* object) {
  const auto found = objects_.find(object);
  if (found == objects_.end()) return;
  for (const released& from : found->second.releases) add_edge(from, by);
  join(by.known, found->second.known);
}

void host_order::acquire_from_kernels(host_thread& by, const void* object) {
  const auto found = objects_.find(object);
  if (found == objects_.end()) return;
  for (const released& from : found->second.releases) {
    if (from.is_by_kernel) add_edge(from, by);
  }
}

void host_order::release(trace::operation_id by, const void* object) {
  std::vector<released>& releases = objects_[object].releases;
  // A later kernel of the same stream implies the earlier one.
  std::erase_if(releases, [&](const released& known) {
    return known.is_by_kernel &&
           recording_.operation_at(known.by_operation).stream == recording_.operation_at(by).stream;
  });
  releases.push_back({.by_operation = by, .is_by_kernel = true});
}

void host_order::acquire_begin(host_thread& by, trace::location where) {
  acquire(by, &by);
  std::vector<trace::host_edge>& edges = recording_.host_edges;
  if (!edges.empty() && edges.back().to == by.id) edges.back().where = where;
}

void host_order::acquire_end(host_thread& by, const host_thread& ended, trace::location where) {
  acquire(by, &ended);
  std::vector<trace::host_edge>& edges = recording_.host_edges;
  if (edges.empty() || edges.back().from != ended.id || edges.back().to != by.id) return;
  edges.back().is_join = true;
  edges.back().where = where;
}

void host_order::acquire(trace::operation_id by, const void* object) {
  const auto found = objects_.find(object);
  if (found == objects_.end()) return;
  for (const released& from : found->second.releases) {
    if (from.by_operation == by) continue;
    recording_.host_edges.push_back({.from_operation = from.by_operation,
                                     .from = from.by,
                                     .from_after = from.after,
                                     .to_operation = by,
                                     .from_step = from.step});
  }
}

void host_order::add_edge(const released& from, host_thread& to) {
  const bool is_own = to.host_function != 0 ? from.by_operation == to.host_function : from.by == to.id;
  if (is_own) return;
  flush_();
  trace::host_edge edge{
      .from_operation = from.by_operation, .from = from.by, .from_after = from.after, .from_step = from.step};
  if (to.host_function != 0) {
    edge.to_operation = to.host_function;
  } else {
    edge.to = to.id;
    edge.to_after = to.open_call;
  }
  edge.to_step = to.step;
  // A loop that polls acquires the same again and again.
  if (!recording_.host_edges.empty() && recording_.host_edges.back() == edge) return;
  recording_.host_edges.push_back(edge);
  recording_.host_edges.back().to_step = ++to.step;
  to.has_released = false;
}

host_knowledge host_order::release_to_host_function(host_thread& by) { return known_after(by); }

void host_order::begin_host_function(host_thread& by, const host_knowledge& issuer) {
  ++by.step;
  by.known = issuer;
  by.has_moved = true;
}

kernels::host_position host_order::position_of(host_thread& thread) const {
  kernels::host_position now{.party = std::uint64_t{thread.id} << 2,
                             .progress = thread.step,
                             .thread = thread.id,
                             .after = thread.open_call,
                             .step = thread.step};
  if (thread.host_function == 0) return now;
  // The functions of one stream come one after the other; those of graphs have an order of their own.
  const trace::operation& function = recording_.operation_at(thread.host_function);
  const bool is_in_graph = function.graph_launch != 0;
  now.party = is_in_graph ? std::uint64_t{function.id} << 2 | 2 : std::uint64_t{function.stream} << 2 | 1;
  now.progress = std::uint64_t{function.id} << 32 | thread.step;
  now.host_function = function.id;
  return now;
}

bool host_order::is_over(const kernels::host_position& position, const host_thread& thread) const {
  const auto known =
      std::lower_bound(thread.known.begin(), thread.known.end(), std::pair(position.party, std::uint64_t{0}));
  return known != thread.known.end() && known->first == position.party && known->second >= position.progress;
}

}  // namespace cuda_runtime

#include "analysis/brute_force_order.h"

#include <iterator>
#include <set>

#include "trace/call_promise.h"

namespace analysis {

brute_force_order::brute_force_order(const trace::recording& seen) : seen_(seen) {
  next_.resize(2 * (seen.operations.size() + seen.calls.size()));
  add_threads();
  add_operations();
  add_waits();
}

bool brute_force_order::is_before(trace::operation_id first, trace::operation_id second) const {
  return reaches(end_of(first), start_of(second));
}
bool brute_force_order::is_before(trace::operation_id operation, host_point host) const {
  return reaches(end_of(operation), point(host));
}
bool brute_force_order::is_before(host_point host, trace::operation_id operation) const {
  return reaches(point(host), start_of(operation));
}
bool brute_force_order::is_before(host_point first, host_point second) const {
  return reaches(point(first), point(second));
}
bool brute_force_order::has_returned(trace::call_id call, host_point host) const {
  return reaches(return_of(call), point(host));
}
bool brute_force_order::has_returned(trace::call_id call, trace::operation_id operation) const {
  return reaches(return_of(call), start_of(operation));
}

brute_force_order::node brute_force_order::point(host_point host) const {
  const auto after = points_.upper_bound({host.thread, {host.after, host.step}});
  return std::prev(after)->second;
}

/// What each thread does is a chain: the steps before its first call, the call, the steps after it, ...
void brute_force_order::add_threads() {
  std::set<std::pair<trace::thread_id, std::pair<trace::call_id, std::uint32_t>>> places;
  std::map<trace::thread_id, std::vector<trace::call_id>> calls;
  const auto add = [&](trace::thread_id thread, trace::call_id after, std::uint32_t step) {
    places.insert({thread, {after, step}});
    calls[thread];
  };
  for (const trace::host_call& call : seen_.calls) {
    calls[call.thread].push_back(call.id);
    add(call.thread, call.id, 0);
  }
  for (const trace::host_access& access : *seen_.host_accesses) add(access.thread, access.after, access.step);
  for (const trace::host_edge& edge : seen_.host_edges) {
    if (edge.from_operation == 0) add(edge.from, edge.from_after, edge.from_step);
    if (edge.to_operation == 0) add(edge.to, edge.to_after, edge.to_step);
  }
  for (const auto& [thread, of_thread] : calls) add(thread, 0, 0);

  const auto first_point = static_cast<node>(next_.size());
  for (const auto& place : places) points_[place] = first_point + static_cast<node>(points_.size());
  next_.resize(next_.size() + points_.size());
  for (auto at = points_.begin(); at != points_.end(); ++at) {
    const auto& [thread, place] = at->first;
    if (place.first != 0 && (at == points_.begin() || std::prev(at)->first.first != thread ||
                             std::prev(at)->first.second.first != place.first))
      add_edge(return_of(place.first), at->second);
    const auto next = std::next(at);
    if (next != points_.end() && next->first.first == thread && next->first.second.first == place.first)
      add_edge(at->second, next->second);
  }
  for (const auto& [thread, of_thread] : calls) {
    trace::call_id before = 0;
    for (const trace::call_id id : of_thread) {
      add_edge(point({thread, before, ~0u}), begin_of(id));
      add_edge(begin_of(id), return_of(id));
      before = id;
    }
  }
  for (const trace::host_edge& edge : seen_.host_edges) {
    const node to = edge.to_operation != 0 ? start_of(edge.to_operation)
                                           : point({edge.to, edge.to_after, edge.to_step});
    add_edge(edge.from_operation != 0 ? end_of(edge.from_operation)
                                      : point({edge.from, edge.from_after, edge.from_step}),
             to);
  }
}

bool brute_force_order::is_blocking(const trace::stream& stream) const {
  return stream.kind != trace::stream_kind::legacy_default &&
         stream.blocking == trace::stream_blocking::blocking;
}

void brute_force_order::add_operations() {
  for (const trace::operation& each : seen_.operations) {
    add_edge(start_of(each.id), end_of(each.id));
    if (each.issued_by != 0) add_edge(begin_of(each.issued_by), start_of(each.id));
    if (each.captured != 0) add_edge(end_of(each.captured), start_of(each.id));
    for (const trace::operation_id node : each.after) add_edge(end_of(node), start_of(each.id));
    if (each.graph_launch != 0) {
      add_edge(start_of(each.graph_launch), start_of(each.id));
      add_edge(end_of(each.id), end_of(each.graph_launch));
      continue;
    }
    const trace::stream& stream = seen_.stream_at(each.stream);
    for (trace::operation_id id = 1; id < each.id; ++id) {
      const trace::operation& earlier = seen_.operation_at(id);
      if (earlier.graph_launch != 0) continue;
      const trace::stream& other = seen_.stream_at(earlier.stream);
      const bool is_barrier = stream.device == other.device &&
                              ((stream.kind == trace::stream_kind::legacy_default && is_blocking(other)) ||
                               (other.kind == trace::stream_kind::legacy_default && is_blocking(stream)));
      if (stream.id == other.id || is_barrier) add_edge(end_of(id), start_of(each.id));
    }
  }
}

/// In the order of the calls: whether a thread knows of an operation may depend on earlier waits.
void brute_force_order::add_waits() {
  for (const trace::host_call& call : seen_.calls) add_wait(call);
}

void brute_force_order::add_wait(const trace::host_call& call) {
  const auto wait_for = [&](trace::operation_id id) {
    if (knows_issue(call, id)) add_edge(end_of(id), return_of(call.id));
  };
  switch (trace::promise_of(seen_, call)) {
    case trace::call_promise::stream:
    case trace::call_promise::device:
      for (const trace::operation& each : seen_.operations) {
        const trace::stream& stream = seen_.stream_at(each.stream);
        const bool is_meant =
            trace::traits_of(call.function).waits_for == trace::wait_target::device
                ? stream.device == call.device
                : stream.id == call.stream ||
                      (seen_.stream_at(call.stream).kind == trace::stream_kind::legacy_default &&
                       is_blocking(stream) && stream.device == seen_.stream_at(call.stream).device);
        if (is_meant) wait_for(each.id);
      }
      break;
    case trace::call_promise::event:
      if (call.captured != 0) wait_for(call.captured);
      break;
    case trace::call_promise::own_operation:
      add_edge(end_of(call.operation), return_of(call.id));
      break;
    case trace::call_promise::source_staged:
      add_edge(start_of(call.operation), return_of(call.id));
      break;
    case trace::call_promise::nothing:
      break;
  }
}

bool brute_force_order::knows_issue(const trace::host_call& call, trace::operation_id operation) const {
  const trace::call_id issued_by = seen_.operation_at(operation).issued_by;
  return issued_by < call.id && reachable_from(return_of(issued_by))[begin_of(call.id)];
}

std::vector<bool> brute_force_order::reachable_from(node from) const {
  std::vector<bool> is_seen(next_.size(), false);
  std::vector<node> open{from};
  while (!open.empty()) {
    const node at = open.back();
    open.pop_back();
    if (is_seen[at]) continue;
    is_seen[at] = true;
    open.insert(open.end(), next_[at].begin(), next_[at].end());
  }
  return is_seen;
}

bool brute_force_order::reaches(node from, node to) const {
  const auto [known, is_new] = reachable_.try_emplace(from);
  if (is_new) known->second = reachable_from(from);
  return known->second[to];
}

}  // namespace analysis

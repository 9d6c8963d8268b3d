#include "analysis/brute_force_order.h"

#include <iterator>
#include <set>

#include "trace/call_promise.h"

namespace analysis {

brute_force_order::brute_force_order(const trace::recording& recording) : recording_(recording) {
  next_.resize(2 * (recording.operations.size() + recording.calls.size()));
  add_parts();
  add_threads();
  add_operations();
  add_waits();
}

bool brute_force_order::is_before(trace::operation_id first, trace::operation_id second) const {
  return reaches(over(first), part({second, ~0u}));
}
bool brute_force_order::is_before(trace::operation_id operation, host_point host) const {
  return reaches(over(operation), point(host));
}
bool brute_force_order::is_before(host_point host, trace::operation_id operation) const {
  return is_before(host, operation_point{operation, ~0u});
}
bool brute_force_order::is_before(operation_point first, operation_point second) const {
  return reaches(over(first), part(second));
}
bool brute_force_order::is_before(operation_point first, host_point second) const {
  return reaches(over(first), point(second));
}
bool brute_force_order::is_before(host_point first, operation_point second) const {
  return reaches(point(first), part(second));
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

brute_force_order::node brute_force_order::part(operation_point point) const {
  const auto divided = parts_.find(point.operation);
  if (divided == parts_.end()) return start_of(point.operation);
  const auto next = divided->second.upper_bound(point.step);
  return next == divided->second.begin() ? start_of(point.operation) : std::prev(next)->second;
}

void brute_force_order::add_parts() {
  for (const trace::host_edge& edge : recording_.host_edges) {
    if (edge.from_operation != 0) parts_[edge.from_operation][edge.from_step + 1] = 0;
    if (edge.to_operation != 0) parts_[edge.to_operation][edge.to_step] = 0;
  }
  for (auto& [operation, parts] : parts_) {
    node before = start_of(operation);
    for (auto& [step, begin] : parts) {
      begin = static_cast<node>(next_.size());
      next_.emplace_back();
      add_edge(before, begin);
      before = begin;
    }
    add_edge(before, end_of(operation));
  }
}

/// What each thread does is a chain: the steps before its first call, the call, the steps after it, ...
void brute_force_order::add_threads() {
  std::set<std::pair<trace::thread_id, std::pair<trace::call_id, std::uint32_t>>> places;
  std::map<trace::thread_id, std::vector<trace::call_id>> calls;
  const auto add = [&](trace::thread_id thread, trace::call_id after, std::uint32_t step) {
    places.insert({thread, {after, step}});
    calls[thread];
  };
  for (const trace::host_call& call : recording_.calls) {
    calls[call.thread].push_back(call.id);
    add(call.thread, call.id, 0);
  }
  for (const trace::host_access& access : *recording_.host_accesses)
    add(access.thread, access.after, access.step);
  for (const trace::host_edge& edge : recording_.host_edges) {
    if (edge.from_operation == 0) add(edge.from, edge.from_after, edge.from_step);
    if (edge.to_operation == 0) add(edge.to, edge.to_after, edge.to_step);
  }
  for (const auto& [thread, of_thread] : calls) add(thread, 0, 0);

  const auto first_point = static_cast<node>(next_.size());
  for (const auto& place : places) points_[place] = first_point + static_cast<node>(points_.size());
  next_.resize(next_.size() + points_.size());
  for (auto entry = points_.begin(); entry != points_.end(); ++entry) {
    const auto& [thread, place] = entry->first;
    if (place.first != 0 && (entry == points_.begin() || std::prev(entry)->first.first != thread ||
                             std::prev(entry)->first.second.first != place.first))
      add_edge(return_of(place.first), entry->second);
    const auto next = std::next(entry);
    if (next != points_.end() && next->first.first == thread && next->first.second.first == place.first)
      add_edge(entry->second, next->second);
  }
  for (const auto& [thread, of_thread] : calls) {
    trace::call_id before = 0;
    for (const trace::call_id id : of_thread) {
      add_edge(point({thread, before, ~0u}), begin_of(id));
      add_edge(begin_of(id), return_of(id));
      before = id;
    }
  }
  for (const trace::host_edge& edge : recording_.host_edges) {
    const node to = edge.to_operation != 0 ? part({edge.to_operation, edge.to_step})
                                           : point({edge.to, edge.to_after, edge.to_step});
    add_edge(edge.from_operation != 0 ? part({edge.from_operation, edge.from_step})
                                      : point({edge.from, edge.from_after, edge.from_step}),
             to);
  }
}

bool brute_force_order::is_blocking(const trace::stream& stream) const {
  return stream.kind != trace::stream_kind::legacy_default &&
         stream.blocking == trace::stream_blocking::blocking;
}

void brute_force_order::add_operations() {
  for (const trace::operation& operation : recording_.operations) {
    add_edge(start_of(operation.id), end_of(operation.id));
    if (operation.issued_by != 0) add_edge(begin_of(operation.issued_by), start_of(operation.id));
    const bool is_by_call = operation.graph_launch == 0 && operation.issued_by != 0;  // see add_wait()
    if (operation.captured != 0 && !is_by_call) add_edge(end_of(operation.captured), start_of(operation.id));
    for (const trace::operation_id node : operation.after) add_edge(end_of(node), start_of(operation.id));
    if (operation.graph_launch != 0) {
      add_edge(start_of(operation.graph_launch), start_of(operation.id));
      add_edge(end_of(operation.id), end_of(operation.graph_launch));
      continue;
    }
    const trace::stream& stream = recording_.stream_at(operation.stream);
    for (trace::operation_id id = 1; id < operation.id; ++id) {
      const trace::operation& earlier = recording_.operation_at(id);
      if (earlier.graph_launch != 0) continue;
      const trace::stream& other = recording_.stream_at(earlier.stream);
      const bool is_barrier = stream.device == other.device && !waits_for_nothing(operation) &&
                              ((stream.kind == trace::stream_kind::legacy_default && is_blocking(other)) ||
                               (other.kind == trace::stream_kind::legacy_default && is_blocking(stream)));
      const bool is_of_one_thread = operation.issued_by == 0 || earlier.issued_by == 0 ||
                                    recording_.call_at(operation.issued_by).thread ==
                                        recording_.call_at(earlier.issued_by).thread;  // else see add_wait()
      if ((stream.id == other.id && is_of_one_thread) || is_barrier)
        add_edge(end_of(id), start_of(operation.id));
    }
  }
}

/// In the order of the calls: whether a thread knows of an operation may depend on earlier waits.
void brute_force_order::add_waits() {
  for (const trace::host_call& call : recording_.calls) add_wait(call);
}

void brute_force_order::add_wait(const trace::host_call& call) {
  const auto wait_for = [&](trace::operation_id id) {
    if (knows_issue(call, id)) add_edge(end_of(id), return_of(call.id));
  };
  for (const trace::operation& operation : recording_.operations) {
    if (operation.issued_by != call.id || operation.graph_launch != 0) continue;
    for (trace::operation_id id = 1; id < operation.id; ++id) {
      const trace::operation& earlier = recording_.operation_at(id);
      if (earlier.stream == operation.stream && earlier.graph_launch == 0 && earlier.issued_by != 0 &&
          knows_issue(call, id))
        add_edge(end_of(id), start_of(operation.id));
    }
  }
  if (call.operation != 0) {
    const trace::operation& issued = recording_.operation_at(call.operation);
    if (issued.captured != 0 && knows_issue(call, issued.captured))
      add_edge(end_of(issued.captured), start_of(issued.id));
  }
  switch (trace::promise_of(recording_, call)) {
    case trace::call_promise::stream:
    case trace::call_promise::device:
      for (const trace::operation& operation : recording_.operations) {
        const trace::stream& stream = recording_.stream_at(operation.stream);
        const bool is_meant =
            trace::traits_of(call.function).waits_for == trace::wait_target::device
                ? stream.device == call.device
                : stream.id == call.stream ||
                      (recording_.stream_at(call.stream).kind == trace::stream_kind::legacy_default &&
                       is_blocking(stream) && stream.device == recording_.stream_at(call.stream).device);
        if (is_meant) wait_for(operation.id);
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
  const trace::call_id issued_by = recording_.operation_at(operation).issued_by;
  return issued_by < call.id && reachable_from(return_of(issued_by))[begin_of(call.id)];
}

std::vector<bool> brute_force_order::reachable_from(node from) const {
  std::vector<bool> is_visited(next_.size(), false);
  std::vector<node> open{from};
  while (!open.empty()) {
    const node current = open.back();
    open.pop_back();
    if (is_visited[current]) continue;
    is_visited[current] = true;
    open.insert(open.end(), next_[current].begin(), next_[current].end());
  }
  return is_visited;
}

bool brute_force_order::reaches(node from, node to) const {
  const auto [known, is_new] = reachable_.try_emplace(from);
  if (is_new) known->second = reachable_from(from);
  return known->second[to];
}

}  // namespace analysis

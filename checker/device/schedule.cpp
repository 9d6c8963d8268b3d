#include "device/schedule.h"

#include <algorithm>
#include <utility>

#include "device/host_model.h"

namespace device {
namespace {

using trace::constraint_kind;
using trace::operation_id;
using trace::operation_kind;
using trace::stream_id;

/// Operations that need no engine of the device.
bool is_marker(operation_kind kind) { return kind != operation_kind::kernel && !moves_bytes(kind); }

}  // namespace

stress stress_of(trace::schedule_kind schedule) {
  constexpr double times_slower = 10;
  switch (schedule) {
    case trace::schedule_kind::slow_copies:
      return {.copies = times_slower, .kernels = 1};
    case trace::schedule_kind::slow_kernels:
      return {.copies = 1,
              .kernels = times_slower,
              .kernel_spread = 0.05};  // chosen: no two of them measure the same
    case trace::schedule_kind::as_is:
    case trace::schedule_kind::late_pageable:
      break;
  }
  return {};
}

schedule::schedule(std::vector<profile> gpus, effects effects, stress deviation, std::uint32_t connections)
    : effects_(std::move(effects)), stress_(deviation) {
  for (profile& gpu_profile : gpus) {
    gpu added{.profile = gpu_profile,
              .blocks = block_scheduler(gpu_profile),
              .copy_engines = std::vector<engine>(engine_count),
              .link = host_link(gpu_profile.duplex_slowdown)};
    const auto give_queues = [](engine& engine, int count) {
      engine.own_queues = static_cast<std::size_t>(count);
      engine.queues.resize(engine.own_queues);
    };
    give_queues(added.host_functions, 1);
    const int queues =
        connections == 0 ? gpu_profile.work_queues
                         : static_cast<int>(std::min<std::int64_t>(connections, gpu_profile.max_work_queues));
    const int copy_queues = std::min(gpu_profile.copy_queues, queues);
    for (engine& copies : added.copy_engines) give_queues(copies, copy_queues);
    engine& between_devices = added.copy_engines.back();
    between_devices.queues.resize(between_devices.own_queues + gpus.size());
    give_queues(added.compute, queues);
    gpus_.push_back(std::move(added));
  }
}

void schedule::add_stream(const trace::stream& added) {
  gpu& gpu = gpus_.at(added.device);
  stream_state state;
  state.stream = added;
  if (added.kind == trace::stream_kind::legacy_default) {
    gpu.legacy_stream = added.id;
    state.ordinal = ordinal_of_legacy_stream;
  }
  if (added.blocking == trace::stream_blocking::blocking) gpu.blocking_streams.push_back(added.id);
  streams_[added.id] = state;
}

std::uint32_t schedule::take_ordinal(gpu& gpu, const trace::stream& stream) const {
  std::uint32_t taken = gpu.ordinals;
  auto left_by = gpu.leaving_streams.end();
  for (auto leaving = gpu.leaving_streams.begin();
       leaving != gpu.leaving_streams.end() && leaving->first < stream.created_by; ++leaving) {
    const stream_state& earlier = streams_.at(leaving->second);
    if (*earlier.ordinal >= taken || !is_complete(earlier.tail)) continue;
    taken = *earlier.ordinal;
    left_by = leaving;
  }
  if (left_by == gpu.leaving_streams.end()) {
    ++gpu.ordinals;
  } else {
    gpu.leaving_streams.erase(left_by);
  }
  if (stream.destroyed_by != 0) gpu.leaving_streams.emplace(stream.destroyed_by, stream.id);
  return taken;
}

void schedule::destroy_stream(stream_id id, trace::call_id by) {
  stream_state& state = streams_.at(id);
  state.stream.destroyed_by = by;
  if (state.ordinal) gpus_[state.stream.device].leaving_streams.emplace(by, id);
}

void schedule::push(nanoseconds time, event_kind kind, operation_id operation, std::uint32_t detail,
                    std::uint32_t batch) {
  events_.push({time, sequence_++, kind, operation, detail, batch});
}

/// Whether one orders the other inside the compute queue, where no completion signal is needed.
bool schedule::are_in_one_burst(const entry& first, const entry& second) {
  return first.request.kind == operation_kind::kernel && second.request.kind == operation_kind::kernel &&
         first.device == second.device && first.burst == second.burst;
}

/// Makes `waiting` wait for `on`, unless that is complete or none, or it waits for it already.
void schedule::depend(entry& waiting, operation_id id, operation_id dependency, constraint_kind why) {
  if (dependency == 0 || is_complete(dependency)) return;
  if (entry_of(dependency).state == stage::withheld && are_in_one_burst(entry_of(dependency), waiting))
    return;
  std::vector<dependent>& dependents = entry_of(dependency).dependents;
  // All that an operation waits for is found when it is enqueued, so it could only be the latest.
  const bool waits_already = !dependents.empty() && dependents.back().id == id;
  if (waits_already) return;
  dependents.push_back({id, why});
  ++waiting.unresolved;
}

/// A wait without a record, or for one that is complete, gives the device nothing to do. In the legacy default stream one with a record
/// still stands between the blocking streams while those are busy.
/// @see the rules E4 and D3 of the conformance suite, measured on an H200
bool schedule::has_nothing_to_do(const request& request, const stream_state& stream) const {
  if (request.kind != operation_kind::event_wait || request.graph_launch != 0 || !request.after.empty())
    return false;
  if (request.captured == 0) return true;
  const bool is_barrier = stream.stream.kind == trace::stream_kind::legacy_default &&
                          gpus_.at(stream.stream.device).unfinished_in_blocking_streams > 0;
  return is_complete(request.captured) && !is_barrier;
}

/// Among those of blocking streams.
bool schedule::counts_as_unfinished(const entry& entry) const {
  return !entry.has_nothing_to_do &&
         streams_.at(entry.request.stream).stream.blocking == trace::stream_blocking::blocking;
}

operation_id schedule::enqueue(const request& request) {
  const operation_id id = first_id_ + static_cast<operation_id>(entries_.size());
  stream_state& stream = streams_.at(request.stream);
  entries_.emplace_back();
  entry& added = entries_.back();
  added.request = request;
  added.device = stream.stream.device;
  gpu& gpu = gpus_[added.device];
  added.has_nothing_to_do = has_nothing_to_do(request, stream);
  if (counts_as_unfinished(added)) ++gpu.unfinished_in_blocking_streams;
  added.is_pushed = is_pushed(request, stream);
  if (!is_marker(request.kind)) {
    stream.last_side = added.is_pushed ? side::compute : side_of(request);
    stream.last_route = request.route;
  }
  added.works_on = stream.last_side;
  added.takes_turn = takes_turn(request, stream);
  if (added.takes_turn) added.request.route = stream.last_route;
  added.burst = gpu.burst;  // known before the dependencies are, which differ within a burst

  if (request.kind == operation_kind::kernel) {
    const operation_id function = gpu.host_functions.running;
    if (function != 0 && entry_of(function).request.holds_kernels)
      depend(added, id, function, constraint_kind::engine_busy);
  }
  if (request.kind == operation_kind::event_wait && request.graph_launch != 0)
    depend(added, id, request.captured, constraint_kind::event);
  if (request.graph_launch != 0) {
    follow_graph(added, id);
  } else {
    follow_stream(added, id, stream);
  }
  added.times.waited_for.reserve(static_cast<std::size_t>(added.unresolved));
  if (!stream.ordinal) stream.ordinal = take_ordinal(gpu, stream.stream);
  if (!is_marker(request.kind) || added.takes_turn) queue_for(added).push_back(id);
  if (request.kind == operation_kind::kernel) {
    ++gpu.pending_launches;
    ++gpu.bursts[gpu.burst].running;
  } else {
    ++gpu.burst;
  }
  return id;
}

/// The constraints of an operation that the host issues: the host call, its stream, the legacy default stream,
/// and implicit synchronization of old GPUs.
void schedule::follow_stream(entry& added, operation_id id, stream_state& stream) {
  const request& request = added.request;
  gpu& gpu = gpus_[added.device];
  added.times.issued = request.issued + issue_latency(gpu.profile, request.kind);
  added.unfinished_nodes = request.nodes;
  ++added.unresolved;
  push(std::max(added.times.issued, now_), event_kind::visible, id);

  depend(added, id, stream.tail, constraint_kind::stream_order);
  if (added.has_nothing_to_do) return;
  for (const operation_id earlier : request.after) depend(added, id, earlier, constraint_kind::graph_edge);
  if (request.kind == operation_kind::event_wait) depend(added, id, request.captured, constraint_kind::event);
  if (stream.stream.kind == trace::stream_kind::legacy_default) {
    for (const trace::stream_id other : gpu.blocking_streams)
      depend(added, id, streams_.at(other).tail, constraint_kind::legacy_default);
    gpu.legacy_tail = id;
  } else if (stream.stream.blocking == trace::stream_blocking::blocking) {
    depend(added, id, gpu.legacy_tail, constraint_kind::legacy_default);
  }
  if (gpu.profile.implicit_synchronization) synchronize_implicitly(added, id);
  stream.tail = id;
}

/// A node of a graph waits for the nodes that it depends on, or for its launch to start.
void schedule::follow_graph(entry& added, operation_id id) {
  entry& launch = entry_of(added.request.graph_launch);
  added.times.issued = launch.times.issued;
  if (!is_marker(added.request.kind)) {
    launch.works_on = added.works_on;
  } else if (!added.request.after.empty()) {
    added.works_on = entry_of(added.request.after.front()).works_on;
  }
  for (const operation_id earlier : added.request.after)
    depend(added, id, earlier, constraint_kind::graph_edge);
  if (!added.request.after.empty()) return;
  launch.roots.push_back(id);
  ++added.unresolved;
}

/// Starts the root nodes, for the same reasons as the launch.
void schedule::start_graph(operation_id id) {
  const std::vector<operation_id> roots = std::move(entry_of(id).roots);
  for (const operation_id root_id : roots) {
    entry& root = entry_of(root_id);
    const std::vector<trace::constraint>& reasons = entry_of(id).times.waited_for;
    root.times.waited_for.insert(root.times.waited_for.end(), reasons.begin(), reasons.end());
    root.ready = std::max(root.ready, now_);
    if (--root.unresolved == 0) become_ready(root_id);
  }
}

/// On old GPUs memsets and copies inside the device wait for all streams, and all streams for them.
void schedule::synchronize_implicitly(entry& added, operation_id id) {
  gpu& gpu = gpus_[added.device];
  for (const operation_id earlier : gpu.barrier)
    depend(added, id, earlier, constraint_kind::implicit_synchronization);
  const bool is_barrier =
      added.request.kind == operation_kind::memset ||
      (added.request.kind == operation_kind::copy && added.request.route == copy_route::device_to_device);
  if (!is_barrier) return;
  implicit_sync(added.device);
  for (const operation_id earlier : gpu.barrier)
    depend(added, id, earlier, constraint_kind::implicit_synchronization);
  gpu.barrier = {id};
}

void schedule::implicit_sync(std::uint32_t device) {
  std::vector<operation_id>& barrier = gpus_.at(device).barrier;
  std::erase_if(barrier, [this](operation_id earlier) { return is_complete(earlier); });
  for (const auto& [id, stream] : streams_) {
    if (stream.stream.device == device && stream.tail != 0 && !is_complete(stream.tail))
      barrier.push_back(stream.tail);
  }
}

schedule::side schedule::side_of(const request& request) {
  if (request.kind != operation_kind::copy && request.kind != operation_kind::prefetch) return side::compute;
  if (request.route == copy_route::host_to_device) return side::copies_in;
  return request.route == copy_route::device_to_device ? side::compute : side::copies_out;
}

bool schedule::is_pushed(const request& request, const stream_state& stream) const {
  const profile& gpu = gpus_[stream.stream.device].profile;
  const bool can_be = request.kind == operation_kind::copy && request.route == copy_route::host_to_device &&
                      request.host_bandwidth == 0 && request.graph_launch == 0 && gpu.pushed_copy > 0;
  if (!can_be) return false;
  return request.bytes <= (is_known_idle(stream.stream.id) ? gpu.inline_copy : gpu.pushed_copy);
}

bool schedule::is_known_idle(trace::stream_id id) const {
  const stream_state& stream = streams_.at(id);
  const double until_known = gpus_[stream.stream.device].profile.synchronize_return;
  return stream.tail == 0 || (is_complete(stream.tail) && now_ - stream.last_end >= from_ns(until_known));
}

/// Time from the end of an operation to the earliest start of one that waited for it.
nanoseconds schedule::gap(side first, side next, const profile& gpu, bool is_edge) const {
  if (first == side::none) return from_ns(gpu.kernel_gap);
  if (first != next) return from_ns(gpu.engine_handover);
  if (next != side::compute) return from_ns(gpu.copy_gap);
  return from_ns(is_edge ? gpu.graph_node_gap : gpu.kernel_gap);
}

/// When work of that side may start behind an operation that ends now. Event records and waits pass on what
/// they waited for: the gap is that between the work before and behind them.
nanoseconds schedule::open_from(const entry& done, side next, bool is_edge) const {
  const operation_kind kind = done.request.kind;
  if (kind == operation_kind::event_record || kind == operation_kind::event_wait)
    return std::max(now_, done.open_from[static_cast<std::size_t>(next)]);
  return now_ + gap(done.works_on, next, gpus_[done.device].profile, is_edge);
}

/// Removes one constraint of the operation.
void schedule::release(operation_id id, const trace::constraint& by) {
  entry& waiting = entry_of(id);
  waiting.times.waited_for.push_back(by);
  const bool goes_across = is_pulled(waiting) && by.kind != constraint_kind::host_issue;
  const nanoseconds handover = from_ns(goes_across ? gpus_[waiting.device].profile.device_handover : 0);
  waiting.ready = std::max(waiting.ready, by.until + handover);
  if (--waiting.unresolved > 0) return;
  waiting.ready += queue_load(id);
  if (waiting.ready <= now_) {
    become_ready(id);
  } else {
    push(waiting.ready, event_kind::ready, id);
  }
}

/// What launching an operation takes longer because its work queue is not at hand when nothing else holds it up.
nanoseconds schedule::queue_load(operation_id id) {
  entry& waiting = entry_of(id);
  const gpu& gpu = gpus_[waiting.device];
  const auto places = static_cast<std::size_t>(gpu.profile.queues_at_hand);
  const bool is_launch = waiting.works_on == side::compute && !is_marker(waiting.request.kind) &&
                         waiting.request.graph_launch == 0;
  const std::deque<const std::deque<operation_id>*>& at_hand = gpu.compute.at_hand;
  if (!is_launch || at_hand.size() < places || places == 0) return nanoseconds(0);
  const std::deque<operation_id>& queue = queue_for(waiting);
  const bool is_at_hand = std::find(at_hand.begin(), at_hand.end(), &queue) != at_hand.end();
  return from_ns(queue.front() != id || is_at_hand ? 0 : gpu.profile.queue_load);
}

void schedule::become_ready(operation_id id) {
  entry& ready = entry_of(id);
  ready.state = stage::ready;
  gpu& gpu = gpus_[ready.device];
  if (ready.request.kind == operation_kind::host_function) {
    gpu.host_functions.queues.front().push_back(id);
    return start_host_functions(ready.device);
  }
  if (ready.request.kind == operation_kind::graph_launch) {
    begin(id, constraint_kind::stream_order, 0);
    if (ready.unfinished_nodes == 0) push(now_, event_kind::end, id);
    return start_graph(id);
  }
  if (ready.takes_turn && !is_overtaken(id)) return start_copies(ready.device, engine_for(ready));
  if (ready.takes_turn) queue_for(ready).pop_front();
  if (is_marker(ready.request.kind)) return run_marker(id, constraint_kind::stream_order, 0);
  const operation_id head = queue_for(ready).front();
  ready.queued_behind = head == id ? 0 : head;
  if (ready.works_on == side::compute) {
    dispatch_kernels(ready.device);
  } else {
    start_copies(ready.device, engine_for(ready));
  }
}

void schedule::run_marker(operation_id id, constraint_kind late_because, operation_id waited_for) {
  begin(id, late_because, waited_for);
  entry& marker = entry_of(id);
  gpu& gpu = gpus_[marker.device];
  const bool takes_time = marker.request.kind == operation_kind::event_record && marker.request.has_timing;
  const nanoseconds cost = from_ns(takes_time ? gpu.profile.event_record : 0);
  nanoseconds start = now_;
  if (takes_time && marker.works_on == side::compute && gpu.profile.launch_interval > 0) {
    start = std::max(start, gpu.dispatcher_free);
    gpu.dispatcher_free = start + cost;
  }
  for (nanoseconds& open : marker.open_from) open = std::max(open, start) + cost;
  if (takes_time) {
    nanoseconds& open = marker.open_from[static_cast<std::size_t>(side::compute)];
    open = std::max(open, start + cost + from_ns(gpu.profile.kernel_gap));
  }
  push(start + cost, event_kind::end, id);
}

/// Marks the start. A start later than all constraints of order is explained by `late_because`.
void schedule::begin(operation_id id, constraint_kind late_because, operation_id waited_for) {
  entry& started = entry_of(id);
  started.state = stage::running;
  started.times.start = now_;
  std::vector<trace::constraint>& reasons = started.times.waited_for;
  if (now_ > started.ready) reasons.push_back({late_because, waited_for, 0, now_});
  // Nearly always two or three, for which std::stable_sort would allocate memory.
  for (auto next = reasons.begin(); next != reasons.end(); ++next) {
    const auto place = std::upper_bound(
        reasons.begin(), next, *next,
        [](const trace::constraint& a, const trace::constraint& b) { return a.until > b.until; });
    std::rotate(place, next, next + 1);
  }
  if (moves_bytes(started.request.kind) && effects_.start) effects_.start(id);
}

/// Starts the next host function that is ready when the driver's thread is free, in order of readiness.
void schedule::start_host_functions(std::uint32_t device) {
  engine& engine = gpus_[device].host_functions;
  if (engine.running != 0 || engine.queues.front().empty()) return;
  const operation_id id = engine.queues.front().front();
  engine.queues.front().pop_front();
  engine.running = id;
  begin(id, constraint_kind::engine_busy, engine.last);
  effects_.run_host_function(id);
}

void schedule::end_host_function(operation_id id, nanoseconds time) {
  push(std::max(time, now_), event_kind::end, id, entry_of(id).generation);
}

void schedule::complete(operation_id id) {
  finish(id, stage::done);
  signal(id);
}

/// Ends the operation without releasing those that wait for it.
void schedule::finish(operation_id id, stage next) {
  entry& done = entry_of(id);
  done.state = next;
  done.is_staged = true;
  done.times.end = now_;
  streams_.at(done.request.stream).last_end = now_;
  if (effects_.finish) effects_.finish(id);
}

/// Releases the operations that wait for this one. `withheld_by`: the last kernel of its burst, when the
/// signal was withheld until that ended.
void schedule::signal(operation_id id, operation_id withheld_by) {
  entry& done = entry_of(id);
  done.state = stage::done;
  gpu& gpu = gpus_[done.device];
  if (counts_as_unfinished(done)) --gpu.unfinished_in_blocking_streams;
  const std::vector<dependent> dependents = std::move(done.dependents);
  for (const dependent& dependent : dependents) {
    trace::constraint by = end_of(done, id, dependent);
    if (withheld_by != 0) {
      by.kind = constraint_kind::withheld_signal;
      by.operation = withheld_by;
    }
    release(dependent.id, by);
  }
  const operation_id graph = entry_of(id).request.graph_launch;
  if (graph != 0 && --entry_of(graph).unfinished_nodes == 0) push(now_, event_kind::end, graph);
  while (!entries_.empty() && entries_.front().state == stage::done) {
    entries_.pop_front();
    ++first_id_;
  }
}

/// The constraint that `waits` had on `done`, which ends now.
trace::constraint schedule::end_of(const entry& done, operation_id id, const dependent& waits) {
  entry& waiting = entry_of(waits.id);
  const request& next = waiting.request;
  const bool is_edge = next.graph_launch != 0 && next.graph_launch == done.request.graph_launch;
  if (is_marker(next.kind)) {
    const profile& gpu = gpus_[waiting.device].profile;
    const bool is_across = next.kind == operation_kind::event_wait && next.stream != done.request.stream;
    const double beyond_gap =
        waiting.device == done.device ? gpu.event_wait - gpu.kernel_gap : gpu.device_handover;
    const nanoseconds cost = from_ns(is_across ? std::max(0.0, beyond_gap) : 0);
    for (std::size_t one = 0; one < side_count; ++one) {
      nanoseconds& open = waiting.open_from[one];
      open = std::max(open, open_from(done, static_cast<side>(one), is_edge) + cost);
    }
    return {waits.why, id, 0, now_ + cost};
  }
  // The latency of memsets and of copies inside the device is counted from the end of the kernel before them.
  const bool has_latency = waiting.works_on == side::compute && next.kind != operation_kind::kernel;
  const bool is_behind_kernel = done.works_on == side::compute && !is_marker(done.request.kind);
  const bool has_no_gap = has_latency && is_behind_kernel && !waiting.is_pushed;
  return {waits.why, id, 0, has_no_gap ? now_ : open_from(done, waiting.works_on, is_edge)};
}

/// Where signals are withheld, a kernel releases the next kernels of its burst at its end, and all else with
/// the last of the burst. @see S. Rennich, "CUDA C/C++ Streams and Concurrency", "delayed signal"
void schedule::end_kernel(operation_id id) {
  entry& kernel = entry_of(id);
  gpu& gpu = gpus_[kernel.device];
  --gpu.pending_launches;
  const auto burst = gpu.bursts.find(kernel.burst);
  const bool is_last = --burst->second.running == 0;
  if (!gpu.profile.withholds_signals || is_last) {
    const std::vector<operation_id> withheld = std::move(burst->second.withheld);
    if (is_last) gpu.bursts.erase(burst);
    complete(id);
    for (const operation_id withheld_id : withheld) signal(withheld_id, id);
    return;
  }
  burst->second.withheld.push_back(id);
  finish(id, stage::withheld);
  const auto others = std::stable_partition(
      kernel.dependents.begin(), kernel.dependents.end(),
      [&](const dependent& dependent) { return !are_in_one_burst(kernel, entry_of(dependent.id)); });
  for (auto dependent = kernel.dependents.begin(); dependent != others; ++dependent) {
    entry_of(dependent->id).times.waited_for.push_back(end_of(kernel, id, *dependent));
  }
  const std::vector<dependent> released(others, kernel.dependents.end());
  kernel.dependents.erase(others, kernel.dependents.end());
  for (const dependent& dependent : released) release(dependent.id, end_of(kernel, id, dependent));
}

void schedule::handle(const event& event) {
  switch (event.kind) {
    case event_kind::visible:
      release(event.operation,
              {constraint_kind::host_issue, 0, entry_of(event.operation).request.call, event.time});
      return;
    case event_kind::ready:
      become_ready(event.operation);
      return;
    case event_kind::transfer:
      begin_transfer(event.operation);
      return;
    case event_kind::staged:
      if (!is_complete(event.operation)) entry_of(event.operation).is_staged = true;
      return;
    case event_kind::end: {
      if (is_complete(event.operation) || entry_of(event.operation).generation != event.detail) return;
      entry& ended = entry_of(event.operation);
      const std::uint32_t device = ended.device;
      if (ended.request.kind == operation_kind::host_function) {
        engine& thread = gpus_[device].host_functions;
        thread.running = 0;
        thread.last = event.operation;
        complete(event.operation);
        return start_host_functions(device);
      }
      if (is_marker(ended.request.kind)) return complete(event.operation);
      if (ended.is_pushed) {
        complete(event.operation);
        return dispatch_kernels(device);
      }
      engine& freed = engine_for(ended);
      freed.running = 0;
      freed.last = event.operation;
      const std::uint32_t direction = static_cast<std::uint32_t>(ended.request.route);
      const bool was_on_link = direction < 2 && gpus_[device].link.is_moving(direction);
      if (was_on_link) {
        gpus_[device].link.end(now_, direction);
        retime_link(device);
      }
      if (is_pulled(ended)) {
        finish(event.operation, stage::withheld);
        push(now_ + from_ns(gpus_[device].profile.device_handover), event_kind::signal, event.operation);
      } else {
        complete(event.operation);
      }
      return start_copies(device, freed);
    }
    case event_kind::signal:
      return signal(event.operation);
    case event_kind::batch_end: {
      const std::optional<operation_id> ended =
          gpus_[event.detail].blocks.finish(event.batch, now_, effects_.end_blocks);
      if (ended && entry_of(*ended).request.kind == operation_kind::kernel) {
        end_kernel(*ended);
      } else if (ended) {
        complete(*ended);
      }
      return dispatch_kernels(event.detail);
    }
    case event_kind::dispatch:
      gpus_[event.detail].will_dispatch = false;
      return dispatch_kernels(event.detail);
  }
}

std::optional<nanoseconds> schedule::next_time() const {
  return events_.empty() ? std::nullopt : std::optional(std::max(now_, events_.top().time));
}

bool schedule::step() {
  if (events_.empty()) return false;
  const event next = events_.top();
  events_.pop();
  now_ = std::max(now_, next.time);
  handle(next);
  return true;
}

void schedule::advance_to(nanoseconds time) {
  while (!events_.empty() && events_.top().time <= time) step();
  now_ = std::max(now_, time);
}

bool schedule::is_complete(operation_id id) const {
  return id < first_id_ || entry_of(id).state == stage::done;
}

bool schedule::is_staged(operation_id id) const { return id < first_id_ || entry_of(id).is_staged; }

std::size_t schedule::pending_launches(std::uint32_t device) const {
  return gpus_.at(device).pending_launches;
}

std::size_t schedule::unfinished_in_blocking_streams(std::uint32_t device) const {
  return gpus_.at(device).unfinished_in_blocking_streams;
}

operation_id schedule::last_in(trace::stream_id stream) const { return streams_.at(stream).tail; }

times& schedule::times_of(operation_id id) { return entry_of(id).times; }

}  // namespace device

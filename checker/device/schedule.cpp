#include "device/schedule.h"

#include <algorithm>
#include <utility>

#include "device/host_model.h"

namespace device {
namespace {

using trace::constraint_kind;
using trace::operation_id;
using trace::operation_kind;

/// Operations that need no engine of the device.
bool is_marker(operation_kind kind) { return kind != operation_kind::kernel && !moves_bytes(kind); }

}  // namespace

stress stress_of(trace::schedule_kind schedule) {
  constexpr double times_slower = 10;
  switch (schedule) {
    case trace::schedule_kind::slow_copies:
      return {.copies = times_slower, .kernels = 1};
    case trace::schedule_kind::slow_kernels:
      return {.copies = 1, .kernels = times_slower};
    case trace::schedule_kind::as_is:
    case trace::schedule_kind::late_pageable:
      break;
  }
  return {};
}

schedule::schedule(std::vector<profile> gpus, effects what_happens, stress deviation,
                   std::uint32_t connections)
    : effects_(std::move(what_happens)), stress_(deviation) {
  for (profile& each : gpus) {
    gpu added{.profile = each,
              .blocks = block_scheduler(each),
              .copy_engines = std::vector<engine>(engine_count),
              .link = host_link(each.duplex_slowdown)};
    added.host_functions.queues.resize(1);
    const double queues =
        connections == 0 ? each.work_queues : std::min<double>(connections, each.work_queues_most);
    const double copy_queues = std::min(each.copy_queues, queues);
    for (engine& copies : added.copy_engines) copies.queues.resize(static_cast<std::size_t>(copy_queues));
    added.compute.queues.resize(static_cast<std::size_t>(queues));
    gpus_.push_back(std::move(added));
  }
}

void schedule::add_stream(const trace::stream& added) {
  gpu& on = gpus_.at(added.device);
  stream_state state;
  state.what = added;
  if (added.kind == trace::stream_kind::legacy_default) {
    on.legacy_stream = added.id;
  } else {
    state.ordinal = on.streams++;
  }
  if (added.blocking == trace::stream_blocking::blocking) on.blocking_streams.push_back(added.id);
  streams_[added.id] = state;
}

void schedule::push(nanoseconds time, happening what, operation_id operation, std::uint32_t detail,
                    std::uint32_t batch) {
  moments_.push({time, sequence_++, what, operation, detail, batch});
}

/// Whether one orders the other inside the compute queue, where no completion signal is needed.
bool schedule::are_issued_in_a_row(const entry& first, const entry& second) {
  return first.what.kind == operation_kind::kernel && second.what.kind == operation_kind::kernel &&
         first.device == second.device && first.row == second.row;
}

/// Makes `waiting` wait for `on`, unless that is complete or none, or it waits for it already.
void schedule::depend(entry& waiting, operation_id id, operation_id on, constraint_kind why) {
  if (on == 0 || is_complete(on)) return;
  if (at(on).state == stage::withheld && are_issued_in_a_row(at(on), waiting)) return;
  std::vector<dependent>& dependents = at(on).dependents;
  // All that an operation waits for is found when it is enqueued, so it could only be the latest.
  const bool waits_already = !dependents.empty() && dependents.back().id == id;
  if (waits_already) return;
  dependents.push_back({id, why});
  ++waiting.unresolved;
}

operation_id schedule::enqueue(const request& what) {
  const operation_id id = first_id_ + static_cast<operation_id>(entries_.size());
  stream_state& stream = streams_.at(what.stream);
  entries_.emplace_back();
  entry& added = entries_.back();
  added.what = what;
  added.device = stream.what.device;
  gpu& on = gpus_[added.device];
  ++on.unfinished;
  if (stream.what.blocking == trace::stream_blocking::blocking) ++on.unfinished_in_blocking_streams;
  added.is_pushed = is_pushed(what, stream);
  if (!is_marker(what.kind)) stream.last_side = added.is_pushed ? side::compute : side_of(what);
  added.works_on = stream.last_side;

  if (what.kind == operation_kind::kernel) {
    const operation_id function = on.host_functions.running;
    if (function != 0 && at(function).what.holds_kernels)
      depend(added, id, function, constraint_kind::engine_busy);
  }
  if (what.kind == operation_kind::event_wait && what.graph_launch != 0)
    depend(added, id, what.captured, constraint_kind::event);
  if (what.graph_launch != 0) {
    follow_graph(added, id);
  } else {
    follow_stream(added, id, stream);
  }
  if (!is_marker(what.kind)) queue_for(added).push_back(id);
  if (what.kind == operation_kind::kernel) {
    ++on.pending_launches;
    added.row = on.row;
    ++on.rows[on.row].running;
  } else {
    ++on.row;
  }
  return id;
}

/// What the host issues to a stream: it waits for the host, for its stream, and for what the legacy default
/// stream and old GPUs add.
void schedule::follow_stream(entry& added, operation_id id, stream_state& stream) {
  const request& what = added.what;
  gpu& on = gpus_[added.device];
  added.when.issued = what.issued + issue_latency(on.profile, what.kind);
  added.unfinished_nodes = what.nodes;
  ++added.unresolved;
  push(std::max(added.when.issued, now_), happening::visible, id);

  depend(added, id, stream.tail, constraint_kind::stream_order);
  for (const operation_id each : what.after) depend(added, id, each, constraint_kind::graph_edge);
  if (what.kind == operation_kind::event_wait) depend(added, id, what.captured, constraint_kind::event);
  if (stream.what.kind == trace::stream_kind::legacy_default) {
    for (const trace::stream_id other : on.blocking_streams)
      depend(added, id, streams_.at(other).tail, constraint_kind::legacy_default);
    on.legacy_tail = id;
  } else if (stream.what.blocking == trace::stream_blocking::blocking) {
    depend(added, id, on.legacy_tail, constraint_kind::legacy_default);
  }
  if (on.profile.implicit_synchronization != 0) synchronize_implicitly(added, id);
  stream.tail = id;
}

/// A node of a graph waits for the nodes that it depends on, or for its launch to start.
void schedule::follow_graph(entry& added, operation_id id) {
  entry& launch = at(added.what.graph_launch);
  added.when.issued = launch.when.issued;
  if (!is_marker(added.what.kind)) {
    launch.works_on = added.works_on;
  } else if (!added.what.after.empty()) {
    added.works_on = at(added.what.after.front()).works_on;
  }
  for (const operation_id each : added.what.after) depend(added, id, each, constraint_kind::graph_edge);
  if (!added.what.after.empty()) return;
  launch.roots.push_back(id);
  ++added.unresolved;
}

/// The nodes that depend on no other start, for the reasons for which the launch starts now.
void schedule::start_graph(operation_id id) {
  const std::vector<operation_id> roots = std::move(at(id).roots);
  for (const operation_id each : roots) {
    entry& root = at(each);
    const std::vector<trace::constraint>& reasons = at(id).when.waited_for;
    root.when.waited_for.insert(root.when.waited_for.end(), reasons.begin(), reasons.end());
    root.ready = std::max(root.ready, now_);
    if (--root.unresolved == 0) become_ready(each);
  }
}

/// On old GPUs memsets and copies inside the device wait for all streams, and all streams for them.
void schedule::synchronize_implicitly(entry& added, operation_id id) {
  gpu& on = gpus_[added.device];
  for (const operation_id each : on.barrier)
    depend(added, id, each, constraint_kind::implicit_synchronization);
  const bool is_barrier =
      added.what.kind == operation_kind::memset ||
      (added.what.kind == operation_kind::copy && added.what.route == copy_route::device_to_device);
  if (!is_barrier) return;
  hold_back(added.device);
  for (const operation_id each : on.barrier)
    depend(added, id, each, constraint_kind::implicit_synchronization);
  on.barrier = {id};
}

void schedule::hold_back(std::uint32_t device) {
  std::vector<operation_id>& barrier = gpus_.at(device).barrier;
  std::erase_if(barrier, [this](operation_id each) { return is_complete(each); });
  for (const auto& [id, stream] : streams_) {
    if (stream.what.device == device && stream.tail != 0 && !is_complete(stream.tail))
      barrier.push_back(stream.tail);
  }
}

/// Whether the bytes of a copy come along with the commands of the stream.
bool schedule::is_pushed(const request& what, const stream_state& stream) const {
  if (what.kind != operation_kind::copy || what.route != copy_route::host_to_device) return false;
  if (what.host_bandwidth > 0 || what.graph_launch != 0) return false;
  const profile& gpu = gpus_[stream.what.device].profile;
  const bool is_idle = stream.tail == 0 || is_complete(stream.tail);
  return static_cast<double>(what.bytes) <= (is_idle ? gpu.inline_copy : gpu.pushed_copy);
}

schedule::side schedule::side_of(const request& what) {
  if (what.kind != operation_kind::copy && what.kind != operation_kind::prefetch) return side::compute;
  if (what.route == copy_route::host_to_device) return side::copies_in;
  return what.route == copy_route::device_to_device ? side::compute : side::copies_out;
}

/// Time from the end of an operation of that side to the earliest start of what waited for it on another or the
/// same. The latency of copies inside the device and of memsets is counted from there too.
nanoseconds schedule::gap(const entry& first, side next, bool is_edge) const {
  const profile& gpu = gpus_[first.device].profile;
  if (first.works_on == side::none) return from_ns(gpu.kernel_gap);
  if (first.works_on != next) return from_ns(gpu.engine_handover);
  if (next != side::compute) return from_ns(gpu.copy_gap);
  return from_ns(is_edge ? gpu.graph_node_gap : gpu.kernel_gap);
}

/// When work of that side may start behind an operation that ends now.
nanoseconds schedule::open_from(const entry& first, side next, bool is_edge) const {
  const bool passes_on =
      first.what.kind == operation_kind::event_record || first.what.kind == operation_kind::event_wait;
  if (passes_on) return std::max(now_, first.open_from[static_cast<std::size_t>(next)]);
  return now_ + gap(first, next, is_edge);
}

/// One constraint lets go of the operation.
void schedule::release(operation_id id, const trace::constraint& by) {
  entry& waiting = at(id);
  waiting.when.waited_for.push_back(by);
  waiting.ready = std::max(waiting.ready, by.until);
  if (--waiting.unresolved > 0) return;
  if (waiting.ready <= now_) {
    become_ready(id);
  } else {
    push(waiting.ready, happening::ready, id);
  }
}

void schedule::become_ready(operation_id id) {
  entry& ready = at(id);
  ready.state = stage::ready;
  gpu& on = gpus_[ready.device];
  if (ready.what.kind == operation_kind::host_function) {
    on.host_functions.queues.front().push_back(id);
    return start_host_functions(ready.device);
  }
  if (ready.what.kind == operation_kind::graph_launch) {
    begin(id, constraint_kind::stream_order, 0);
    if (ready.unfinished_nodes == 0) push(now_, happening::end, id);
    return start_graph(id);
  }
  if (is_marker(ready.what.kind)) {
    begin(id, constraint_kind::stream_order, 0);
    nanoseconds start = now_;
    const bool takes_time = ready.what.kind == operation_kind::event_record && ready.what.has_timing;
    const nanoseconds cost = from_ns(takes_time ? on.profile.event_record : 0);
    if (takes_time && ready.works_on == side::compute) {
      start = std::max(start, on.dispatcher_free);
      on.dispatcher_free = start + cost;
    }
    for (nanoseconds& open : ready.open_from) open = std::max(open, start) + cost;
    push(start + cost, happening::end, id);
    return;
  }
  const operation_id head = queue_for(ready).front();
  ready.queued_behind = head == id ? 0 : head;
  if (ready.works_on == side::compute) {
    dispatch_kernels(ready.device);
  } else {
    start_copies(ready.device, engine_for(ready));
  }
}

/// Marks the start; when that is later than all constraints of order let go, says what held it up.
void schedule::begin(operation_id id, constraint_kind late_because, operation_id of) {
  entry& started = at(id);
  started.state = stage::running;
  started.when.start = now_;
  std::vector<trace::constraint>& reasons = started.when.waited_for;
  if (now_ > started.ready) reasons.push_back({late_because, of, 0, now_});
  std::stable_sort(reasons.begin(), reasons.end(),
                   [](const trace::constraint& a, const trace::constraint& b) { return a.until > b.until; });
  if (moves_bytes(started.what.kind) && effects_.start) effects_.start(id);
}

/// Starts the next host function that is ready when the driver's thread is free, in order of readiness.
void schedule::start_host_functions(std::uint32_t device) {
  engine& on = gpus_[device].host_functions;
  if (on.running != 0 || on.queues.front().empty()) return;
  const operation_id id = on.queues.front().front();
  on.queues.front().pop_front();
  on.running = id;
  begin(id, constraint_kind::engine_busy, on.last);
  effects_.run_host_function(id);
}

void schedule::end_host_function(operation_id id, nanoseconds time) {
  push(std::max(time, now_), happening::end, id, at(id).generation);
}

void schedule::complete(operation_id id) {
  finish(id, stage::done);
  signal(id);
}

/// The operation has ended; nothing that waits for it knows yet.
void schedule::finish(operation_id id, stage next) {
  entry& done = at(id);
  done.state = next;
  done.is_staged = true;
  done.when.end = now_;
  if (effects_.finish) effects_.finish(id);
}

/// What waited for the operation need not wait any longer. `withheld_by`: the last kernel of its row, when
/// its signal comes only now.
void schedule::signal(operation_id id, operation_id withheld_by) {
  entry& done = at(id);
  done.state = stage::done;
  gpu& on = gpus_[done.device];
  --on.unfinished;
  if (streams_.at(done.what.stream).what.blocking == trace::stream_blocking::blocking)
    --on.unfinished_in_blocking_streams;
  const std::vector<dependent> dependents = std::move(done.dependents);
  for (const dependent& each : dependents) {
    trace::constraint by = end_of(done, id, each);
    if (withheld_by != 0) {
      by.kind = constraint_kind::withheld_signal;
      by.operation = withheld_by;
    }
    release(each.id, by);
  }
  const operation_id graph = at(id).what.graph_launch;
  if (graph != 0 && --at(graph).unfinished_nodes == 0) push(now_, happening::end, graph);
  while (!entries_.empty() && entries_.front().state == stage::done) {
    entries_.pop_front();
    ++first_id_;
  }
}

/// What an operation that ends now was to one that waits for it.
trace::constraint schedule::end_of(const entry& done, operation_id id, const dependent& waits) {
  entry& waiting = at(waits.id);
  const request& next = waiting.what;
  const profile& gpu = gpus_[waiting.device].profile;
  const bool is_edge = next.graph_launch != 0 && next.graph_launch == done.what.graph_launch;
  nanoseconds until = now_;
  if (is_marker(next.kind)) {
    const bool is_across = next.kind == operation_kind::event_wait && next.stream != done.what.stream;
    const nanoseconds cost = from_ns(is_across ? std::max(0.0, gpu.event_wait - gpu.kernel_gap) : 0);
    until += cost;
    for (std::size_t one = 0; one < side_count; ++one) {
      nanoseconds& open = waiting.open_from[one];
      open = std::max(open, open_from(done, static_cast<side>(one), is_edge) + cost);
    }
  } else {
    const bool has_latency = waiting.works_on == side::compute && next.kind != operation_kind::kernel;
    const bool is_behind_compute = done.works_on == side::compute && !is_marker(done.what.kind);
    if (!has_latency || !is_behind_compute) until = open_from(done, waiting.works_on, is_edge);
  }
  return {waits.why, id, 0, until};
}

/// Where signals are withheld, a kernel lets go of those issued right behind it, and of all else together
/// with the last of its row. @see S. Rennich, "CUDA C/C++ Streams and Concurrency", "delayed signal"
void schedule::end_kernel(operation_id id) {
  entry& kernel = at(id);
  gpu& on = gpus_[kernel.device];
  --on.pending_launches;
  const auto row = on.rows.find(kernel.row);
  const bool is_last = --row->second.running == 0;
  if (on.profile.withholds_signals == 0 || is_last) {
    const std::vector<operation_id> withheld = std::move(row->second.withheld);
    if (is_last) on.rows.erase(row);
    complete(id);
    for (const operation_id each : withheld) signal(each, id);
    return;
  }
  row->second.withheld.push_back(id);
  finish(id, stage::withheld);
  const auto others =
      std::stable_partition(kernel.dependents.begin(), kernel.dependents.end(),
                            [&](const dependent& each) { return !are_issued_in_a_row(kernel, at(each.id)); });
  for (auto each = kernel.dependents.begin(); each != others; ++each) {
    at(each->id).when.waited_for.push_back(end_of(kernel, id, *each));
  }
  const std::vector<dependent> released(others, kernel.dependents.end());
  kernel.dependents.erase(others, kernel.dependents.end());
  for (const dependent& each : released) release(each.id, end_of(kernel, id, each));
}

void schedule::handle(const moment& what) {
  switch (what.what) {
    case happening::visible:
      release(what.operation, {constraint_kind::host_issue, 0, at(what.operation).what.call, what.time});
      return;
    case happening::ready:
      become_ready(what.operation);
      return;
    case happening::transfer:
      begin_transfer(what.operation);
      return;
    case happening::staged:
      if (!is_complete(what.operation)) at(what.operation).is_staged = true;
      return;
    case happening::end: {
      if (is_complete(what.operation) || at(what.operation).generation != what.detail) return;
      entry& ended = at(what.operation);
      const std::uint32_t device = ended.device;
      if (ended.what.kind == operation_kind::host_function) {
        engine& thread = gpus_[device].host_functions;
        thread.running = 0;
        thread.last = what.operation;
        complete(what.operation);
        return start_host_functions(device);
      }
      if (is_marker(ended.what.kind)) return complete(what.operation);
      if (ended.is_pushed) {
        complete(what.operation);
        return dispatch_kernels(device);
      }
      engine& freed = engine_for(ended);
      freed.running = 0;
      freed.last = what.operation;
      const std::uint32_t direction = static_cast<std::uint32_t>(ended.what.route);
      const bool was_on_link = direction < 2 && gpus_[device].link.is_moving(direction);
      if (was_on_link) {
        gpus_[device].link.end(now_, direction);
        retime_link(device);
      }
      complete(what.operation);
      return start_copies(device, freed);
    }
    case happening::batch_end: {
      const std::optional<operation_id> ended = gpus_[what.detail].blocks.finish(what.batch);
      if (ended && at(*ended).what.kind == operation_kind::kernel) {
        end_kernel(*ended);
      } else if (ended) {
        complete(*ended);
      }
      return dispatch_kernels(what.detail);
    }
    case happening::dispatch:
      gpus_[what.detail].will_dispatch = false;
      return dispatch_kernels(what.detail);
  }
}

std::optional<nanoseconds> schedule::next_time() const {
  return moments_.empty() ? std::nullopt : std::optional(std::max(now_, moments_.top().time));
}

bool schedule::step() {
  if (moments_.empty()) return false;
  const moment next = moments_.top();
  moments_.pop();
  now_ = std::max(now_, next.time);
  handle(next);
  return true;
}

void schedule::advance_to(nanoseconds time) {
  while (!moments_.empty() && moments_.top().time <= time) step();
  now_ = std::max(now_, time);
}

bool schedule::is_complete(operation_id id) const { return id < first_id_ || at(id).state == stage::done; }

bool schedule::is_staged(operation_id id) const { return id < first_id_ || at(id).is_staged; }

std::size_t schedule::pending_launches(std::uint32_t device) const {
  return gpus_.at(device).pending_launches;
}

std::size_t schedule::unfinished(std::uint32_t device) const { return gpus_.at(device).unfinished; }

std::size_t schedule::unfinished_in_blocking_streams(std::uint32_t device) const {
  return gpus_.at(device).unfinished_in_blocking_streams;
}

operation_id schedule::last_in(trace::stream_id stream) const { return streams_.at(stream).tail; }

const times& schedule::times_of(operation_id id) const { return at(id).when; }

}  // namespace device

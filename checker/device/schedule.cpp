#include "device/schedule.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace device {
namespace {

using trace::constraint_kind;
using trace::operation_id;
using trace::operation_kind;

nanoseconds from_ns(double value) { return nanoseconds(std::llround(value)); }

bool is_marker(operation_kind kind) {
  return kind == operation_kind::event_record || kind == operation_kind::event_wait ||
         kind == operation_kind::host_function;
}

bool is_copy(operation_kind kind) { return kind == operation_kind::copy || kind == operation_kind::memset; }

}  // namespace

schedule::schedule(std::vector<profile> gpus, effects what_happens, stress deviation)
    : effects_(std::move(what_happens)), stress_(deviation) {
  for (profile& each : gpus) {
    gpu added{each, block_scheduler(each), std::vector<engine>(engine_count), {}, host_link(each.duplex_slowdown), 0, 0, {}, 0};
    for (engine& copies : added.copy_engines) copies.queues.resize(static_cast<std::size_t>(each.copy_queues));
    added.compute.queues.resize(static_cast<std::size_t>(each.work_queues));
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

void schedule::push(nanoseconds time, happening what, operation_id operation, std::uint32_t detail, std::uint32_t batch) {
  moments_.push({time, sequence_++, what, operation, detail, batch});
}

/// Makes `waiting` wait for `on`, unless that is complete or none.
void schedule::depend(entry& waiting, operation_id id, operation_id on) {
  if (on == 0 || is_complete(on)) return;
  std::vector<operation_id>& dependents = at(on).dependents;
  if (std::find(dependents.begin(), dependents.end(), id) != dependents.end()) return;
  dependents.push_back(id);
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
  if (!is_marker(what.kind)) stream.last_side = side_of(what);
  added.works_on = stream.last_side;

  const double latency = is_copy(what.kind) ? on.profile.copy_issue_latency : on.profile.launch_latency;
  added.when.issued = what.issued + from_ns(latency);
  ++added.unresolved;
  push(std::max(added.when.issued, now_), happening::visible, id);

  depend(added, id, stream.tail);
  if (what.kind == operation_kind::event_wait) depend(added, id, what.captured);
  if (stream.what.kind == trace::stream_kind::legacy_default) {
    for (const trace::stream_id other : on.blocking_streams) depend(added, id, streams_.at(other).tail);
    on.legacy_tail = id;
  } else if (stream.what.blocking == trace::stream_blocking::blocking) {
    depend(added, id, on.legacy_tail);
  }
  stream.tail = id;
  if (!is_marker(what.kind)) queue_for(added).push_back(id);
  return id;
}

schedule::side schedule::side_of(const request& what) {
  if (what.kind != operation_kind::copy) return side::compute;
  if (what.route == copy_route::host_to_device) return side::copies_in;
  return what.route == copy_route::device_to_host ? side::copies_out : side::compute;
}

/// Time from the end of `first` to the earliest start of `second` that waited for it.
nanoseconds schedule::gap(const entry& first, const entry& second, bool is_same_stream) const {
  const profile& gpu = gpus_[second.device].profile;
  const operation_kind after = second.what.kind;
  if (after == operation_kind::event_wait && !is_same_stream) {
    return from_ns(std::max(0.0, gpu.event_wait - gpu.kernel_gap));
  }
  if (is_marker(after)) return nanoseconds(0);
  if (first.works_on != side::none && first.works_on != second.works_on) return from_ns(gpu.engine_handover);
  return from_ns(first.works_on == side::compute || first.works_on == side::none ? gpu.kernel_gap : gpu.copy_gap);
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

schedule::engine& schedule::engine_for(entry& of) {
  gpu& on = gpus_[of.device];
  if (of.what.kind == operation_kind::kernel) return on.compute;
  const copy_route route = of.what.kind == operation_kind::memset ? copy_route::device_to_device : of.what.route;
  return on.copy_engines[engine_of(on.profile, route)];
}

std::deque<operation_id>& schedule::queue_for(entry& of) {
  engine& engine = engine_for(of);
  return engine.queues[streams_.at(of.what.stream).ordinal % engine.queues.size()];
}

void schedule::become_ready(operation_id id) {
  entry& ready = at(id);
  ready.state = stage::ready;
  const gpu& on = gpus_[ready.device];
  if (is_marker(ready.what.kind)) {
    begin(id, constraint_kind::stream_order, 0);
    const bool takes_time = ready.what.kind == operation_kind::event_record && ready.what.has_timing;
    const double cost = takes_time ? on.profile.event_record : 0;
    push(now_ + from_ns(cost), happening::end, id);
    return;
  }
  const operation_id head = queue_for(ready).front();
  ready.queued_behind = head == id ? 0 : head;
  if (ready.what.kind == operation_kind::kernel) {
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
  if (is_copy(started.what.kind) && effects_.start) effects_.start(id);
}

/// Starts the next copy of an idle engine: of the heads of its queues that are ready, the one that was ready first.
void schedule::start_copies(std::uint32_t device, engine& on) {
  if (on.running != 0) return;
  operation_id best = 0;
  for (const std::deque<operation_id>& queue : on.queues) {
    if (queue.empty() || at(queue.front()).state != stage::ready) continue;
    const operation_id head = queue.front();
    if (best == 0 || std::pair(at(head).ready, head) < std::pair(at(best).ready, best)) best = head;
  }
  if (best != 0) start_copy(device, on, best);
}

void schedule::start_copy(std::uint32_t device, engine& on, operation_id id) {
  entry& copy = at(id);
  queue_for(copy).pop_front();
  on.running = id;
  const bool is_behind = copy.queued_behind != 0 && copy.queued_behind != on.last;
  begin(id, is_behind ? constraint_kind::work_queue : constraint_kind::engine_busy,
        is_behind ? copy.queued_behind : on.last);
  const profile& gpu = gpus_[device].profile;
  const double latency = copy.what.kind == operation_kind::memset ? gpu.memset_latency : latency_ns(gpu, copy.what.route);
  push(now_ + from_ns(latency * stress_.copies), happening::transfer, id);
}

/// The latency is over: bytes begin to move.
void schedule::begin_transfer(operation_id id) {
  entry& copy = at(id);
  gpu& on = gpus_[copy.device];
  if (copy.what.kind == operation_kind::memset) {
    const double duration = static_cast<double>(copy.what.bytes) / on.profile.memset_bandwidth;
    push(now_ + from_ns(duration * stress_.copies), happening::end, id, ++copy.generation);
    return;
  }
  const copy_route route = copy.what.route;
  const double link_ns = transfer_ns(on.profile, route, copy.what.bytes, 0) * stress_.copies;
  double duration = transfer_ns(on.profile, route, copy.what.bytes, copy.what.host_bandwidth) * stress_.copies;
  if (copy.what.staged_bytes > 0) {
    // The host stages through two halves of its buffer: the last half still has to cross the link.
    const double staging = static_cast<double>(copy.what.staged_bytes) / copy.what.host_bandwidth * stress_.copies;
    const double last = std::min(static_cast<double>(copy.what.staged_bytes), on.profile.staging_buffer / 2);
    duration = std::max(link_ns, staging + transfer_ns(on.profile, route, static_cast<std::size_t>(last), 0));
    push(now_ + from_ns(staging), happening::staged, id);
  }
  const std::uint32_t direction = static_cast<std::uint32_t>(route);
  if (direction < 2 && duration <= link_ns) {
    on.link.begin(now_, direction, duration);
    retime_link(copy.device);
  } else {
    push(now_ + from_ns(duration), happening::end, id, ++copy.generation);
  }
}

/// Transfers that share the host link end earlier or later now.
void schedule::retime_link(std::uint32_t device) {
  gpu& on = gpus_[device];
  for (std::uint32_t direction = 0; direction < 2; ++direction) {
    if (!on.link.is_moving(direction)) continue;
    const engine& engine = on.copy_engines[engine_of(on.profile, static_cast<copy_route>(direction))];
    push(on.link.end_of(now_, direction), happening::end, engine.running, ++at(engine.running).generation);
  }
}

/// Dispatches the kernels at the heads of the work queues that are ready, in order of readiness.
void schedule::dispatch_kernels(std::uint32_t device) {
  gpu& on = gpus_[device];
  while (on.blocks.resident_kernels() < static_cast<std::size_t>(on.profile.resident_grids)) {
    std::deque<operation_id>* best = nullptr;
    for (std::deque<operation_id>& queue : on.compute.queues) {
      if (queue.empty() || at(queue.front()).state != stage::ready) continue;
      if (best == nullptr || std::pair(at(queue.front()).ready, queue.front()) < std::pair(at(best->front()).ready, best->front())) {
        best = &queue;
      }
    }
    if (best == nullptr) break;
    const operation_id id = best->front();
    best->pop_front();
    entry& kernel = at(id);
    kernel.state = stage::running;
    on.blocks.add(id, kernel.what.shape, streams_.at(kernel.what.stream).what.priority);
  }
  place_blocks(device);
}

std::vector<nanoseconds> schedule::durations_of(const entry& kernel, const kernel_work& work) const {
  std::vector<nanoseconds> result = block_durations(gpus_[kernel.device].profile, kernel.what.shape, work);
  for (nanoseconds& each : result) each = from_ns(static_cast<double>(each.count()) * stress_.kernels);
  return result;
}

void schedule::place_blocks(std::uint32_t device) {
  gpu& on = gpus_[device];
  const auto begins = [&](operation_id id) -> std::optional<std::vector<nanoseconds>> {
    const operation_id behind = at(id).queued_behind;
    begin(id, behind != 0 ? constraint_kind::work_queue : constraint_kind::no_room,
          behind != 0 ? behind : on.blocks.last_finished());
    const std::optional<kernel_work> work = effects_.run_kernel(id);
    if (!work) return std::nullopt;
    return durations_of(at(id), *work);
  };
  for (const block_scheduler::batch& each : on.blocks.place(now_, begins)) {
    push(each.end, happening::batch_end, 0, device, each.index);
  }
}

void schedule::resume_kernel(operation_id kernel, const kernel_work& work) {
  const std::uint32_t device = at(kernel).device;
  for (const block_scheduler::batch& each : gpus_[device].blocks.resume(now_, kernel, durations_of(at(kernel), work))) {
    push(each.end, happening::batch_end, 0, device, each.index);
  }
}

void schedule::complete(operation_id id) {
  entry& done = at(id);
  done.state = stage::done;
  done.is_staged = true;
  done.when.end = now_;
  if (effects_.finish) effects_.finish(id);

  const std::vector<operation_id> dependents = std::move(done.dependents);
  for (const operation_id each : dependents) {
    const entry& waiting = at(each);
    const bool is_same_stream = waiting.what.stream == done.what.stream;
    constraint_kind kind = constraint_kind::legacy_default;
    if (is_same_stream) kind = constraint_kind::stream_order;
    if (waiting.what.kind == operation_kind::event_wait && waiting.what.captured == id && !is_same_stream) {
      kind = constraint_kind::event;
    }
    const nanoseconds until = now_ + gap(done, waiting, is_same_stream);
    release(each, {kind, id, 0, until});
  }
  while (!entries_.empty() && entries_.front().state == stage::done) {
    entries_.pop_front();
    ++first_id_;
  }
}

void schedule::handle(const moment& what) {
  switch (what.what) {
    case happening::visible:
      release(what.operation, {constraint_kind::host_issue, 0, at(what.operation).what.call, what.time});
      return;
    case happening::ready: become_ready(what.operation); return;
    case happening::transfer: begin_transfer(what.operation); return;
    case happening::staged:
      if (!is_complete(what.operation)) at(what.operation).is_staged = true;
      return;
    case happening::end: {
      if (is_complete(what.operation) || at(what.operation).generation != what.detail) return;
      entry& ended = at(what.operation);
      const std::uint32_t device = ended.device;
      if (is_marker(ended.what.kind)) return complete(what.operation);
      engine& freed = engine_for(ended);
      freed.running = 0;
      freed.last = what.operation;
      const std::uint32_t direction = static_cast<std::uint32_t>(ended.what.route);
      const bool was_on_link = ended.what.kind == operation_kind::copy && direction < 2 && gpus_[device].link.is_moving(direction);
      if (was_on_link) {
        gpus_[device].link.end(now_, direction);
        retime_link(device);
      }
      complete(what.operation);
      return start_copies(device, freed);
    }
    case happening::batch_end: {
      const std::optional<operation_id> kernel = gpus_[what.detail].blocks.finish(what.batch);
      if (kernel) complete(*kernel);
      return dispatch_kernels(what.detail);
    }
  }
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

operation_id schedule::last_in(trace::stream_id stream) const { return streams_.at(stream).tail; }

const times& schedule::times_of(operation_id id) const { return at(id).when; }

}  // namespace device

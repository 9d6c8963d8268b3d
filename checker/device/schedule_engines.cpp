// The engines of a GPU: how copies and kernels leave their queues and how long they run. The order that
// streams, events and the host give is in schedule.cpp.
#include <algorithm>
#include <utility>

#include "device/migration.h"
#include "device/schedule.h"

namespace device {

using trace::constraint_kind;
using trace::operation_id;
using trace::operation_kind;

schedule::engine& schedule::engine_for(entry& of) {
  gpu& on = gpus_[of.device];
  if (of.what.kind == operation_kind::kernel) return on.compute;
  const copy_route route =
      of.what.kind == operation_kind::memset ? copy_route::device_to_device : of.what.route;
  return on.copy_engines[engine_of(on.profile, route)];
}

std::deque<operation_id>& schedule::queue_for(entry& of) {
  engine& engine = engine_for(of);
  return engine.queues[(streams_.at(of.what.stream).ordinal + of.what.branch) % engine.queues.size()];
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
  const bool moves_nothing = copy.what.kind == operation_kind::prefetch && copy.what.bytes == 0;
  const double latency = copy.what.kind == operation_kind::memset ? gpu.memset_latency
                         : moves_nothing                          ? 0
                                                                  : latency_ns(gpu, copy.what.route);
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
  if (copy.what.kind == operation_kind::prefetch) {
    on.link.begin(now_, static_cast<std::uint32_t>(route),
                  prefetch_ns(on.profile, route, copy.what.bytes) * stress_.copies);
    return retime_link(copy.device);
  }
  const double link_ns = transfer_ns(on.profile, route, copy.what.bytes, 0) * stress_.copies;
  double duration =
      transfer_ns(on.profile, route, copy.what.bytes, copy.what.host_bandwidth) * stress_.copies;
  if (copy.what.staged_bytes > 0) {
    // The host stages through two halves of its buffer: the last half still has to cross the link.
    const double staging =
        static_cast<double>(copy.what.staged_bytes) / copy.what.host_bandwidth * stress_.copies;
    const double last = std::min(static_cast<double>(copy.what.staged_bytes), on.profile.staging_buffer / 2);
    duration = std::max(link_ns, staging + transfer_ns(on.profile, route, static_cast<std::size_t>(last), 0));
    push(now_ + from_ns(staging), happening::staged, id);
  }
  if (route == copy_route::device_to_host && copy.what.host_bandwidth > 0) {
    // The host can only copy on what has crossed the link: it begins with the first half of its buffer.
    const double first = std::min(static_cast<double>(copy.what.bytes), on.profile.staging_buffer / 2);
    duration += transfer_ns(on.profile, route, static_cast<std::size_t>(first), 0) * stress_.copies;
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
      if (best == nullptr || std::pair(at(queue.front()).ready, queue.front()) <
                                 std::pair(at(best->front()).ready, best->front())) {
        best = &queue;
      }
    }
    if (best == nullptr) break;
    const operation_id id = best->front();
    best->pop_front();
    entry& kernel = at(id);
    kernel.state = stage::running;
    on.blocks.add(id, kernel.what.shape,
                  kernel.what.priority.value_or(streams_.at(kernel.what.stream).what.priority));
  }
  place_blocks(device);
}

/// How long each block of a started kernel runs from now on. What it has waited until now belongs to the time
/// that its blocks hold their multiprocessors, which is noted.
std::vector<nanoseconds> schedule::durations_of(entry& kernel, const kernel_work& work) const {
  std::vector<nanoseconds> result = block_durations(gpus_[kernel.device].profile, kernel.what.shape, work);
  const nanoseconds waited = now_ - kernel.when.start;
  const std::uint64_t alike = result.size() == 1 ? kernel.what.shape.blocks : 1;
  std::vector<trace::block_time>& noted = kernel.when.block_times;
  for (nanoseconds& each : result) {
    each = from_ns(static_cast<double>(each.count()) * stress_.kernels);
    if (noted.empty() || noted.back().duration != each + waited) noted.push_back({0, each + waited});
    noted.back().blocks += alike;
  }
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
  for (const block_scheduler::batch& each :
       gpus_[device].blocks.resume(now_, kernel, durations_of(at(kernel), work))) {
    push(each.end, happening::batch_end, 0, device, each.index);
  }
}

}  // namespace device

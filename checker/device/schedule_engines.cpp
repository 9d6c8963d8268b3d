// The engines of a GPU: how copies and kernels leave their queues and how long they run. The order that
// streams, events and the host give is in schedule.cpp.
#include <algorithm>
#include <cmath>
#include <utility>

#include "device/migration.h"
#include "device/schedule.h"

namespace device {

using trace::constraint_kind;
using trace::operation_id;
using trace::operation_kind;

schedule::engine& schedule::engine_for(entry& of) {
  gpu& on = gpus_[of.device];
  return of.works_on == side::compute ? on.compute : on.copy_engines[engine_of(on.profile, of.what.route)];
}

std::deque<operation_id>& schedule::queue_for(entry& of) {
  engine& engine = engine_for(of);
  std::size_t first = streams_.at(of.what.stream).ordinal;
  if (of.works_on != side::compute)
    first = engine.queue_of_stream.try_emplace(of.what.stream, engine.queue_of_stream.size()).first->second;
  return engine.queues[(first + of.what.branch) % engine.queues.size()];
}

/// The queue that an idle engine serves next: the one that it served last as long as that has work ready, else
/// the next in turn. An engine that had nothing to do takes what became ready first.
std::size_t schedule::next_queue(const engine& idle) const {
  const std::size_t count = idle.queues.size();
  std::size_t best = count;
  for (std::size_t turn = 0; turn < count; ++turn) {
    const std::size_t queue = (idle.served + turn) % count;
    if (idle.queues[queue].empty() || at(idle.queues[queue].front()).state != stage::ready) continue;
    if (best == count) best = queue;
  }
  return best;
}

void schedule::start_copies(std::uint32_t device, engine& on) {
  if (on.running != 0) return;
  const std::size_t queue = next_queue(on);
  if (queue == on.queues.size()) return;
  on.served = queue;
  start_copy(device, on, on.queues[queue].front());
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
  const double latency = moves_nothing ? 0 : latency_ns(gpu, copy.what.route);
  push(now_ + from_ns(latency * stress_.copies), happening::transfer, id);
}

/// The latency is over: bytes begin to move.
void schedule::begin_transfer(operation_id id) {
  entry& copy = at(id);
  gpu& on = gpus_[copy.device];
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
    if (on.dispatcher_free > now_) {
      if (!on.will_dispatch) push(on.dispatcher_free, happening::dispatch, 0, device);
      on.will_dispatch = true;
      break;
    }
    const operation_id id = best->front();
    best->pop_front();
    entry& kernel = at(id);
    kernel.state = stage::running;
    if (kernel.what.graph_launch == 0) on.dispatcher_free = now_ + from_ns(on.profile.launch_interval);
    if (kernel.is_pushed) {
      begin(id, constraint_kind::engine_busy, 0);
      on.dispatcher_free = now_ + from_ns(on.profile.pushed_copy_time * stress_.copies);
      push(on.dispatcher_free, happening::end, id, kernel.generation);
      continue;
    }
    on.blocks.add(id, shape_of(kernel),
                  kernel.what.priority.value_or(streams_.at(kernel.what.stream).what.priority));
  }
  place_blocks(device);
}

/// Memsets and copies inside the device are kernels of the driver that fill the device when they are large.
/// @see profile_of_driver_kernels
kernel_shape schedule::shape_of(const entry& work) const {
  if (work.what.kind == operation_kind::kernel) return work.what.shape;
  constexpr std::uint64_t bytes_per_block = 8 << 10;
  const profile& gpu = gpus_[work.device].profile;
  const double threads = std::max(gpu.warp_size, gpu.threads_per_multiprocessor / 4);
  return {.blocks = std::max<std::uint64_t>(1, (work.what.bytes + bytes_per_block - 1) / bytes_per_block),
          .threads_per_block = static_cast<std::uint32_t>(threads)};
}

/// How long one block of a memset or of a copy inside the device runs.
nanoseconds schedule::driver_block(const entry& work) const {
  const profile& gpu = gpus_[work.device].profile;
  const bool is_memset = work.what.kind == operation_kind::memset;
  const double bandwidth = is_memset ? gpu.memset_bandwidth : gpu.d2d_bandwidth;
  const double total = (is_memset ? gpu.memset_latency : gpu.d2d_latency) + static_cast<double>(work.what.bytes) / bandwidth;
  const kernel_shape shape = shape_of(work);
  const double at_once = static_cast<double>(resident_blocks(gpu, shape)) * gpu.multiprocessors;
  const double waves = std::ceil(static_cast<double>(shape.blocks) / at_once);
  return std::max(nanoseconds(1), from_ns(total / waves * stress_.copies));
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
    if (at(id).what.kind != operation_kind::kernel) return std::vector{driver_block(at(id))};
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

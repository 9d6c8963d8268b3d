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

schedule::engine& schedule::engine_for(entry& entry) {
  gpu& gpu = gpus_[is_pulled(entry) ? entry.request.source_device : entry.device];
  return entry.works_on == side::compute ? gpu.compute
                                         : gpu.copy_engines[engine_of(gpu.profile, entry.request.route)];
}

/// A copy that a stream of the destination's device issues and the source's device makes: profile::device_handover passes before
/// it, unless nothing but the host held it up, and behind it.
bool schedule::is_pulled(const entry& entry) {
  return entry.request.kind == operation_kind::copy && entry.request.route == copy_route::peer &&
         entry.request.source_device != entry.device;
}

std::deque<operation_id>& schedule::queue_for(entry& entry) {
  engine& engine = engine_for(entry);
  const std::uint32_t ordinal = *streams_.at(entry.request.stream).ordinal;
  if (is_pulled(entry)) return engine.queues[engine.own_queues + entry.device];
  const std::size_t queue =
      entry.works_on == side::compute
          ? (ordinal == ordinal_of_legacy_stream ? engine.own_queues - 1 : ordinal)
          : engine.queue_of_ordinal.try_emplace(ordinal, engine.queue_of_ordinal.size()).first->second;
  return engine.queues[(queue + entry.request.branch) % engine.own_queues];
}

/// The queue that a free copy engine serves next: the same as before while that has work ready, else the one whose
/// work was ready first. Nothing when no queue has. Priorities do not count.
std::optional<std::size_t> schedule::next_queue(const engine& engine) const {
  std::optional<std::size_t> best;
  for (std::size_t queue = 0; queue < engine.queues.size(); ++queue) {
    const std::deque<operation_id>& work = engine.queues[queue];
    if (work.empty() || entry_of(work.front()).state != stage::ready) continue;
    if (queue == engine.served) return queue;
    if (!best || entry_of(work.front()).ready < entry_of(engine.queues[*best].front()).ready) best = queue;
  }
  return best;
}

bool schedule::takes_turn(const request& request, const stream_state& stream) const {
  const bool is_behind_copy =
      stream.last_side == side::copies_in ||
      (stream.last_side == side::copies_out && stream.last_route == copy_route::device_to_host);
  return gpus_[stream.stream.device].profile.stamps_take_turns && is_behind_copy && request.has_timing &&
         request.kind == operation_kind::event_record && request.graph_launch == 0;
}

/// Whether the engine has meanwhile begun a copy that was issued after the time stamp and came to the device in less time.
bool schedule::is_overtaken(operation_id stamp) {
  entry& late = entry_of(stamp);
  const operation_id running = engine_for(late).running;
  return running > stamp && entry_of(running).times.start <= late.times.issued &&
         queue_for(late).front() == stamp;
}

void schedule::start_copies(std::uint32_t device, engine& engine) {
  if (engine.running != 0) return;
  std::optional<std::size_t> queue = next_queue(engine);
  while (queue && entry_of(engine.queues[*queue].front()).takes_turn) {
    const operation_id stamp = engine.queues[*queue].front();
    engine.queues[*queue].pop_front();
    run_marker(stamp, constraint_kind::engine_busy, engine.last);
    queue = next_queue(engine);
  }
  if (!queue) return;
  const bool is_another = engine.last != 0 && *queue != engine.served;
  engine.served = *queue;
  start_copy(device, engine, engine.queues[*queue].front(),
             is_another ? gpus_[device].profile.copy_queue_change : 0);
}

void schedule::start_copy(std::uint32_t device, engine& engine, operation_id id, double queue_change_ns) {
  entry& copy = entry_of(id);
  queue_for(copy).pop_front();
  engine.running = id;
  const bool is_behind = copy.queued_behind != 0 && copy.queued_behind != engine.last;
  begin(id, is_behind ? constraint_kind::work_queue : constraint_kind::engine_busy,
        is_behind ? copy.queued_behind : engine.last);
  const profile& gpu = gpus_[device].profile;
  const bool moves_nothing = copy.request.kind == operation_kind::prefetch && copy.request.bytes == 0;
  const double latency = moves_nothing ? 0 : queue_change_ns + latency_ns(gpu, copy.request.route);
  push(now_ + from_ns(latency * stress_.copies), event_kind::transfer, id);
}

/// The latency is over: bytes begin to move.
void schedule::begin_transfer(operation_id id) {
  entry& copy = entry_of(id);
  gpu& gpu = gpus_[copy.device];
  const copy_route route = copy.request.route;
  if (copy.request.kind == operation_kind::prefetch) {
    gpu.link.begin(now_, static_cast<std::uint32_t>(route),
                   prefetch_ns(gpu.profile, route, copy.request.bytes) * stress_.copies);
    return retime_link(copy.device);
  }
  const double link_ns = transfer_ns(gpu.profile, route, copy.request.bytes, 0) * stress_.copies;
  double duration =
      transfer_ns(gpu.profile, route, copy.request.bytes, copy.request.host_bandwidth) * stress_.copies;
  if (copy.request.staged_bytes > 0) {
    // The host stages through two halves of its buffer: the last half still has to cross the link.
    const double staging =
        static_cast<double>(copy.request.staged_bytes) / copy.request.host_bandwidth * stress_.copies;
    const std::size_t last = std::min(copy.request.staged_bytes, gpu.profile.staging_buffer / 2);
    duration = std::max(link_ns, staging + transfer_ns(gpu.profile, route, last, 0));
    push(now_ + from_ns(staging), event_kind::staged, id);
  }
  if (route == copy_route::device_to_host && copy.request.host_bandwidth > 0) {
    // The host can only copy on what has crossed the link: it begins with the first half of its buffer.
    const std::size_t first = std::min(copy.request.bytes, gpu.profile.staging_buffer / 2);
    duration += transfer_ns(gpu.profile, route, first, 0) * stress_.copies;
  }
  const std::uint32_t direction = static_cast<std::uint32_t>(route);
  if (direction < 2 && duration <= link_ns) {
    gpu.link.begin(now_, direction, duration);
    retime_link(copy.device);
  } else {
    push(now_ + from_ns(duration), event_kind::end, id, ++copy.generation);
  }
}

/// Transfers that share the host link end earlier or later now.
void schedule::retime_link(std::uint32_t device) {
  gpu& gpu = gpus_[device];
  for (std::uint32_t direction = 0; direction < 2; ++direction) {
    if (!gpu.link.is_moving(direction)) continue;
    const engine& engine = gpu.copy_engines[engine_of(gpu.profile, static_cast<copy_route>(direction))];
    push(gpu.link.end_of(now_, direction), event_kind::end, engine.running,
         ++entry_of(engine.running).generation);
  }
}

/// Notes that the device launches from that work queue.
void schedule::have_at_hand(gpu& gpu, const std::deque<operation_id>& queue) {
  std::erase(gpu.compute.at_hand, &queue);
  gpu.compute.at_hand.push_front(&queue);
  if (gpu.compute.at_hand.size() > static_cast<std::size_t>(gpu.profile.queues_at_hand))
    gpu.compute.at_hand.pop_back();
}

/// Dispatches what is at the heads of the work queues and ready, in order of readiness, one at a time.
void schedule::dispatch_kernels(std::uint32_t device) {
  gpu& gpu = gpus_[device];
  while (gpu.blocks.resident_kernels() < static_cast<std::size_t>(gpu.profile.resident_grids)) {
    std::deque<operation_id>* best = nullptr;
    for (std::deque<operation_id>& queue : gpu.compute.queues) {
      if (queue.empty() || entry_of(queue.front()).state != stage::ready) continue;
      if (best == nullptr || std::pair(entry_of(queue.front()).ready, queue.front()) <
                                 std::pair(entry_of(best->front()).ready, best->front())) {
        best = &queue;
      }
    }
    if (best == nullptr) break;
    if (gpu.dispatcher_free > now_) {
      entry_of(best->front()).awaits_turn = true;
      if (!gpu.will_dispatch) push(gpu.dispatcher_free, event_kind::dispatch, 0, device);
      gpu.will_dispatch = true;
      break;
    }
    const operation_id id = best->front();
    best->pop_front();
    have_at_hand(gpu, *best);
    entry& kernel = entry_of(id);
    kernel.state = stage::running;
    if (kernel.awaits_turn) kernel.ready = now_;  // less than two microseconds: no reason to tell
    if (kernel.is_pushed) {
      begin(id, constraint_kind::engine_busy, 0);
      gpu.dispatcher_free = now_ + from_ns(gpu.profile.pushed_copy_time * stress_.copies);
      push(gpu.dispatcher_free, event_kind::end, id, kernel.generation);
      continue;
    }
    if (kernel.request.graph_launch == 0) gpu.dispatcher_free = now_ + from_ns(gpu.profile.launch_interval);
    const bool is_driver = kernel.request.kind != operation_kind::kernel;
    gpu.blocks.add(id, is_driver ? driver_kernel_of(kernel).shape : kernel.request.shape,
                   kernel.request.priority.value_or(streams_.at(kernel.request.stream).stream.priority));
  }
  place_blocks(device);
}

/// The kernel that does a memset or a copy inside the device.
driver_kernel schedule::driver_kernel_of(const entry& entry) const {
  const profile& gpu = gpus_[entry.device].profile;
  const bool is_memset = entry.request.kind == operation_kind::memset;
  driver_kernel result =
      driver_kernel_for(gpu, entry.request.bytes, is_memset ? gpu.memset_latency : gpu.d2d_latency,
                        is_memset ? gpu.memset_bandwidth : gpu.d2d_bandwidth);
  result.block = from_ns(static_cast<double>(result.block.count()) * stress_.copies);
  return result;
}

/// From 0 to 1, another one for each operation, and no steady steps: means of several differ too.
double share_of(operation_id id) {
  auto mixed = static_cast<std::uint32_t>(id);  // MurmurHash3's 32-bit finalizer
  mixed = (mixed ^ mixed >> 16) * 0x85ebca6bu;
  mixed = (mixed ^ mixed >> 13) * 0xc2b2ae35u;
  return (mixed ^ mixed >> 16) / 4'294'967'296.0;
}

/// How long each block of a started kernel runs from now on. What it has waited until now belongs to the time
/// that its blocks hold their multiprocessors, which is noted.
std::vector<nanoseconds> schedule::durations_of(operation_id id, const kernel_work& work) {
  entry& kernel = entry_of(id);
  std::vector<nanoseconds> result = block_durations(gpus_[kernel.device].profile, kernel.request.shape, work);
  const nanoseconds waited = now_ - kernel.times.start;
  const double longer = stress_.kernels * (1 + stress_.kernel_spread * share_of(id));
  const std::uint64_t alike = result.size() == 1 ? kernel.request.shape.blocks : 1;
  std::vector<trace::block_time>& noted = kernel.times.block_times;
  for (nanoseconds& duration : result) {
    duration = from_ns(static_cast<double>(duration.count()) * longer);
    if (noted.empty() || noted.back().duration != duration + waited) noted.push_back({0, duration + waited});
    noted.back().blocks += alike;
  }
  return result;
}

void schedule::place_blocks(std::uint32_t device) {
  gpu& gpu = gpus_[device];
  const auto begins = [&](operation_id id) -> std::optional<std::vector<nanoseconds>> {
    const operation_id behind = entry_of(id).queued_behind;
    begin(id, behind != 0 ? constraint_kind::work_queue : constraint_kind::no_room,
          behind != 0 ? behind : gpu.blocks.last_finished());
    if (entry_of(id).request.kind != operation_kind::kernel)
      return std::vector{driver_kernel_of(entry_of(id)).block};
    const std::optional<kernel_work> work = effects_.run_kernel(id);
    if (!work) return std::nullopt;
    return durations_of(id, *work);
  };
  for (const block_scheduler::batch& batch : gpu.blocks.place(now_, begins)) {
    push(batch.end, event_kind::batch_end, 0, device, batch.index);
  }
}

void schedule::resume_kernel(operation_id kernel, const kernel_work& work) {
  const std::uint32_t device = entry_of(kernel).device;
  for (const block_scheduler::batch& batch :
       gpus_[device].blocks.resume(now_, kernel, durations_of(kernel, work))) {
    push(batch.end, event_kind::batch_end, 0, device, batch.index);
  }
}

}  // namespace device

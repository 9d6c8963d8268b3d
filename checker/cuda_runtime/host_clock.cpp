#include "cuda_runtime/host_clock.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "device/host_model.h"

namespace cuda_runtime {
namespace {

/// Of a run that has a limit of virtual time. The right answers of the lessons make 2 000 at most; a loop that asks for ever would
/// fill the memory.
constexpr std::size_t max_calls = 300'000;

}  // namespace

host_clock::host_clock(const run_settings& settings, work_queue& work, recording_log& log,
                       host_threads& threads, managed_memory& managed, pool_table& pools,
                       kernel_outputs& output, std::function<void(std::string)> out_of_time)
    : gpu_(settings.gpu),
      work_(work),
      log_(log),
      threads_(threads),
      managed_(managed),
      pools_(pools),
      output_(output),
      out_of_time_(std::move(out_of_time)),
      limit_(settings.virtual_time_limit) {}

void host_clock::spend(nanoseconds duration) {
  threads_.current().now += duration;
  catch_up();
}

void host_clock::take_turn_in_driver(nanoseconds duration) {
  driver_free_ = std::max(now(), driver_free_) + duration;
  spend(driver_free_ - now());
}

void host_clock::catch_up() {
  threads_.yield();
  work_.schedule().advance_to(now());
  work_.resume_waiting_kernels(kernels::others::can_act);
  if (limit_ == nanoseconds(0)) return;
  const bool is_late = now() > limit_, asks_for_ever = log_.recording().calls.size() > max_calls;
  if (!is_late && !asks_for_ever) return;
  const nanoseconds limit = std::exchange(limit_, nanoseconds(0));
  out_of_time_(is_late ? "the program used more than " +
                             std::to_string(std::chrono::duration_cast<std::chrono::seconds>(limit).count()) +
                             " seconds of virtual time"
                       : "the program made more than " + std::to_string(max_calls) + " calls of CUDA");
}

void host_clock::wait(std::function<bool()> is_done) {
  if (!is_done()) {
    threads_.wait(std::move(is_done));
    spend(device::wait_return_latency(gpu_));
  }
  note_synchronization();
}

/// Waits for these operations (0: none) and no later ones: other host threads may go on launching. The recording says for which
/// it was.
void host_clock::wait_for_all(const std::vector<trace::operation_id>& awaited) {
  std::vector<trace::operation_id> unfinished;
  for (const trace::operation_id id : awaited) {
    if (id != 0 && !work_.is_complete(id)) unfinished.push_back(id);
  }
  wait([&] {
    return std::all_of(unfinished.begin(), unfinished.end(),
                       [&](trace::operation_id id) { return work_.is_complete(id); });
  });
  const trace::api_function function = log_.call(threads_.current().open_call).function;
  const bool is_implicit = trace::traits_of(function).waits_for == trace::wait_target::idle_device;
  const auto kind =
      is_implicit ? trace::constraint_kind::implicit_synchronization : trace::constraint_kind::completion;
  for (const trace::operation_id id : unfinished) note_wait({kind, id, 0, log_.operation(id).end});
}

void host_clock::note_wait(const trace::constraint& wait) {
  std::vector<trace::constraint>& known = *log_.call(threads_.current().open_call).waited_for;
  const auto after = std::find_if(known.begin(), known.end(),
                                  [&](const trace::constraint& other) { return other.until < wait.until; });
  known.insert(after, wait);
}

void host_clock::note_synchronization() {
  managed_.note_synchronization(work_.schedule());
  pools_.synchronized();
}

void host_clock::wait_for(trace::operation_id id) {
  if (id == 0) return;
  wait_for_all({id});
  output_.show(work_.device_of(id));
}

void host_clock::wait_until_staged(trace::operation_id id) {
  wait([&] { return work_.schedule().is_staged(id); });
}

void host_clock::wait_for_stream(const trace::stream& stream) {
  const bool is_legacy = stream.kind == trace::stream_kind::legacy_default;
  std::vector<trace::operation_id> awaited;
  for (const trace::stream& other : work_.streams().all()) {
    const bool takes_part =
        is_legacy && other.device == stream.device && other.blocking == trace::stream_blocking::blocking;
    if (other.id == stream.id || takes_part) awaited.push_back(work_.schedule().last_in(other.id));
  }
  wait_for_all(awaited);
  output_.show(stream.device);
}

void host_clock::wait_for_device(std::uint32_t device) {
  std::vector<trace::operation_id> awaited;
  for (const trace::stream& stream : work_.streams().all()) {
    if (stream.device == device) awaited.push_back(work_.schedule().last_in(stream.id));
  }
  wait_for_all(awaited);
  output_.show(device);
}

void host_clock::wait_for_room_in_launch_queue(std::uint32_t device) {
  const auto has_room = [&] { return device::has_room_for_launch(gpu_, work_.schedule(), device); };
  if (has_room()) return;
  threads_.wait(has_room);
  note_wait({.kind = trace::constraint_kind::work_queue, .until = now()});
}

void host_clock::skip_to_next_event() {
  const std::optional<nanoseconds> next = work_.schedule().next_time();
  if (next && *next > now()) spend(*next - now());
}

}  // namespace cuda_runtime

#include "cuda_runtime/host_clock.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace cuda_runtime {

host_clock::host_clock(const run_settings& settings, work_queue& work, host_threads& threads,
                       managed_memory& managed, pool_table& pools, kernel_outputs& output,
                       std::function<void(std::string)> out_of_time)
    : gpu_(settings.gpu),
      work_(work),
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
  if (!work_.waiting_kernels().empty()) work_.resume_waiting_kernels();
  if (limit_ > nanoseconds(0) && now() > limit_) {
    const nanoseconds limit = std::exchange(limit_, nanoseconds(0));
    out_of_time_("the program used more than " +
                 std::to_string(std::chrono::duration_cast<std::chrono::seconds>(limit).count()) +
                 " seconds of virtual time");
  }
}

void host_clock::wait(std::function<bool()> is_done) {
  if (!is_done()) {
    threads_.wait(std::move(is_done));
    spend(nanoseconds(static_cast<std::int64_t>(gpu_.synchronize_return)));
  }
  note_synchronization();
}

void host_clock::note_synchronization() {
  managed_.note_synchronization(work_.schedule());
  pools_.synchronized();
}

void host_clock::wait_for(trace::operation_id id) {
  if (id == 0) return;
  wait([&] { return work_.is_complete(id); });
  output_.show(work_.device_of(id));
}

void host_clock::wait_until_staged(trace::operation_id id) {
  wait([&] { return work_.schedule().is_staged(id); });
}

void host_clock::wait_for_stream(const trace::stream& stream) {
  wait([&] { return work_.is_idle(stream); });
  output_.show(stream.device);
}

void host_clock::wait_for_device(std::uint32_t device) {
  wait([&] { return work_.schedule().unfinished(device) == 0; });
  output_.show(device);
}

void host_clock::wait_for_room_in_launch_queue(std::uint32_t device) {
  const auto max_launches = static_cast<std::size_t>(gpu_.launch_queue);
  threads_.wait([&] { return work_.schedule().pending_launches(device) < max_launches; });
}

void host_clock::skip_to_next_event() {
  const std::optional<nanoseconds> next = work_.schedule().next_time();
  if (next && *next > now()) spend(*next - now());
}

}  // namespace cuda_runtime

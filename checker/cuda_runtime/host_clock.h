// host_clock.h: the virtual time of the calling host thread: what costs time, and how the host waits for devices.
//
// Host code costs no virtual time; calls cost what the profile says. At each call the devices first catch up with the
// host's clock, so host memory shows exactly the effects whose virtual end is not later than the host's now. Not here:
// how several host threads take turns (host_threads.h).
//
//     clock.spend(gpu.host_call("cudaMalloc"));
//     clock.wait_for(work.issue(std::move(copy)));
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cuda_runtime/host_threads.h"
#include "cuda_runtime/pool_table.h"
#include "cuda_runtime/work_queue.h"

namespace cuda_runtime {

/// The only way for host code to let virtual time pass.
class host_clock {
 public:
  /// `out_of_time` is called when the limit of virtual time, or that of calls, is exceeded; it does not return.
  host_clock(const run_settings& settings, work_queue& work, recording_log& log, host_threads& threads,
             managed_memory& managed, pool_table& pools, kernel_outputs& output,
             std::function<void(std::string)> out_of_time);

  nanoseconds now() const { return threads_.current().now; }
  /// Lets virtual time pass; devices and other threads catch up.
  void spend(nanoseconds duration);
  /// spend() in the driver, where host threads take turns: it waits until the driver is free. Launches do: on an H200
  /// (CUDA 13.0, driver 580) 80 launches took 351 us from eight host threads, and 332 us from one
  /// (docs/measured/ways_to_issue_h200.txt).
  void take_turn_in_driver(nanoseconds duration);
  /// Devices and other threads do all that comes before now.
  void catch_up();

  /// Waits until the operation has ended (0: not at all), then prints what kernels of its device printed.
  void wait_for(trace::operation_id id);
  /// Waits until the last byte of a copy's pageable source has been read.
  void wait_until_staged(trace::operation_id id);
  /// Waits for what a synchronization of the stream waits for, then prints what kernels printed.
  /// @see CUDA Runtime API, cudaStreamSynchronize
  void wait_for_stream(const trace::stream& stream);
  /// Waits for all streams of a device. @see CUDA Runtime API, cudaDeviceSynchronize
  void wait_for_device(std::uint32_t device);
  /// A device takes in a bounded number of launches ahead of time; the launch call waits for room.
  void wait_for_room_in_launch_queue(std::uint32_t device);
  /// The host knows that work is complete: managed memory that only idle streams may use is its own again, and pools
  /// give back what they need not keep.
  void note_synchronization();
  /// Adds to what the recording says that the host waited for in the open call.
  void note_wait(const trace::constraint& wait);
  /// Sleeps until the next event of a device: for loops that poll.
  void skip_to_next_event();

 private:
  void wait(std::function<bool()> is_done);
  void wait_for_all(const std::vector<trace::operation_id>& awaited);

  const device::profile& gpu_;
  work_queue& work_;
  recording_log& log_;
  host_threads& threads_;
  managed_memory& managed_;
  pool_table& pools_;
  kernel_outputs& output_;
  std::function<void(std::string)> out_of_time_;
  nanoseconds limit_;           // 0: none
  nanoseconds driver_free_{0};  // from then on another thread's turn in the driver can begin
};

}  // namespace cuda_runtime

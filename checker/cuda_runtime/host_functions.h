// host_functions.h: functions of the host in streams, which a thread of the driver runs for each device.
//
//     functions.add(stream, {.function = fn, .argument = data});
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cuda_runtime/host_order.h"
#include "cuda_runtime/work_queue.h"

namespace cuda_runtime {

/// The host functions of all devices.
class host_functions {
 public:
  /// `watch` is called before the first host function, `forget_stack` before each one that a thread of the driver runs,
  /// `no_thread` when the system has no thread left; the last does not return.
  host_functions(const run_settings& settings, kernels::memory& memory, recording_log& log, work_queue& work,
                 host_threads& threads, host_order& order, kernel_outputs& output, error_state& errors,
                 std::function<void()> watch, std::function<void()> forget_stack,
                 std::function<void()> no_thread);

  /// Enqueues a function of cudaLaunchHostFunc or cudaStreamAddCallback, on behalf of the open call.
  void add(const trace::stream& stream, stream_function function);
  /// The current thread, when the argument of a host function is in one of its live frames; else nullptr.
  const host_thread* lender_of(const void* argument);
  /// Starts the driver's thread of a device unless it runs; before a host function is issued.
  void start_driver(std::uint32_t device);
  /// A host function's turn has come: the driver's thread takes it, after the time that waking it takes.
  void run(trace::operation_id id);
  /// Whether no host function is running.
  bool is_idle() const;

 private:
  struct driver {
    host_functions* owner = nullptr;
    host_thread* thread = nullptr;  // nullptr: not needed yet
    trace::operation_id next = 0;   // the host function handed to it
  };
  void run_all(driver& self);
  static void* driver_thread(void* self);

  const device::profile& gpu_;
  kernels::memory& memory_;
  recording_log& log_;
  work_queue& work_;
  host_threads& threads_;
  host_order& order_;
  kernel_outputs& output_;
  error_state& errors_;
  std::function<void()> watch_;
  std::function<void()> forget_stack_;
  std::function<void()> no_thread_;
  std::vector<driver> drivers_;  // by device
};

}  // namespace cuda_runtime

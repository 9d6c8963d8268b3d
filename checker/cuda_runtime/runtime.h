// runtime.h: the state behind the CUDA API: the host's clock, the tables of what the program made, the error
// variable, the recording.
//
// Host code costs no virtual time; calls cost what the profile says. At each call the devices first catch up
// with the host's clock, so host memory shows exactly the effects whose virtual end is not later than the
// host's now. The functions of the API are thin (api_*.cpp): they open an api_call, check their arguments,
// and use this. What operations do is in runtime_operations.cpp, host functions are in
// runtime_host_functions.cpp, the recording and the host's accesses in runtime_recording.cpp.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "device/schedule.h"
#include "trace/recorder.h"
#include "kernels/access_log.h"
#include "cuda_runtime/event_table.h"
#include "cuda_runtime/host_order.h"
#include "cuda_runtime/host_threads.h"
#include "include/cuda_runtime_api.h"
#include "include/device_language.h"
#include "cuda_runtime/kernel_output.h"
#include "kernels/kernel_host.h"
#include "kernels/memory.h"
#include "cuda_runtime/pool_table.h"
#include "cuda_runtime/prepared_operation.h"
#include "cuda_runtime/stream_table.h"

namespace cuda_runtime {

using virtual_gpu::kernel_image;

class capture_table;
class graph_table;

using trace::nanoseconds;

/// How pageable memory is treated by asynchronous copies; the documentation allows both.
enum class pageable_policy {
  staged,  ///< as current drivers do: the host stages a copy to the device, and waits for a copy from it
  late,    ///< the source is read, and the destination written, when the copy runs, like pinned memory
};

/// What a program may set for a device, and what holds before.
struct device_settings {
  std::uint64_t reach = 0;  ///< the devices whose memory its work may use, itself included; one bit a device
  unsigned int flags = 0;   ///< of cudaSetDeviceFlags
  cudaFuncCache cache =
      cudaFuncCachePreferNone;  ///< of cudaDeviceSetCacheConfig; kept and answered, without effect on times
  std::map<cudaLimit, std::size_t> limits{};  ///< as set; others are at their default
};

/// All state of the virtual GPU in one process. Its functions never throw and never print, kernel output and
/// fatal() apart; what CUDA calls an error is for the caller to find out and to return.
class runtime final : public trace::recorder, public kernels::kernel_host {
 public:
  /// The one runtime of the process; made at first use, from STREAMLINGS_PROFILE, STREAMLINGS_DEVICES,
  /// STREAMLINGS_SCHEDULE, and the environment variables that CUDA itself reads.
  static runtime& get();
  /// The same, or nullptr when the program has not used CUDA yet.
  static runtime* if_begun() { return begun_; }

  // trace::recorder
  void mark(std::string_view name) override;
  void name_stream(const void* handle, std::string_view name) override;
  void name_memory(const void* where, std::string_view name) override;
  trace::recording finish() override;
  void set_fatal_handler(trace::fatal_handler handler) override { fatal_ = handler; }

  /// The profile of each device: all are of one kind.
  const device::profile& gpu() const override { return gpu_; }
  /// Virtual devices of the process; at least 1, numbered from 0.
  std::uint32_t device_count() const { return static_cast<std::uint32_t>(recording_.devices.size()); }
  /// The device that is current for the calling host thread.
  std::uint32_t current_device() const { return threads_->current().device; }
  /// What the program set for an existing device.
  device_settings& settings(std::uint32_t device) { return settings_[device]; }
  /// Resets them: the device is as if the program had never used it.
  void forget_settings(std::uint32_t device);
  /// Whether two devices can have access to each other's memory: the profile knows how fast their link is.
  bool can_be_peers(std::uint32_t device, std::uint32_t other) const {
    return device != other && gpu_.peer_bandwidth > 0;
  }
  /// Whether work of a device may use that device memory, without the host in between. For memory of pools
  /// the pool says so. @see CUDA Programming Guide, "Stream-Ordered Memory Allocator", multi-GPU support
  bool may_use(std::uint32_t device, const memory_block& block) const {
    return ((block.pool != 0 ? block.open_to >> device : settings_[device].reach >> block.device) & 1) != 0;
  }
  /// The clock of the calling host thread.
  nanoseconds now() const { return threads_->current().now; }
  /// The program's threads and their clocks.
  host_threads& threads() { return *threads_; }
  /// Lets virtual time pass for the calling host thread; devices and other threads catch up.
  void spend(nanoseconds duration);
  /// The same in the driver, where host threads take turns: it waits until the driver is free. Launches do:
  /// on an H200 (CUDA 13.0, driver 580) 80 launches took 351 us from eight host threads, and 332 us from one
  /// (docs/measured/ways_to_issue_h200.txt).
  void take_turn_in_driver(nanoseconds duration);

  /// The streams that ever were.
  stream_table& streams() { return *streams_; }
  /// The events that ever were.
  event_table& events() { return events_; }
  /// When that record was taken, in multiples of the event resolution; nothing while it is pending.
  std::optional<nanoseconds> record_time(trace::operation_id record) const;

  // Work.
  /// Enqueues an operation now, on behalf of the open call. Fills in what the recording says about it.
  /// In a stream that captures it becomes a node of a graph instead, and the result is 0.
  trace::operation_id issue(device::request what, trace::operation described, payload needs);
  /// Enqueues a node of the graph launch that was issued last.
  trace::operation_id issue_node(device::request what, trace::operation described, payload needs);
  /// Whether the operation has ended, in virtual time.
  bool is_complete(trace::operation_id id) const { return schedule_->is_complete(id); }
  /// Whether all that a synchronization of the stream waits for is complete (legacy default stream: all
  /// blocking ones).
  bool is_idle(const trace::stream& of) const;
  /// Lets the host wait until then.
  void wait_for(trace::operation_id id);
  /// Lets the host wait until the last byte of a copy's pageable source has been read.
  void wait_until_staged(trace::operation_id id);
  /// Lets the host wait for what a synchronization of the stream waits for, then prints the kernels' output.
  /// @see CUDA Runtime API, cudaStreamSynchronize
  void wait_for_stream(const trace::stream& of);
  /// The same for all streams of a device. @see CUDA Runtime API, cudaDeviceSynchronize
  void wait_for_device(std::uint32_t device);
  /// A device takes in a bounded number of launches ahead of time; the launch call waits for room.
  void wait_for_room_in_the_launch_queue(std::uint32_t device);
  /// On old GPUs an allocation keeps later work from running beside earlier work.
  void hold_back_old_gpus() {
    if (gpu_.implicit_synchronization > 0) schedule_->hold_back(current_device());
  }
  /// CUDA_LAUNCH_BLOCKING=1: launches and memsets return when they are done.
  bool launches_block() const { return launches_block_; }
  /// Lets the host sleep until the next thing happens on a device: for loops that poll.
  void skip_to_next_event();

  // Memory.
  /// The memory that the process got or told about.
  kernels::memory& memory() { return memory_; }
  /// How the schedule of this run treats pageable memory.
  pageable_policy pageable() const { return pageable_; }
  /// Whether a copy of that many bytes takes its source along with the call, when nothing is ahead of it in
  /// its stream.
  bool takes_source_at_call(std::size_t bytes) const {
    return recording_.schedule == trace::schedule_kind::as_is &&
           static_cast<double>(bytes) <= gpu_.inline_copy;
  }
  /// The open call made, or freed, that memory.
  void note_allocation(trace::allocation_id id);
  /// @copydoc note_allocation
  void note_release(trace::allocation_id id);
  /// Makes a variable of the program; `code` is the place of its definition.
  void* add_variable(const char* name, const void* initial, std::size_t bytes, trace::memory_kind kind,
                     address code);

  /// The pools of stream-ordered memory.
  pool_table& pools() { return pools_; }
  /// Device memory that is not free: what is allocated, and what pools keep.
  std::size_t device_bytes_in_use(std::uint32_t device) const;

  /// Whether a device of that number exists.
  bool has_device(int ordinal) const {
    return ordinal >= 0 && static_cast<std::size_t>(ordinal) < recording_.devices.size();
  }
  /// @see CUDA Programming Guide, "Unified Memory": compute capability 3.0 and later
  bool has_managed_memory() const { return std::atof(gpu_.compute_capability.c_str()) >= 3.0; }
  /// Whether host and device may use managed memory at the same time (compute capability 6.0 and later).
  bool shares_managed_memory() const { return std::atof(gpu_.compute_capability.c_str()) >= 6.0; }
  /// The host has seen that work is complete: managed memory that only idle streams may use is its own again,
  /// and pools give back what they need not keep.
  void note_synchronization();

  // Graphs.
  /// The streams that capture.
  capture_table& captures() { return *captures_; }
  /// The live graphs.
  graph_table& graphs() { return *graphs_; }
  /// What cudaThreadExchangeStreamCaptureMode sets for a thread.
  cudaStreamCaptureMode& capture_mode(trace::thread_id thread) { return capture_modes_[thread]; }

  // Kernels.
  /// Bytes of dynamic shared memory that a launch of the kernel may ask for.
  std::size_t dynamic_shared_memory_most(std::string_view kernel) const;
  /// Bytes of shared memory that a block of the kernel may have in all: more than usual for kernels that have
  /// opted in. @see CUDA Programming Guide, "Compute Capabilities", shared memory a thread block
  std::size_t shared_memory_most(std::string_view kernel) const;
  /// @see CUDA Runtime API, cudaFuncAttributeMaxDynamicSharedMemorySize
  void set_dynamic_shared_memory_most(std::string_view kernel, std::size_t bytes) {
    dynamic_shared_memory_[std::string(kernel)] = bytes;
  }
  /// Per cent of a multiprocessor's memory that a kernel would have as shared memory; -1: as the driver
  /// likes. Told to who asks, without effect. @see CUDA Runtime API,
  /// cudaFuncAttributePreferredSharedMemoryCarveout
  int& shared_memory_carveout(const void* function) {
    return carveouts_.try_emplace(function, -1).first->second;
  }
  /// What it may be set to. @see CUDA Programming Guide, "Compute Capabilities", shared memory a thread block
  std::size_t shared_memory_by_opting_in() const;
  /// The kernel of the launch that the calling thread is about to make; take_kernel() gives it back.
  void hand_over(const kernel_image& image);
  /// The kernel of the launch at hand; nothing when what was launched is no kernel.
  std::optional<kernel_image> take_kernel();
  /// Prints what the device's kernels printed; called where the documentation says that the host does so.
  void show_kernel_output(std::uint32_t device) { output_[device].write_to(stdout); }
  /// True the first time that a kernel of that code is launched on that device.
  bool is_first_launch(void (*code)(void*), std::uint32_t device) {
    return launched_.emplace(reinterpret_cast<address>(code), device).second;
  }

  // Errors.
  /// The error of the calling host thread.
  cudaError_t last_error() const { return static_cast<cudaError_t>(threads_->current().last_error); }
  /// Replaces it; done by closing a call, and by cudaGetLastError.
  void set_last_error(cudaError_t error) { threads_->current().last_error = error; }
  /// The error that all further work returns, or cudaSuccess.
  cudaError_t sticky_error() const { return sticky_error_; }
  /// After a failure the devices stay lost to the process, whatever it resets.
  void lose_devices() { sticky_error_ = cudaErrorDevicesUnavailable; }
  /// Adds a diagnostic to the recording, on behalf of that call (0: none) at that place.
  void note(trace::diagnostic_kind kind, std::string message, trace::call_id call, trace::location where);
  /// Ends the run: it cannot go on.
  [[noreturn]] void fatal(std::string_view kind, const std::string& sentence) override;

  // Host functions.
  /// The current thread, when the argument of a host function is in one of its live frames; else nullptr.
  const host_thread* lender_of(const void* argument);
  /// Whether the frame that held the argument has returned since, or its thread has ended.
  static bool is_argument_gone(const stream_function& of);
  /// Enqueues a function of cudaLaunchHostFunc or cudaStreamAddCallback, on behalf of the open call.
  void add_host_function(const trace::stream& in, stream_function what);

  // What host threads do to each other.
  /// Begins a thread of the program; `begin_thread` and `end_thread` are called on it.
  host_thread& add_thread();
  /// Called first on the new system thread: makes it that thread, and returns when it is its turn.
  void begin_thread(host_thread& as);
  /// Called last on a thread of the program: who joins it comes after all that it did.
  void end_thread();
  /// Whatever the calling thread did so far comes before what a thread does that later acquires the same
  /// object.
  void release(const void* object) { order_->release(threads_->current(), object); }
  /// What the calling thread does from now on comes after what was released with that object.
  void acquire(const void* object) { order_->acquire(threads_->current(), object); }
  /// The same as release, for an object that several threads release together: what others released stays.
  void release_beside_others(const void* object) {
    order_->release_beside_others(threads_->current(), object);
  }

  // Host accesses, from the instrumentation.
  /// Host code read or wrote those bytes, at that place. Memory that no operation may use is passed over;
  /// memory that the host may not touch ends the run.
  void note_host_access(address code, address where, std::size_t bytes, trace::access_mode mode) override;

 private:
  friend class api_call;

  runtime();
  ~runtime() override;
  static runtime* begun_;
  static trace::location code_location(address code) { return {1, static_cast<std::uint32_t>(code)}; }
  trace::operation_id enqueue(device::request what, trace::operation described, payload needs);
  void flush_host_accesses();
  void catch_up();
  void wait(std::function<bool()> is_done);

  bool refuse_memory(trace::operation_id id, const memory_box& box);
  bool may_host_use(const memory_block& managed) const;
  void start(trace::operation_id id);
  void start_prefetch(trace::operation_id id);
  double bring_managed_memory(const kernel_log& used, trace::operation_id kernel);
  void stand_still_for(const memory_block& managed, address where, std::size_t bytes, address code);
  double stand_still(const std::string& who, trace::location at, device::copy_route route,
                     const device::moved_pages& moved);
  void end(trace::operation_id id);
  std::optional<device::kernel_work> run_kernel(trace::operation_id id);
  device::kernel_work after_run(trace::operation_id id, kernel_state state);
  bool resume_waiting_kernels();
  void keep_output(trace::operation_id kernel, std::vector<std::string> printed);
  std::uint32_t device_of(trace::operation_id id) const { return recording_.operations[id - 1].device; }
  void run_host_function(trace::operation_id id);
  struct driver;  // defined below
  void run_host_functions(driver& self);
  static void* driver_thread(void* self);
  void start_driver(std::uint32_t device);
  bool has_idle_drivers() const;
  trace::call_id open_call() const { return threads_->current().open_call; }

  device::profile gpu_;
  pageable_policy pageable_ = pageable_policy::staged;
  nanoseconds driver_free_{0};  ///< from then on another thread's turn can begin
  nanoseconds virtual_time_limit_{0};
  kernels::memory memory_;
  std::unique_ptr<device::schedule> schedule_;
  trace::recording recording_;  // its streams and events are filled in at the end
  std::unique_ptr<stream_table> streams_;
  event_table events_;
  trace::fatal_handler fatal_ = nullptr;
  std::unique_ptr<host_threads> threads_;
  std::unique_ptr<host_order> order_;
  /// The driver's thread for the host functions of one device.
  struct driver {
    runtime* owner = nullptr;
    host_thread* thread = nullptr;  // nullptr: not needed yet
    trace::operation_id next = 0;   // the host function handed to it
  };
  std::vector<driver> drivers_;  // by device

  std::unordered_map<trace::operation_id, payload> payloads_;
  std::vector<trace::operation_id> waiting_kernels_;
  std::set<std::pair<address, std::uint32_t>> launched_;
  std::map<std::string, std::size_t, std::less<>> dynamic_shared_memory_;  // by kernel, as set
  std::map<const void*, int> carveouts_;                                   // by kernel, as set
  std::unique_ptr<capture_table> captures_;
  std::unique_ptr<graph_table> graphs_;
  std::map<trace::thread_id, cudaStreamCaptureMode> capture_modes_;
  // By thread: handed over, not launched; a launch's configuration may launch too.
  std::map<trace::thread_id, std::vector<kernel_image>> pending_kernels_;
  fiber_pool fibers_;                              // the stacks on which threads of kernels run
  std::map<std::uint32_t, kernel_output> output_;  // by device

  std::unordered_map<trace::allocation_id, std::pair<trace::call_id, trace::call_id>> allocation_calls_;
  std::map<address, std::string> memory_names_;  // for reports
  pool_table pools_;
  /// How long kernels of one launch, or host code of one place, stood still for managed memory, in all.
  struct standstill {
    device::moved_pages moved{};
    double ns = 0;
    device::copy_route route = device::copy_route::host_to_device;
  };
  std::map<std::pair<std::uint32_t, std::string>, standstill> standstills_;  // by place in the code, and who
  std::set<trace::stream_id>
      active_streams_;  // with kernels that the host has not seen complete; where it matters
  host_log host_log_{memory_};
  std::vector<trace::host_access> host_accesses_;
  cudaError_t sticky_error_ = cudaSuccess;
  bool launches_block_ = false;
  std::vector<device_settings> settings_;  // by device
};

}  // namespace cuda_runtime

// work_queue.h: operations from the call that issues them to their end: what they do when they start and end, as the schedule
// of the devices says.
//
// Not here: when that is (device/schedule.h), how the host waits for it (host_clock.h).
//
//     trace::operation_id id = work.issue(std::move(prepared));
//     if (!work.is_complete(id)) ...
#pragma once

#include <functional>
#include <map>
#include <memory_resource>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cuda_runtime/capture.h"
#include "cuda_runtime/device_table.h"
#include "cuda_runtime/error_state.h"
#include "cuda_runtime/function_attributes.h"
#include "cuda_runtime/host_order.h"
#include "cuda_runtime/kernel_output.h"
#include "cuda_runtime/managed_memory.h"
#include "cuda_runtime/prepared_operation.h"
#include "cuda_runtime/recording_log.h"
#include "cuda_runtime/run_settings.h"
#include "cuda_runtime/stream_table.h"
#include "device/schedule.h"

namespace cuda_runtime {

/// What becomes of kernels that poll memory at the end of the run: something could still have changed it, or nothing.
enum class polling_end { could_change, never };

/// All operations that have been issued and have not ended.
class work_queue {
 public:
  /// What operations work on; all of it outlives the queue.
  struct parts {
    const run_settings& settings;
    kernels::memory& memory;
    recording_log& log;
    capture_table& captures;
    device_table& devices;
    function_attributes& functions;
    managed_memory& managed;
    kernel_outputs& output;
    error_state& errors;
    host_order& order;
  };
  /// `run_host_function` is called when one starts; schedule().end_host_function() ends it.
  work_queue(const parts& parts, std::function<void(trace::operation_id)> run_host_function);

  device::schedule& schedule() { return schedule_; }
  /// The streams that ever were.
  stream_table& streams() { return streams_; }

  /// Enqueues an operation now, on behalf of the open call. Fills in what the recording says about it. In a stream that
  /// captures it becomes a node of a graph instead, and the result is 0.
  trace::operation_id issue(prepared_operation&& work);
  /// Enqueues a node of the graph launch that was issued last.
  trace::operation_id issue_node(prepared_operation work);

  /// Whether the operation has ended, in virtual time.
  bool is_complete(trace::operation_id id) const { return schedule_.is_complete(id); }
  /// Whether all that a synchronization of the stream waits for is complete (legacy default stream: all blocking ones).
  bool is_idle(const trace::stream& stream) const;
  std::uint32_t device_of(trace::operation_id id) const { return parts_.log.operation(id).device; }
  /// When that record was taken, in multiples of the event resolution; nothing while it is pending.
  std::optional<nanoseconds> record_time(trace::operation_id record) const;
  /// Whether a copy of that many bytes that the stream is asked for now takes its source along with the call.
  bool takes_source_at_call(std::size_t bytes, const trace::stream& stream) const;
  /// On old GPUs an allocation keeps later work of the current device from running beside earlier work.
  void implicit_sync();

  /// The function of a host-function operation that has not ended.
  const stream_function& function_of(trace::operation_id id) const {
    return std::get<stream_function>(payloads_.at(id));
  }
  /// Kernels that poll memory read it again. True when one of them ended.
  bool resume_waiting_kernels(kernels::others meanwhile);
  /// Notes what kernels that have not ended do wrong, and which memory they poll, at the end of the run.
  void note_unfinished_kernels(polling_end end);

 private:
  trace::operation_id enqueue(prepared_operation&& work);
  void start(trace::operation_id id);
  void start_copy(trace::operation_id id, copy_payload& copy);
  void end(trace::operation_id id);
  void take_effect(trace::operation_id id, payload& work);
  bool refuse_memory(trace::operation_id id, const memory_box& box);
  void add_access(std::vector<trace::access>& accesses, const memory_box& box, trace::access_mode mode) const;
  kernels::kernel_state run_on(std::uint32_t device, kernels::kernel_run& run,
                               kernels::others meanwhile = kernels::others::can_act);
  std::optional<device::kernel_work> run_kernel(trace::operation_id id);
  void release_flags(trace::operation_id id, const kernels::kernel_run& run);
  device::kernel_work after_run(trace::operation_id id, kernels::kernel_state state);
  void note_misuses(const std::vector<kernels::kernel_fault>& misuses, const trace::operation& kernel);
  void note_progress(const std::string& kernel, std::uint64_t blocks_done, std::uint64_t blocks);
  void keep_output(trace::operation_id kernel, std::vector<std::string> printed);

  const parts parts_;
  const device::profile& gpu_;
  device::schedule schedule_;
  stream_table streams_{schedule_};
  std::pmr::unsynchronized_pool_resource payload_memory_;
  std::pmr::unordered_map<trace::operation_id, payload> payloads_{&payload_memory_};
  std::vector<trace::operation_id> waiting_kernels_;
  std::set<std::pair<kernels::address, kernels::address>> reported_misuses_;  // by code
  kernels::fiber_pool fibers_;
  std::map<std::uint32_t, kernels::device_heap> heaps_;  // by device, of those on which a kernel has run
  std::chrono::steady_clock::time_point progress_reported_;
};

}  // namespace cuda_runtime

// runtime.h: the CUDA runtime of one process: what its parts are, and what they have of each other.
//
// The functions of the API are thin (api/): they open an api_call, check their arguments, and use the parts.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "cuda_runtime/called_kernels.h"
#include "cuda_runtime/event_table.h"
#include "cuda_runtime/graph.h"
#include "cuda_runtime/host_clock.h"
#include "cuda_runtime/host_functions.h"
#include "cuda_runtime/host_order.h"
#include "cuda_runtime/named_ranges.h"
#include "cuda_runtime/work_queue.h"
#include "kernels/freed_memory.h"
#include "kernels/kernel_host.h"
#include "trace/recorder.h"

namespace cuda_runtime {

/// Its functions never throw and never print, kernel output and fatal() apart; what CUDA calls an error is for the caller
/// to find out and to return.
class runtime final : public trace::recorder, public kernels::kernel_host {
 public:
  /// The one runtime of the process; made at first use, from the environment (run_settings.h).
  static runtime& get();
  /// The one of get(), or nullptr when the program has not used CUDA yet.
  static runtime* if_begun() { return begun_; }

  // trace::recorder
  void mark(std::string_view name) override;
  void name_stream(const void* handle, std::string_view name) override;
  void name_memory(const void* begin, std::size_t bytes, std::string_view name) override;
  trace::recording finish() override;

  // kernels::kernel_host
  const device::profile& gpu() const override { return settings_.gpu; }
  /// Memory that no operation may use is passed over; memory that the host may not touch ends the run.
  void note_host_access(address code, address where, std::size_t bytes, trace::access_mode mode) override;
  /// Short way of note_host_access() for code that accessed the same pinned memory lately. False: that has to.
  bool note_again(address code, address where, std::size_t bytes, trace::access_mode mode) {
    const host_thread* const thread = host_threads::self();
    return thread != nullptr && thread->volatile_read.where == 0 &&
           log_.note_again(*thread, code, where, bytes, mode);
  }
  /// The same for a volatile read of memory that CUDA gave out, after which the thread knows what a kernel did that set the flag.
  void note_volatile_read(address code, address where, std::size_t bytes);
  /// The calling thread goes on after a volatile read.
  void settle_volatile_read();
  /// The same outside the memory that CUDA gave out; false when no operation can use it.
  bool note_known_access(address code, address where, std::size_t bytes, trace::access_mode mode) {
    host_thread* const thread = host_threads::self();
    return thread == nullptr || log_.note_host_access(*thread, code, where, bytes, mode);
  }
  /// The calling thread compares and exchanges: what it read there before was the first part of the update.
  void join_update(address where, std::size_t bytes, const void* expected) {
    if (host_threads::self() != nullptr) log_.join_update(*host_threads::self(), where, bytes, expected);
  }
  /// Whether there is or was another thread or a host function that may touch the same plain memory.
  bool is_shared() const { return is_shared_; }
  /// Of an access to an address without memory: a sentence, when a null pointer gives that, or when it is right behind named memory
  /// of the host; else "".
  std::string sentence_of_refused_access(address where) const;
  /// The program frees, with free() or the like, what CUDA allocated: that ends the run.
  [[noreturn]] void end_by_free(address code, address memory);
  /// The program frees plain memory, there in its code, that others may still use: true when it is kept from the C library, so
  /// that a use of it is found. To free what is kept already ends the run.
  bool keep_freed_memory(address code, address begin, std::size_t bytes);
  /// Memory to be freed now, because too much is kept; 0: none. For one call of keep_freed_memory() there may be several.
  address take_surplus_of_freed_memory() { return freed_.take_surplus().value_or(0); }
  /// Host code touched memory that CUDA did not give out; for programs whose memory is shared. To touch what is freed ends the run.
  void note_plain_access(address code, address where, std::size_t bytes, kernels::touch_kind kind);
  /// The program frees plain memory, there in its code. To free what is registered is a misuse.
  void note_freed_plain_memory(address code, address begin, std::size_t bytes);
  /// Plain memory is given back: what others do there later is not about the same data.
  void forget_plain_memory(address begin, std::size_t bytes) {
    log_.forget_names(begin, bytes);
    memory_.forget_pageable(begin, bytes);
    if (is_shared_) conflicts_.forget(begin, bytes);
  }
  [[noreturn]] void end_by_device_function(const char* function) override;
  [[noreturn]] void fatal(std::string_view kind, const std::string& sentence) override;

  const run_settings& settings() const { return settings_; }
  kernels::memory& memory() { return memory_; }
  recording_log& log() { return log_; }
  named_ranges& ranges() { return ranges_; }
  device_table& devices() { return devices_; }
  function_attributes& functions() { return functions_; }
  managed_memory& managed() { return managed_; }
  kernel_outputs& output() { return output_; }
  error_state& errors() { return errors_; }
  capture_table& captures() { return captures_; }
  graph_table& graphs() { return graphs_; }
  event_table& events() { return events_; }
  pool_table& pools() { return pools_; }
  called_kernels& called() { return called_; }
  work_queue& work() { return work_; }
  stream_table& streams() { return work_.streams(); }
  host_threads& threads() { return threads_; }
  host_clock& clock() { return clock_; }
  host_functions& in_streams() { return host_functions_; }

  /// The device that is current for the calling host thread.
  std::uint32_t current_device() const { return threads_.current().device; }
  /// Device memory that is not free: what is allocated, and what pools keep.
  std::size_t device_bytes_in_use(std::uint32_t device) const {
    return memory_.device_bytes_in_use(device) + pools_.reserved_on(device);
  }
  /// Makes a variable of the program; `code` is the place of its definition.
  void* add_variable(const char* name, const void* initial, std::size_t bytes, trace::memory_kind kind,
                     address code);

  /// Begins a thread of the program; begin_thread() and end_thread() are called on it.
  host_thread& add_thread();
  /// Called first on the new system thread: makes it that thread, and returns when it is its turn.
  void begin_thread(host_thread& thread);
  /// Called last on a thread of the program: who joins it comes after all that it did.
  void end_thread();
  /// Whatever the calling thread did so far comes before what a thread does that later acquires the same object.
  void release(const void* object) {
    settle_volatile_read();
    order_.release(threads_.current(), object);
  }
  /// What the calling thread does from now on comes after what was released with that object.
  void acquire(const void* object) { order_.acquire(threads_.current(), object); }
  /// The same for all that a thread did which has ended.
  void acquire_end(const host_thread& ended) {
    order_.acquire_end(threads_.current(), ended, log_.current_location());
  }
  /// The object passes on nothing any more.
  void forget(const void* object) { order_.forget(object); }
  /// The calling thread notifies that condition variable: of a wait without an end, that is reported.
  void note_notification(const void* condition);
  /// Under the schedules other than the plain one: the calling thread is interrupted, and others go first. So two steps that belong
  /// together, and can be parted, are found.
  void interrupt();
  /// Whether the calling thread's wait for that condition variable, which begins, is to end without a notification, as each such wait may:
  /// under one of the schedules, unless the thread waits again after such an end. Under the others a notification that comes
  /// before the wait stays lost.
  bool returns_early(const void* condition, const void* mutex);
  /// The calling thread unlocks that mutex. When its last wait ended without a notification and nothing can have changed since, it
  /// has not looked again at what it waited for: that is noted.
  void note_unlock(const void* mutex);
  /// As release(), for an object that several threads release together: what others released stays.
  void release_beside_others(const void* object) {
    settle_volatile_read();
    order_.release_beside_others(threads_.current(), object);
  }

 private:
  runtime();
  ~runtime() override = default;
  void forget_stack();
  void note_where_threads_stand();
  void note_running_kernel();
  void note_last_notifications();
  void note_early_return(const host_thread::early_return& wait);

  /// Who notified a condition variable last.
  struct notifier {
    const host_thread* by = nullptr;        ///< nullptr: nobody so far
    trace::operation_id host_function = 0;  ///< 0: a thread did
    host_thread::notification notification;
  };
  /// nullptr: it is no condition variable, or nobody has notified it.
  const notifier* last_notifier_of(const void* condition) const;
  void note_kernels_not_launched();
  void note_lost_output();
  void note_live_graphs();
  void check_host_access(address code, address where, std::size_t bytes, trace::access_mode mode);
  [[noreturn]] void end_by_use_of_freed_memory(address code, const kernels::freed_memory::origin& freed,
                                               const char* use);
  [[noreturn]] void end_by_host_access(address code, const kernels::memory_block* block,
                                       trace::access_mode mode);

  static runtime* begun_;

  const run_settings settings_;
  kernels::memory memory_;
  recording_log log_{memory_};
  named_ranges ranges_;
  device_table devices_{settings_.gpu, settings_.devices};
  function_attributes functions_{settings_.gpu};
  managed_memory managed_{settings_.gpu, memory_, log_};
  kernel_outputs output_;
  error_state errors_;
  capture_table captures_;
  graph_table graphs_;
  event_table events_;
  pool_table pools_;
  called_kernels called_;
  host_order order_;
  work_queue work_;
  host_threads threads_;
  kernels::conflict_log conflicts_;
  std::unordered_map<const void*, notifier>
      notifications_;  // by condition variable for which somebody has waited, or that was notified
  kernels::freed_memory freed_;
  const host_thread* noted_thread_ = nullptr;  // whose position conflicts_ has
  bool is_shared_ = false;
  bool is_ending_ = false;  // by fatal()
  bool is_stuck_ = false;   // no host thread can go on
  bool may_step_ = true;    // then: what is queued is done
  host_clock clock_;
  host_functions host_functions_;
};

}  // namespace cuda_runtime

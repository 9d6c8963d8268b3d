// recording_log.h: the recording as it grows: calls and operations, diagnostics, what host code touched.
//
//     log.note(trace::diagnostic_kind::refused, "the stream has been destroyed", call, where);
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cuda_runtime/host_threads.h"
#include "cuda_runtime/memory_names.h"
#include "kernels/access_log.h"
#include "kernels/conflict_log.h"
#include "kernels/memory.h"
#include "trace/recording.h"

namespace cuda_runtime {

/// Collects what the run leaves behind.
class recording_log {
 public:
  explicit recording_log(const kernels::memory& memory);

  /// Streams, events, allocations and host accesses are filled in by take().
  trace::recording& recording() { return recording_; }
  trace::host_call& call(trace::call_id id) { return recording_.calls[id - 1]; }
  trace::operation& operation(trace::operation_id id) { return recording_.operations[id - 1]; }
  const trace::operation& operation(trace::operation_id id) const { return recording_.operations[id - 1]; }
  /// Where the call that issued the operation stands in the source.
  trace::location issued_at(trace::operation_id id) const {
    return recording_.call_at(operation(id).issued_by).where;
  }

  /// A place in the code: file 1 stands for addresses, until source lines are found for them. See call_paths.h.
  static trace::location code_location(kernels::address code) {
    return {1, static_cast<std::uint32_t>(code)};
  }

  /// The same with the calls around it, for code that the calling thread goes on with.
  trace::location call_location(kernels::address code) { return paths_.here(code); }
  /// The innermost code of the program that the calling thread is in, with the calls around it.
  trace::location current_location();

  /// Adds a diagnostic, on behalf of that call (0: none) at that place.
  void note(trace::diagnostic_kind kind, std::string message, trace::call_id call, trace::location where) {
    note({kind, std::move(message), call, where});
  }
  void note(trace::diagnostic diagnostic) { recording_.diagnostics.push_back(std::move(diagnostic)); }
  /// Adds where blocks of a kernel were, as long as that is not more than a picture can show.
  void note(const trace::residency& blocks);
  /// Adds a diagnostic about an operation, at the call that issued it.
  void note(trace::diagnostic_kind kind, std::string message, trace::operation_id id) {
    note(kind, std::move(message), operation(id).issued_by, issued_at(id));
  }

  /// Code of that thread touched memory that it may touch; false when no operation can use it.
  bool note_host_access(host_thread& thread, kernels::address code, kernels::address where, std::size_t bytes,
                        trace::access_mode mode) {
    if (noting_ != &thread) {  // another one runs, which may be in the middle of a loop that polls
      write_out();
      noting_ = &thread;
    }
    return host_log_.note(code, where, bytes, mode);
  }
  /// Short way of note_host_access() for code that accessed the same pinned memory lately. False: that has to.
  bool note_again(const host_thread& thread, kernels::address code, kernels::address where, std::size_t bytes,
                  trace::access_mode mode) {
    return noting_ == &thread && host_log_.note_again(code, where, bytes, mode);
  }
  /// See kernels::host_log.
  void join_update(const host_thread& thread, kernels::address where, std::size_t bytes,
                   const void* expected) {
    if (noting_ == &thread) host_log_.join_update(where, bytes, expected);
  }
  /// What the thread touched so far is in order before what it does next.
  void flush_host_accesses(host_thread& thread);
  /// What host code touched, as far as it was flushed.
  const std::vector<trace::host_access>& host_accesses() const { return host_accesses_; }

  void note_allocation(trace::allocation_id id, trace::call_id by) { allocation_calls_[id].first = by; }
  void note_release(trace::allocation_id id, trace::call_id by) { allocation_calls_[id].second = by; }
  /// Where that memory was allocated; nowhere for 0 and for what no call allocated.
  trace::location allocated_at(trace::allocation_id id) const;
  /// Of memory that was used too early or too late: where it was allocated, or where it was freed. Nowhere for 0.
  trace::location end_of_life(trace::diagnostic_kind kind, trace::allocation_id id) const;
  /// A name for reports; the memory may be allocated later.
  void name_memory(const void* where, std::string_view name) {
    const kernels::address begin = kernels::address_of(where);
    const kernels::memory_block* const block = memory_.find(begin);
    memory_names_.add(begin, name, block != nullptr ? block->id : 0, memory_.blocks());
  }
  /// The name of the memory; "" when it has none.
  std::string name_of(const kernels::memory_block& block) const {
    return block.name.empty() ? memory_names_.of(block.id, block.begin, block.end()) : block.name;
  }
  /// Host memory is given back: what is there later has other names.
  void forget_names(kernels::address begin, std::size_t bytes) {
    memory_names_.forget(begin, bytes, memory_.blocks());
  }

  /// The whole recording, with what was found in plain memory that threads and host functions share; the log is of no
  /// use afterwards.
  trace::recording take(const kernels::conflict_log& conflicts);

 private:
  void write_out();
  void add(const kernels::conflict_log& conflicts);

  const kernels::memory& memory_;
  trace::recording recording_;
  bool has_too_many_residencies_ = false;
  kernels::call_paths paths_;
  kernels::host_log host_log_;
  host_thread* noting_ = nullptr;  // whose accesses are in it
  std::vector<trace::host_access> host_accesses_;
  std::unordered_map<trace::allocation_id, std::pair<trace::call_id, trace::call_id>> allocation_calls_;
  memory_names memory_names_;
};

}  // namespace cuda_runtime

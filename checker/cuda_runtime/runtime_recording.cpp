// What becomes of a run: its recording, and the host's accesses in it.
#include <algorithm>
#include <cmath>
#include <utility>

#include "cuda_runtime/runtime.h"

namespace cuda_runtime {

using trace::operation_id;

void runtime::flush_host_accesses() {
  host_thread& thread = threads_->current();
  if (thread.host_function == 0) {
    const std::size_t before = host_accesses_.size();
    host_log_.flush(thread.id, thread.open_call, host_accesses_);
    if (host_accesses_.size() > before && std::exchange(thread.has_released, false)) ++thread.step;
    for (std::size_t i = before; i < host_accesses_.size(); ++i) host_accesses_[i].step = thread.step;
    return;
  }
  // What a host function touches belongs to its operation.
  std::vector<trace::host_access> touched;
  host_log_.flush(thread.id, thread.open_call, touched);
  for (trace::host_access& each : touched) {
    recording_.operations[thread.host_function - 1].accesses->push_back(std::move(each.access));
  }
}

void runtime::mark(std::string_view name) {
  flush_host_accesses();
  recording_.marks.push_back({std::string(name), now(), static_cast<trace::call_id>(recording_.calls.size()),
                              static_cast<operation_id>(recording_.operations.size())});
}

void runtime::name_stream(const void* handle, std::string_view name) {
  streams_->name(static_cast<cudaStream_t>(const_cast<void*>(handle)), name);
}

void runtime::name_memory(const void* where, std::string_view name) {
  memory_names_[reinterpret_cast<address>(where)] = name;
}

trace::recording runtime::finish() {
  flush_host_accesses();
  // Threads that the program left running go on only as far as the devices need them.
  threads_->wait([this] { return !schedule_->next_time() && has_idle_drivers(); });
  for (const auto& [thread, pending] : pending_kernels_) {
    for (const kernel_image& each : pending) {
      note(trace::diagnostic_kind::kernel_not_launched,
           std::string("kernel ") + each.name +
               " was called like a function; launch it with <<<blocks, threads>>>",
           0, {});
    }
  }
  for (const auto& [device, output] : output_) {
    if (!output.is_empty()) {
      note(trace::diagnostic_kind::output_not_shown,
           "kernels printed something that was never shown: printf in a kernel appears when the host "
           "synchronizes",
           0, {});
    }
    if (output.lost() > 0) {
      note(trace::diagnostic_kind::output_lost,
           std::to_string(output.lost()) +
               " calls of printf in kernels were lost: the device's buffer keeps the latest",
           0, {});
    }
  }
  for (const operation_id id : waiting_kernels_) {
    const trace::operation& kernel = recording_.operations[id - 1];
    note(trace::diagnostic_kind::never_ended,
         "kernel " + kernel.name + " polls memory that nothing changes: it never ends", kernel.issued_by,
         recording_.call_at(kernel.issued_by).where);
  }
  for (const auto& [where, all] : standstills_) {
    const char* const other_side = all.route == device::copy_route::device_to_host ? "device" : "host";
    note(trace::diagnostic_kind::managed_memory_moved,
         where.second + " stood still for " + std::to_string(std::llround(all.ns / 1000)) + " us, while " +
             std::to_string(all.moved.pages) + " pages (" + std::to_string(all.moved.bytes) +
             " bytes) of managed memory came from the " + other_side +
             (shares_managed_memory() ? "; cudaMemPrefetchAsync moves them ahead of time" : ""),
         0, {1, where.first});
  }
  for (trace::allocation_id id = 1; id <= memory_.blocks(); ++id) {
    const memory_block& block = memory_.block(id);
    const auto [allocated_by, freed_by] = allocation_calls_[id];
    const trace::memory_kind kind = block.was_registered ? trace::memory_kind::pinned : block.kind;
    const auto named = memory_names_.lower_bound(block.begin);
    const bool has_name = block.name.empty() && named != memory_names_.end() && named->first < block.end();
    recording_.allocations.push_back({id, kind, block.device, block.bytes, allocated_by, freed_by,
                                      has_name ? named->second : block.name, block.declared});
  }
  recording_.streams.assign(streams_->all().begin(), streams_->all().end());
  recording_.events.assign(events_.all().begin(), events_.all().end());
  recording_.host_accesses = std::move(host_accesses_);
  recording_.end = std::max(recording_.end, now());
  return std::move(recording_);
}

/// @see CUDA Programming Guide, "Unified Memory", devices without concurrent managed access
bool runtime::may_host_use(const memory_block& managed) const {
  if (shares_managed_memory() || managed.attached == attachment::host) return true;
  return managed.attached == attachment::everyone ? active_streams_.empty()
                                                  : active_streams_.count(managed.attached_stream) == 0;
}

/// Whoever touched these pages has to wait for them; the recording tells where that was and what it came to.
double runtime::stand_still(const std::string& who, trace::location at, device::copy_route route,
                            const device::moved_pages& moved) {
  if (moved.pages == 0) return 0;
  const double ns = device::fault_ns(gpu_, route, moved);
  standstill& all = standstills_[{at.line, who}];
  all.route = route;
  all.moved.pages += moved.pages;
  all.moved.bytes += moved.bytes;
  all.ns += ns;
  return ns;
}

/// The host touches managed memory: pages that are on a device come, and the thread's clock goes on
/// meanwhile. What happens on devices catches up at the next call, as with all host code.
void runtime::stand_still_for(const memory_block& managed, address where, std::size_t bytes, address code) {
  const device::moved_pages moved =
      move_to(on_host, memory_.block(managed.id), where, std::min<std::size_t>(bytes, managed.end() - where));
  threads_->current().now += nanoseconds(
      std::llround(stand_still("host code", code_location(code), device::copy_route::device_to_host, moved)));
}

void runtime::note_host_access(address code, address where, std::size_t bytes, trace::access_mode mode) {
  if (bytes == 0 || host_threads::self() == nullptr) return;
  if (!kernels::memory::is_in_arena(where)) {
    if (memory_.may_be_host_range(where)) host_log_.note(code, where, bytes, mode);
    return;
  }
  const memory_block* const block = memory_.find_in_arena(where);
  const char* const verb = mode == trace::access_mode::read ? "read" : "wrote";
  std::string sentence;
  trace::diagnostic_kind kind = trace::diagnostic_kind::host_memory_fault;
  if (block == nullptr) {
    sentence = std::string("host code ") + verb + " beyond the end of memory that CUDA gave out.";
  } else if (block->kind == trace::memory_kind::device && !block->name.empty()) {
    kind = trace::diagnostic_kind::host_used_device_variable;
    sentence = std::string("host code ") + verb + " the device variable " + block->name +
               " by its name; use cudaMemcpyToSymbol and cudaMemcpyFromSymbol.";
  } else if (block->kind == trace::memory_kind::device) {
    sentence = std::string("host code ") + verb + " device memory; only kernels and copies may.";
  } else if (block->is_freed) {
    sentence = std::string("host code ") + verb + " memory after it was freed.";
  } else if (block->kind == trace::memory_kind::managed && !may_host_use(*block)) {
    kind = trace::diagnostic_kind::host_used_managed_memory_of_busy_device;
    sentence = std::string("host code ") + verb +
               " managed memory while this device may use it: before compute capability 6.0 the host has to "
               "synchronize "
               "first.";
  } else {
    if (block->kind == trace::memory_kind::managed) stand_still_for(*block, where, bytes, code);
    return host_log_.note(code, where, bytes, mode);
  }
  note(kind, sentence, open_call(), code_location(code));
  fatal("fault", sentence);
}

}  // namespace cuda_runtime

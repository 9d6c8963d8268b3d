#include "cuda_runtime/recording_log.h"

#include <utility>

namespace cuda_runtime {

void recording_log::flush_host_accesses(host_thread& thread) {
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
  for (trace::host_access& access : touched) {
    operation(thread.host_function).accesses->push_back(std::move(access.access));
  }
}

trace::recording recording_log::take() {
  for (trace::allocation_id id = 1; id <= memory_.blocks(); ++id) {
    const kernels::memory_block& block = memory_.block(id);
    const auto [allocated_by, freed_by] = allocation_calls_[id];
    const trace::memory_kind kind = block.was_registered ? trace::memory_kind::pinned : block.kind;
    const auto named = memory_names_.lower_bound(block.begin);
    const bool has_name = block.name.empty() && named != memory_names_.end() && named->first < block.end();
    recording_.allocations.push_back({id, kind, block.device, block.bytes, allocated_by, freed_by,
                                      has_name ? named->second : block.name, block.declared});
  }
  recording_.host_accesses = std::move(host_accesses_);
  return std::move(recording_);
}

}  // namespace cuda_runtime

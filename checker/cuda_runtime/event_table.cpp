#include "cuda_runtime/event_table.h"

namespace cuda_runtime {

void event_table::create(cudaEvent_t* variable, std::uint32_t device, bool has_timing, trace::call_id by) {
  trace::event added;
  added.id = static_cast<trace::event_id>(all_.size() + 1);
  added.device = device;
  added.has_timing = has_timing;
  added.created_by = by;
  all_.push_back(added);
  cudaEvent_t const handle = &objects_.emplace_back(CUevent_st{added.id});
  handles_[handle] = added.id;
  const trace::event* const before = find(variables_.put(handle, variable));
  if (before != nullptr && before->overwritten_by == 0) all_[before->id - 1].overwritten_by = by;
}

const trace::event* event_table::find(cudaEvent_t handle) const {
  const auto found = handles_.find(handle);
  if (found == handles_.end()) return nullptr;
  const trace::event& known = all_[found->second - 1];
  return known.destroyed_by == 0 ? &known : nullptr;
}

const trace::event* event_table::find_destroyed(cudaEvent_t handle) const {
  const auto found = handles_.find(handle);
  if (found == handles_.end()) return nullptr;
  const trace::event& known = all_[found->second - 1];
  return known.destroyed_by != 0 ? &known : nullptr;
}

std::vector<cudaEvent_t> event_table::live_on(std::uint32_t device) const {
  std::vector<cudaEvent_t> result;
  for (const CUevent_st& object : objects_) {
    const trace::event& event = all_[object.id - 1];
    if (event.device == device && event.destroyed_by == 0) result.push_back(const_cast<cudaEvent_t>(&object));
  }
  return result;
}

trace::operation_id event_table::last_record(trace::event_id id) const {
  const auto found = records_.find(id);
  return found == records_.end() ? 0 : found->second;
}

}  // namespace cuda_runtime

#include "cuda_runtime/stream_table.h"

namespace cuda_runtime {

trace::stream_id stream_table::add(std::uint32_t device, trace::stream_kind kind,
                                   trace::stream_blocking blocking, int priority, trace::call_id by) {
  trace::stream added;
  added.id = static_cast<trace::stream_id>(all_.size() + 1);
  added.device = device;
  added.kind = kind;
  added.blocking = blocking;
  added.priority = priority;
  added.created_by = by;
  all_.push_back(added);
  schedule_.add_stream(added);
  return added.id;
}

void stream_table::add_legacy_default(std::uint32_t device) {
  add(device, trace::stream_kind::legacy_default, trace::stream_blocking::blocking, 0, 0);
}

void stream_table::create(cudaStream_t* variable, std::uint32_t device, trace::stream_blocking blocking,
                          int priority, trace::call_id by) {
  const trace::stream_id id = add(device, trace::stream_kind::created, blocking, priority, by);
  cudaStream_t const handle = &objects_.emplace_back(CUstream_st{id});
  handles_[handle] = id;
  cudaStream_t const before = variables_.put(handle, variable);
  if (before == nullptr) return;
  trace::stream& known = all_[handles_.at(before) - 1];
  if (known.destroyed_by == 0 && known.overwritten_by == 0) known.overwritten_by = by;
}

const trace::stream* stream_table::find(cudaStream_t handle, std::uint32_t device, null_stream null,
                                        trace::thread_id thread) {
  if (handle == nullptr)
    handle = null == null_stream::legacy_default ? cudaStreamLegacy : cudaStreamPerThread;
  if (handle == cudaStreamLegacy) return &all_[device];  // made first, one a device
  if (handle == cudaStreamPerThread) {
    trace::stream_id& id = per_thread_[{thread, device}];
    if (id == 0)
      id = add(device, trace::stream_kind::per_thread_default, trace::stream_blocking::blocking, 0, 0);
    return &at(id);
  }
  const auto found = handles_.find(handle);
  if (found == handles_.end()) return nullptr;
  const trace::stream& known = at(found->second);
  return known.destroyed_by == 0 ? &known : nullptr;
}

const trace::stream* stream_table::find_destroyed(cudaStream_t handle) const {
  const auto found = handles_.find(handle);
  if (found == handles_.end()) return nullptr;
  const trace::stream& known = at(found->second);
  return known.destroyed_by != 0 ? &known : nullptr;
}

void stream_table::destroy(cudaStream_t handle, trace::call_id by) {
  all_.at(handle->id - 1).destroyed_by = by;
  schedule_.destroy_stream(handle->id, by);
}

std::vector<cudaStream_t> stream_table::created_on(std::uint32_t device) const {
  std::vector<cudaStream_t> result;
  for (const CUstream_st& object : objects_) {
    const trace::stream& stream = at(object.id);
    if (stream.device == device && stream.destroyed_by == 0)
      result.push_back(const_cast<cudaStream_t>(&object));
  }
  return result;
}

void stream_table::name(cudaStream_t handle, std::string_view name) {
  const auto found = handles_.find(handle);
  if (found != handles_.end()) all_[found->second - 1].name = name;
}

}  // namespace cuda_runtime

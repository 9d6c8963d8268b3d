// Copies and memsets, with their different ways of blocking the host.
#include <algorithm>
#include <cmath>

#include "virtual_gpu/api_call.h"
#include "virtual_gpu/exported.h"

using trace::memory_kind;
using trace::operation_kind;
using virtual_gpu::address;
using virtual_gpu::api_call;
using virtual_gpu::memory_block;

namespace {

/// No object is larger than what a process can address; a negative size arrives as more.
constexpr std::size_t most_bytes = std::size_t{1} << 47;

enum class form { synchronous, asynchronous };

/// One side of a copy, as its pointer tells.
struct side {
  address begin = 0;
  memory_kind kind = memory_kind::pageable;
  bool is_valid = true;  ///< all its bytes lie in one block, if it is memory that CUDA knows
};

side side_of(api_call& call, const void* pointer, std::size_t bytes) {
  side result{reinterpret_cast<address>(pointer), memory_kind::pageable, true};
  const memory_block* const block = call.run().memory().find(result.begin);
  if (block != nullptr && block->kind != memory_kind::pageable) {
    result.kind = block->kind;
    result.is_valid = result.begin + bytes <= block->end();
  } else if (virtual_gpu::memory::is_in_arena(result.begin)) {
    result.is_valid = false;  // freed, or never given out
  }
  return result;
}

device::copy_route route_of(memory_kind source, memory_kind destination) {
  const bool from_device = source == memory_kind::device;
  const bool to_device = destination == memory_kind::device;
  if (from_device) return to_device ? device::copy_route::device_to_device : device::copy_route::device_to_host;
  return to_device ? device::copy_route::host_to_device : device::copy_route::host_to_host;
}

trace::nanoseconds time_at(double gigabytes_per_second, double bytes) {
  return trace::nanoseconds(std::llround(bytes / gigabytes_per_second));
}

/// Enqueues a copy and lets the host wait as long as this kind of copy makes it wait.
/// @see https://docs.nvidia.com/cuda/cuda-runtime-api/api-sync-behavior.html
void copy(api_call& call, const trace::stream& stream, const side& destination, const side& source, std::size_t bytes,
          form how) {
  virtual_gpu::runtime& run = call.run();
  const device::profile& gpu = run.gpu();
  for (const side* each : {&destination, &source}) {
    if (each->kind == memory_kind::pageable) run.memory().use_pageable(each->begin, bytes);
  }

  device::request what;
  what.kind = operation_kind::copy;
  what.stream = stream.id;
  what.bytes = bytes;
  what.route = route_of(source.kind, destination.kind);
  trace::operation described;
  described.source = source.kind;
  described.destination = destination.kind;
  virtual_gpu::payload needs;
  needs.destination = destination.begin;
  needs.source = source.begin;
  needs.bytes = bytes;

  const bool is_staged_in = what.route == device::copy_route::host_to_device && source.kind == memory_kind::pageable;
  const bool is_staged_out = what.route == device::copy_route::device_to_host && destination.kind == memory_kind::pageable;
  const bool is_late = how == form::asynchronous && run.pageable() == virtual_gpu::pageable_policy::late;

  if (is_staged_in && !is_late) {
    // A synchronous copy waits for its stream before it stages; an asynchronous one fills the staging buffer at once.
    if (how == form::synchronous) run.wait_for_stream(stream);
    const double first = std::min(static_cast<double>(bytes), gpu.staging_buffer);
    run.spend(trace::nanoseconds(std::llround(gpu.pageable_latency)) + time_at(gpu.pageable_h2d_bandwidth, first));
    needs.read_source();
    what.staged_bytes = bytes - static_cast<std::size_t>(first);
    if (what.staged_bytes > 0) what.host_bandwidth = gpu.pageable_h2d_bandwidth;
    const trace::operation_id id = run.issue(what, described, std::move(needs));
    if (what.staged_bytes > 0) run.wait_until_staged(id);
    return;
  }
  if (is_staged_in || is_staged_out) {
    what.host_bandwidth = is_staged_in ? gpu.pageable_h2d_bandwidth : gpu.pageable_d2h_bandwidth;
  }
  const trace::operation_id id = run.issue(what, described, std::move(needs));
  const bool waits = what.route == device::copy_route::host_to_host ||
                     (is_staged_out && !is_late) ||
                     (how == form::synchronous && what.route != device::copy_route::device_to_device);
  if (waits) run.wait_for(id);
}

cudaError_t checked_copy(api_call& call, void* dst, const void* src, std::size_t count, cudaMemcpyKind kind,
                         cudaStream_t handle, form how) {
  const trace::stream* const stream = call.stream(handle);
  if (stream == nullptr) return call.done(cudaErrorInvalidResourceHandle);
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) return call.done(cudaErrorInvalidMemcpyDirection);
  if (count == 0) return call.done(cudaSuccess);
  if (dst == nullptr || src == nullptr || count > most_bytes) return call.done(cudaErrorInvalidValue);
  const side destination = side_of(call, dst, count);
  const side source = side_of(call, src, count);
  // Where the argument says device, pageable memory is refused; apart from that the pointers decide, as on an H200.
  const bool says_source_on_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  const bool says_destination_on_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  if (!destination.is_valid || !source.is_valid ||
      (says_source_on_device && source.kind == memory_kind::pageable) ||
      (says_destination_on_device && destination.kind == memory_kind::pageable)) {
    return call.done(cudaErrorInvalidValue);
  }
  if (call.run().sticky_error() == cudaSuccess) copy(call, *stream, destination, source, count, how);
  return call.done(cudaSuccess);
}

cudaError_t checked_memset(api_call& call, void* pointer, int value, std::size_t count, cudaStream_t handle, form how) {
  const trace::stream* const stream = call.stream(handle);
  if (stream == nullptr) return call.done(cudaErrorInvalidResourceHandle);
  if (count == 0) return call.done(cudaSuccess);
  if (count > most_bytes) return call.done(cudaErrorInvalidValue);
  const side destination = side_of(call, pointer, count);
  if (!destination.is_valid || destination.kind == memory_kind::pageable) return call.done(cudaErrorInvalidValue);
  if (call.run().sticky_error() != cudaSuccess) return call.done(cudaSuccess);
  device::request what;
  what.kind = operation_kind::memset;
  what.stream = stream->id;
  what.bytes = count;
  trace::operation described;
  described.destination = destination.kind;
  virtual_gpu::payload needs;
  needs.destination = destination.begin;
  needs.bytes = count;
  needs.value = value;
  const trace::operation_id id = call.run().issue(what, described, std::move(needs));
  if (how == form::synchronous && destination.kind == memory_kind::pinned) call.run().wait_for(id);
  return call.done(cudaSuccess);
}

}  // namespace

extern "C" {

EXPORTED cudaError_t cudaMemcpy(void* dst, const void* src, size_t count, cudaMemcpyKind kind) {
  api_call call("cudaMemcpy", __builtin_return_address(0));
  if (!call.is_permitted()) return call.done(cudaErrorNotPermitted);
  return checked_copy(call, dst, src, count, kind, nullptr, form::synchronous);
}

EXPORTED cudaError_t cudaMemcpyAsync(void* dst, const void* src, size_t count, cudaMemcpyKind kind, cudaStream_t stream) {
  api_call call("cudaMemcpyAsync", __builtin_return_address(0));
  if (!call.is_permitted()) return call.done(cudaErrorNotPermitted);
  return checked_copy(call, dst, src, count, kind, stream, form::asynchronous);
}

EXPORTED cudaError_t cudaMemset(void* devPtr, int value, size_t count) {
  api_call call("cudaMemset", __builtin_return_address(0));
  if (!call.is_permitted()) return call.done(cudaErrorNotPermitted);
  return checked_memset(call, devPtr, value, count, nullptr, form::synchronous);
}

EXPORTED cudaError_t cudaMemsetAsync(void* devPtr, int value, size_t count, cudaStream_t stream) {
  api_call call("cudaMemsetAsync", __builtin_return_address(0));
  if (!call.is_permitted()) return call.done(cudaErrorNotPermitted);
  return checked_memset(call, devPtr, value, count, stream, form::asynchronous);
}

}  // extern "C"

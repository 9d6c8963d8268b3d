// Copies and memsets, with their different ways of blocking the host.
#include <algorithm>
#include <cmath>
#include <set>
#include <string>

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
  std::uint32_t device = 0;  ///< device memory: whose
  bool is_on_device() const { return kind == memory_kind::device; }
  std::string problem{};  ///< when they do not
};

const char* name_of(memory_kind kind) {
  switch (kind) {
    case memory_kind::pinned:
      return "pinned";
    case memory_kind::device:
      return "device";
    case memory_kind::managed:
      return "managed";
    case memory_kind::pageable:
      break;
  }
  return "pageable";
}

side side_of(api_call& call, const void* pointer, std::size_t bytes) {
  side result{.begin = reinterpret_cast<address>(pointer)};
  const memory_block* const block = call.run().memory().find(result.begin);
  if (block != nullptr && block->kind != memory_kind::pageable) {
    result.kind = block->kind;
    result.device = block->device;
    result.is_valid = result.begin + bytes <= block->end();
    if (!result.is_valid) {
      result.problem = "the " + std::to_string(bytes) + " bytes end " +
                       std::to_string(result.begin + bytes - block->end()) + " bytes beyond the end of the " +
                       name_of(block->kind) + " allocation of " + std::to_string(block->bytes) + " bytes";
    }
  } else if (virtual_gpu::memory::is_in_arena(result.begin)) {
    result.is_valid = false;
    const memory_block* const freed = call.run().memory().find_in_arena(result.begin);
    result.problem = freed != nullptr && freed->is_freed ? "the memory has been freed" : "no allocation holds the address";
  }
  return result;
}

bool is_between_devices(const side& source, const side& destination) {
  return source.is_on_device() && destination.is_on_device() && source.device != destination.device;
}

device::copy_route route_of(const virtual_gpu::runtime& run, const side& source, const side& destination) {
  if (is_between_devices(source, destination)) {
    const bool is_direct =
        run.may_reach(source.device, destination.device) || run.may_reach(destination.device, source.device);
    return is_direct ? device::copy_route::peer : device::copy_route::peer_staged;
  }
  if (source.is_on_device()) {
    return destination.is_on_device() ? device::copy_route::device_to_device : device::copy_route::device_to_host;
  }
  return destination.is_on_device() ? device::copy_route::host_to_device : device::copy_route::host_to_host;
}

/// The device whose default stream a synchronous copy uses: on an H200 it waited for the streams of the device that owns
/// the memory, whichever was current. Between two devices, that of the source.
std::uint32_t device_of_copy(const virtual_gpu::runtime& run, const side& source, const side& destination) {
  if (source.is_on_device()) return source.device;
  return destination.is_on_device() ? destination.device : run.current_device();
}

/// Lets all that follows in one stream wait for what is in another now, as an event does.
void order(virtual_gpu::runtime& run, const trace::stream& first, const trace::stream& second) {
  cudaEvent_t const event = run.create_event(first.device, false);
  device::request record;
  record.kind = operation_kind::event_record;
  record.stream = first.id;
  record.has_timing = false;
  trace::operation described;
  described.event = event->id;
  device::request wait;
  wait.kind = operation_kind::event_wait;
  wait.stream = second.id;
  wait.captured = run.issue(record, described, {});
  run.issue(wait, described, {});
  run.destroy_event(event);
}

/// cudaSetDeviceFlags(cudaDeviceSyncMemops): no synchronous copy or memset returns before it is done.
bool always_synchronizes(virtual_gpu::runtime& run) {
  return (run.settings(run.current_device()).flags & cudaDeviceSyncMemops) != 0;
}

trace::nanoseconds time_at(double gigabytes_per_second, double bytes) {
  return trace::nanoseconds(std::llround(bytes / gigabytes_per_second));
}

/// Enqueues a copy and lets the host wait as long as this kind of copy makes it wait.
/// @see https://docs.nvidia.com/cuda/cuda-runtime-api/api-sync-behavior.html
void copy(api_call& call, const trace::stream stream, const side& destination, const side& source, std::size_t bytes,
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
  what.route = route_of(run, source, destination);
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
  const bool stays_on_devices = source.is_on_device() && destination.is_on_device();
  const bool waits = what.route == device::copy_route::host_to_host || (is_staged_out && !is_late) ||
                     (how == form::synchronous && (!stays_on_devices || always_synchronizes(run)));
  if (waits) run.wait_for(id);
}

/// A synchronous copy between devices comes after all earlier, and before all later work of both and of the current one.
/// @see CUDA Runtime API, "cudaMemcpyPeer"
void copy_in_default_streams(api_call& call, const side& destination, const side& source, std::size_t bytes) {
  virtual_gpu::runtime& run = call.run();
  const std::uint32_t device = device_of_copy(run, source, destination);
  std::set<std::uint32_t> others;
  if (is_between_devices(source, destination)) others = {source.device, destination.device, run.current_device()};
  others.erase(device);
  for (const std::uint32_t other : others) {
    const trace::stream theirs = call.default_stream(other);
    order(run, theirs, call.default_stream(device));
  }
  copy(call, call.default_stream(device), destination, source, bytes, form::synchronous);
  const trace::operation_id issued = call.record().operation;
  for (const std::uint32_t other : others) {
    const trace::stream theirs = call.default_stream(other);
    order(run, call.default_stream(device), theirs);
  }
  call.record().operation = issued;
  call.default_stream(device);  // the one that the record names
}

cudaError_t checked_copy(api_call& call, void* dst, const void* src, std::size_t count, cudaMemcpyKind kind,
                         cudaStream_t handle, form how) {
  const trace::stream* const stream = call.stream(handle);
  if (stream == nullptr) return call.done(cudaErrorInvalidResourceHandle);
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) return call.done(cudaErrorInvalidMemcpyDirection);
  if (count == 0) return call.done(cudaSuccess);
  if (dst == nullptr || src == nullptr || count > most_bytes) {
    call.explain(dst == nullptr   ? "the destination is a null pointer"
                 : src == nullptr ? "the source is a null pointer"
                                  : "the size is larger than any memory; was it negative?");
    return call.done(cudaErrorInvalidValue);
  }
  const side destination = side_of(call, dst, count);
  const side source = side_of(call, src, count);
  // Where the argument says device, pageable memory is refused; apart from that the pointers decide, as on an H200.
  const bool says_source_on_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  const bool says_destination_on_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  if (!destination.is_valid || !source.is_valid) {
    call.explain(destination.is_valid ? "source: " + source.problem : "destination: " + destination.problem);
    return call.done(cudaErrorInvalidValue);
  }
  if (says_source_on_device && source.kind == memory_kind::pageable) {
    call.explain("the direction says that the source is on the device, but it is pageable host memory");
    return call.done(cudaErrorInvalidValue);
  }
  if (says_destination_on_device && destination.kind == memory_kind::pageable) {
    call.explain("the direction says that the destination is on the device, but it is pageable host memory");
    return call.done(cudaErrorInvalidValue);
  }
  if (call.run().sticky_error() != cudaSuccess) return call.done(cudaSuccess);
  if (how == form::synchronous) {
    copy_in_default_streams(call, destination, source, count);
  } else {
    copy(call, *stream, destination, source, count, how);
  }
  return call.done(cudaSuccess);
}

cudaError_t checked_memset(api_call& call, void* pointer, int value, std::size_t count, cudaStream_t handle, form how) {
  const trace::stream* const stream = call.stream(handle);
  if (stream == nullptr) return call.done(cudaErrorInvalidResourceHandle);
  if (count == 0) return call.done(cudaSuccess);
  if (count > most_bytes) return call.done(cudaErrorInvalidValue);
  const side destination = side_of(call, pointer, count);
  if (!destination.is_valid || destination.kind == memory_kind::pageable) {
    call.explain(destination.is_valid ? "the destination is pageable host memory" : "destination: " + destination.problem);
    return call.done(cudaErrorInvalidValue);
  }
  if (destination.is_on_device() && !call.run().may_reach(stream->device, destination.device)) {
    return call.done(cudaErrorInvalidValue);
  }
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
  const bool waits = how == form::synchronous && (!destination.is_on_device() || always_synchronizes(call.run()));
  if (waits || call.run().launches_block()) call.run().wait_for(id);
  return call.done(cudaSuccess);
}

/// The pointers say on which devices the memory is; the arguments that say it too must name devices.
cudaError_t checked_peer_copy(api_call& call, void* dst, int to, const void* src, int from, std::size_t count,
                              cudaStream_t handle, form how) {
  const int devices = static_cast<int>(call.run().device_count());
  for (const int device : {to, from}) {
    if (device < 0 || device >= devices) return call.done(cudaErrorInvalidDevice);
  }
  return checked_copy(call, dst, src, count, cudaMemcpyDeviceToDevice, handle, how);
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

EXPORTED cudaError_t cudaMemcpyPeer(void* dst, int dstDevice, const void* src, int srcDevice, size_t count) {
  api_call call("cudaMemcpyPeer", __builtin_return_address(0));
  if (!call.is_permitted()) return call.done(cudaErrorNotPermitted);
  return checked_peer_copy(call, dst, dstDevice, src, srcDevice, count, nullptr, form::synchronous);
}

EXPORTED cudaError_t cudaMemcpyPeerAsync(void* dst, int dstDevice, const void* src, int srcDevice, size_t count,
                                         cudaStream_t stream) {
  api_call call("cudaMemcpyPeerAsync", __builtin_return_address(0));
  if (!call.is_permitted()) return call.done(cudaErrorNotPermitted);
  return checked_peer_copy(call, dst, dstDevice, src, srcDevice, count, stream, form::asynchronous);
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

#include "virtual_gpu/copies.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>

namespace virtual_gpu {
namespace {

using trace::memory_kind;
using trace::operation_kind;

/// No object is larger than what a process can address; a negative size arrives as more.
constexpr std::size_t most_bytes = std::size_t{1} << 47;

/// One side of a copy, as its pointer tells.
struct side {
  memory_box box;
  memory_kind kind = memory_kind::pageable;
  bool is_valid = true;  ///< all its bytes lie in one block, if it is memory that CUDA knows
  bool is_on_device = false;
  std::uint32_t device = 0;  ///< device memory: whose
  std::string problem{};     ///< when they do not
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

bool is_too_large(const memory_box& box) {
  const std::size_t sides[] = {box.width, box.height, box.depth, box.pitch, box.slice_pitch};
  if (std::any_of(std::begin(sides), std::end(sides), [](std::size_t each) { return each > most_bytes; }))
    return true;
  const double span = static_cast<double>(box.depth - 1) * static_cast<double>(box.slice_pitch) +
                      static_cast<double>(box.height - 1) * static_cast<double>(box.pitch) +
                      static_cast<double>(box.width);
  return span > static_cast<double>(most_bytes);
}

/// `says_device`: the copy's kind calls this side device memory.
side side_of(api_call& call, const memory_box& box, bool says_device) {
  side result{.box = box};
  const memory_block* const block = call.run().memory().find_given_out(box.begin);
  if (block != nullptr && block->kind != memory_kind::pageable) {
    result.kind = block->kind;
    result.device = block->device;
    result.is_valid = box.begin + box.span_bytes() <= block->end();
    if (!result.is_valid) {
      result.problem = "the " + std::to_string(box.span_bytes()) + " bytes end " +
                       std::to_string(box.begin + box.span_bytes() - block->end()) +
                       " bytes beyond the end of the " + name_of(block->kind) + " allocation of " +
                       std::to_string(block->bytes) + " bytes";
    }
  } else if (memory::is_in_arena(box.begin)) {
    result.is_valid = false;
    const memory_block* const known = call.run().memory().find_in_arena(box.begin);
    result.problem = known != nullptr && (known->is_freed || known->is_given_back)
                         ? "the memory has been freed"
                         : "no allocation holds the address";
  }
  // The program has the device address of a variable only from cudaGetSymbolAddress; its name means something
  // else.
  if (block != nullptr && !block->name.empty() && !block->is_address_known &&
      block->kind == memory_kind::device) {
    result.is_valid = false;
    result.problem = "this is the name of the device variable " + block->name +
                     "; use cudaMemcpyToSymbol, cudaMemcpyFromSymbol or cudaGetSymbolAddress";
  }
  result.is_on_device =
      result.kind == memory_kind::device || (result.kind == memory_kind::managed && says_device);
  return result;
}

bool is_between_devices(const side& source, const side& destination) {
  return source.is_on_device && destination.is_on_device && source.device != destination.device;
}

device::copy_route route_of(const runtime& run, const side& source, const side& destination) {
  if (is_between_devices(source, destination)) {
    const bool is_direct =
        run.may_reach(source.device, destination.device) || run.may_reach(destination.device, source.device);
    return is_direct ? device::copy_route::peer : device::copy_route::peer_staged;
  }
  if (source.is_on_device) {
    return destination.is_on_device ? device::copy_route::device_to_device
                                    : device::copy_route::device_to_host;
  }
  return destination.is_on_device ? device::copy_route::host_to_device : device::copy_route::host_to_host;
}

/// The device whose default stream a synchronous copy uses: on an H200 it waited for the streams of the
/// device that owns the memory, whichever was current. Between two devices, that of the source.
std::uint32_t device_of_copy(const runtime& run, const side& source, const side& destination) {
  if (source.is_on_device) return source.device;
  return destination.is_on_device ? destination.device : run.current_device();
}

/// Lets all that follows in one stream wait for what is in another now, as an event does.
void order(runtime& run, const trace::stream& first, const trace::stream& second) {
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
bool always_synchronizes(runtime& run) {
  return (run.settings(run.current_device()).flags & cudaDeviceSyncMemops) != 0;
}

trace::nanoseconds time_at(double gigabytes_per_second, double bytes) {
  return trace::nanoseconds(std::llround(bytes / gigabytes_per_second));
}

/// Memory that the copy engines cannot reach by themselves. On an H200 managed memory on the host's side goes
/// the same way.
bool is_staged(const side& host) {
  return host.kind == memory_kind::pageable || host.kind == memory_kind::managed;
}

/// Enqueues a copy and lets the host wait as long as this kind of copy makes it wait.
void enqueue(api_call& call, const trace::stream stream, const side& destination, const side& source,
             copy_form how) {
  runtime& run = call.run();
  const device::profile& gpu = run.gpu();
  for (const side* each : {&destination, &source}) {
    if (each->kind == memory_kind::pageable)
      run.memory().use_pageable(each->box.begin, each->box.span_bytes());
  }

  const std::size_t bytes = source.box.bytes();
  device::request what;
  what.kind = operation_kind::copy;
  what.stream = stream.id;
  what.bytes = bytes;
  what.route = route_of(run, source, destination);
  trace::operation described;
  described.source = source.kind;
  described.destination = destination.kind;
  payload needs;
  needs.destination = destination.box;
  needs.source = source.box;

  const bool is_staged_in = what.route == device::copy_route::host_to_device && is_staged(source);
  const bool is_staged_out = what.route == device::copy_route::device_to_host && is_staged(destination);
  const bool is_late = how == copy_form::asynchronous && run.pageable() == pageable_policy::late;

  if (is_staged_in && !is_late) {
    // A synchronous copy, and one from managed memory, waits for its stream before it stages; an asynchronous
    // one fills the staging buffer at once.
    if (how == copy_form::synchronous || source.kind == memory_kind::managed) run.wait_for_stream(stream);
    const double first = std::min(static_cast<double>(bytes), gpu.staging_buffer);
    run.spend(trace::nanoseconds(std::llround(gpu.pageable_latency)) +
              time_at(gpu.pageable_h2d_bandwidth, first));
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
  if (what.route == device::copy_route::host_to_device && source.kind == memory_kind::pinned &&
      run.takes_source_at_call(bytes) && run.is_idle(stream)) {
    needs.read_source();
  }
  const trace::operation_id id = run.issue(what, described, std::move(needs));
  const bool stays_on_devices = source.is_on_device && destination.is_on_device;
  const bool waits = what.route == device::copy_route::host_to_host || (is_staged_out && !is_late) ||
                     (how == copy_form::synchronous && (!stays_on_devices || always_synchronizes(run)));
  if (waits) run.wait_for(id);
}

/// A synchronous copy between devices comes after all earlier, and before all later work of both and of the
/// current one.
/// @see CUDA Runtime API, "cudaMemcpyPeer"
void copy_in_default_streams(api_call& call, const side& destination, const side& source) {
  runtime& run = call.run();
  const std::uint32_t device = device_of_copy(run, source, destination);
  std::set<std::uint32_t> others;
  if (is_between_devices(source, destination))
    others = {source.device, destination.device, run.current_device()};
  others.erase(device);
  for (const std::uint32_t other : others) {
    const trace::stream theirs = call.default_stream(other);
    order(run, theirs, call.default_stream(device));
  }
  enqueue(call, call.default_stream(device), destination, source, copy_form::synchronous);
  const trace::operation_id issued = call.record().operation;
  for (const std::uint32_t other : others) {
    const trace::stream theirs = call.default_stream(other);
    order(run, call.default_stream(device), theirs);
  }
  call.record().operation = issued;
  call.default_stream(device);  // the one that the record names
}

}  // namespace

cudaError_t copy(api_call& call, const copy_request& what, cudaStream_t handle, copy_form how) {
  const trace::stream* const stream = call.stream(handle);
  if (stream == nullptr) return call.done(cudaErrorInvalidResourceHandle);
  if (what.kind < cudaMemcpyHostToHost || what.kind > cudaMemcpyDefault)
    return call.done(cudaErrorInvalidMemcpyDirection);
  if (what.source.width == 0 || what.source.height == 0 || what.source.depth == 0)
    return call.done(cudaSuccess);
  if (what.destination.begin == 0 || what.source.begin == 0 || is_too_large(what.source) ||
      is_too_large(what.destination)) {
    call.explain(what.destination.begin == 0 ? "the destination is a null pointer"
                 : what.source.begin == 0    ? "the source is a null pointer"
                                             : "the size is larger than any memory; was it negative?");
    return call.done(cudaErrorInvalidValue);
  }
  // Where the argument says device, pageable memory is refused; apart from that the pointers decide, as on an
  // H200. Which side managed memory is on, only the argument can say.
  const bool says_source_on_device =
      what.kind == cudaMemcpyDeviceToHost || what.kind == cudaMemcpyDeviceToDevice;
  const bool says_destination_on_device =
      what.kind == cudaMemcpyHostToDevice || what.kind == cudaMemcpyDeviceToDevice;
  const bool says_nothing = what.kind == cudaMemcpyDefault;
  const side destination = side_of(call, what.destination, says_destination_on_device || says_nothing);
  const side source = side_of(call, what.source, says_source_on_device || says_nothing);
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
  if (how == copy_form::synchronous) {
    copy_in_default_streams(call, destination, source);
  } else {
    enqueue(call, *stream, destination, source, how);
  }
  return call.done(cudaSuccess);
}

cudaError_t set_bytes(api_call& call, const memory_box& box, int value, cudaStream_t handle, copy_form how) {
  const trace::stream* const stream = call.stream(handle);
  if (stream == nullptr) return call.done(cudaErrorInvalidResourceHandle);
  if (box.width == 0 || box.height == 0 || box.depth == 0) return call.done(cudaSuccess);
  if (is_too_large(box)) return call.done(cudaErrorInvalidValue);
  const side destination = side_of(call, box, true);
  if (!destination.is_valid || destination.kind == memory_kind::pageable) {
    call.explain(destination.is_valid ? "the destination is pageable host memory"
                                      : "destination: " + destination.problem);
    return call.done(cudaErrorInvalidValue);
  }
  if (destination.kind == memory_kind::device && !call.run().may_reach(stream->device, destination.device)) {
    return call.done(cudaErrorInvalidValue);
  }
  if (call.run().sticky_error() != cudaSuccess) return call.done(cudaSuccess);
  device::request what;
  what.kind = operation_kind::memset;
  what.stream = stream->id;
  what.bytes = box.bytes();
  trace::operation described;
  described.destination = destination.kind;
  payload needs;
  needs.destination = box;
  needs.value = value;
  const trace::operation_id id = call.run().issue(what, described, std::move(needs));
  const bool waits = how == copy_form::synchronous &&
                     (destination.kind != memory_kind::device || always_synchronizes(call.run()));
  if (waits || call.run().launches_block()) call.run().wait_for(id);
  return call.done(cudaSuccess);
}

}  // namespace virtual_gpu

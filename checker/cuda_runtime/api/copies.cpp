#include "cuda_runtime/api/copies.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "cuda_runtime/capture.h"
#include "device/host_model.h"
#include "trace/wrong_copy_kind.h"

namespace cuda_runtime {
namespace {

using trace::memory_kind;
using trace::operation_kind;

/// No object is larger than what a process can address; a negative size arrives as more.
constexpr std::size_t max_bytes = std::size_t{1} << 47;

/// One side of a copy, as its pointer tells.
struct side {
  memory_box box;
  memory_kind kind = memory_kind::pageable;
  bool is_valid = true;  ///< all its bytes lie in one block, if it is memory that CUDA knows
  bool is_on_device = false;
  const memory_block* block = nullptr;  ///< device memory: that holds it
  std::uint32_t device = 0;             ///< device memory: whose
  std::string problem{};                ///< when they do not
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
  if (std::any_of(std::begin(sides), std::end(sides), [](std::size_t bytes) { return bytes > max_bytes; }))
    return true;
  const double span = static_cast<double>(box.depth - 1) * static_cast<double>(box.slice_pitch) +
                      static_cast<double>(box.height - 1) * static_cast<double>(box.pitch) +
                      static_cast<double>(box.width);
  return span > static_cast<double>(max_bytes);
}

constexpr std::size_t sizes_of_elements[] = {sizeof(float), sizeof(double)};

/// Why no allocation holds an address; `before`: what begins last before it, or nullptr.
std::string outside_of(const memory_block* before, kernels::address where) {
  if (before == nullptr || before->is_freed) return "no allocation holds the address";
  const std::size_t offset = where - before->begin;
  const std::string why = "no allocation holds the address, " + std::to_string(offset) +
                          " bytes behind the begin of " + name_of(before->kind) + " memory of " +
                          std::to_string(before->bytes) + " bytes";
  const bool may_count_bytes = std::any_of(
      std::begin(sizes_of_elements), std::end(sizes_of_elements),
      [&](std::size_t bytes) { return offset % (bytes * bytes) == 0 && offset / bytes < before->bytes; });
  return may_count_bytes ? why + " (what is added to a pointer counts elements, not bytes)" : why;
}

/// `says_device`: the copy's kind calls this side device memory.
side side_of(api_call& call, const memory_box& box, bool says_device) {
  side result{.box = box};
  const memory_block* const block = call.run().memory().find_for_work(box.begin);
  if (block != nullptr && block->kind != memory_kind::pageable) {
    result.kind = block->kind;
    result.block = block;
    result.device = block->device;
    result.is_valid = box.begin + box.span_bytes() <= block->end();
    if (!result.is_valid) {
      result.problem = "the " + std::to_string(box.span_bytes()) + " bytes end " +
                       std::to_string(box.begin + box.span_bytes() - block->end()) +
                       " bytes beyond the end of the " + name_of(block->kind) + " allocation of " +
                       std::to_string(block->bytes) + " bytes";
      if (box.begin > block->begin)
        result.problem += ", in which they begin at byte " + std::to_string(box.begin - block->begin);
      for (const std::size_t bytes : sizes_of_elements) {
        if (box.span_bytes() == bytes * block->bytes)
          result.problem += ", and are " + std::to_string(bytes) +
                            " times as many: was its size given in elements and not in bytes?";
      }
    }
  } else if (memory::is_in_arena(box.begin)) {
    result.is_valid = false;
    const memory_block* const known = call.run().memory().find_in_arena(box.begin);
    result.problem = known != nullptr && (known->is_freed || known->is_given_back)
                         ? "the memory has been freed"
                         : outside_of(call.run().memory().last_before(box.begin), box.begin);
  }
  // @see CUDA C++ Programming Guide, "Dynamic Global Memory Allocation and Operations"
  if (block != nullptr && block->is_heap) {
    result.is_valid = false;
    result.problem = "kernels allocated the memory, and calls of the host cannot use it; copy it in a kernel";
    return result;
  }
  // The program has the device address of a variable only from cudaGetSymbolAddress; its name means something else.
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

device::copy_route route_of(runtime& run, const side& source, const side& destination) {
  if (is_between_devices(source, destination)) {
    const bool is_direct = run.devices().may_use(source.device, *destination.block) ||
                           run.devices().may_use(destination.device, *source.block);
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
std::uint32_t device_of_copy(runtime& run, const side& source, const side& destination) {
  if (source.is_on_device) return source.device;
  return destination.is_on_device ? destination.device : run.current_device();
}

/// Lets all that follows in one stream wait for what is in another now, as an event does.
void order(api_call& call, const trace::stream& first, const trace::stream& second) {
  runtime& run = call.run();
  cudaEvent_t event = nullptr;
  run.events().create(&event, first.device, false, call.id());
  prepared_operation record;
  record.request.kind = operation_kind::event_record;
  record.request.stream = first.id;
  record.request.has_timing = false;
  record.recorded.event = event->id;
  prepared_operation wait;
  wait.request.kind = operation_kind::event_wait;
  wait.request.stream = second.id;
  wait.request.captured = run.work().issue(std::move(record));
  wait.recorded.event = event->id;
  run.work().issue(std::move(wait));
  run.events().destroy(event, call.id());
}

/// cudaSetDeviceFlags(cudaDeviceSyncMemops): no synchronous copy or memset returns before it is done.
bool always_synchronizes(runtime& run) {
  return (run.devices().settings(run.current_device()).flags & cudaDeviceSyncMemops) != 0;
}

/// Memory that the copy engines cannot reach by themselves. On an H200 managed memory on the host's side goes
/// the same way.
bool is_staged(const side& host) {
  return host.kind == memory_kind::pageable || host.kind == memory_kind::managed;
}

/// A copy between sides that have been checked. Staged bytes cross the host at its rate; when, is for the
/// caller to say.
void prepare_copy(runtime& run, const side& destination, const side& source, prepared_operation& result) {
  device::request& request = result.request;
  request.kind = operation_kind::copy;
  request.bytes = source.box.bytes();
  request.route = route_of(run, source, destination);
  request.source_device = source.device;
  const bool is_staged_in = request.route == device::copy_route::host_to_device && is_staged(source);
  const bool is_staged_out = request.route == device::copy_route::device_to_host && is_staged(destination);
  if (is_staged_in || is_staged_out)
    request.host_bandwidth = device::staging_bandwidth(run.gpu(), request.route);
  result.recorded.source = source.kind;
  result.recorded.destination = destination.kind;
  result.work = copy_payload{destination.box, source.box};
}

/// From now on the host's accesses to it count.
void watch_pageable(runtime& run, const side& used) {
  if (used.kind == memory_kind::pageable) run.memory().use_pageable(used.box.begin, used.box.span_bytes());
}

/// Enqueues a copy and lets the host wait as long as this kind of copy makes it wait.
void enqueue(api_call& call, const trace::stream stream, const side& destination, const side& source,
             copy_form how) {
  runtime& run = call.run();
  watch_pageable(run, destination);
  watch_pageable(run, source);
  prepared_operation copy;
  prepare_copy(run, destination, source, copy);
  device::request& request = copy.request;
  request.stream = stream.id;
  const device::copy_route route = request.route;
  if (run.captures().of(stream.id) != nullptr) {  // it becomes a node, which reads its source at each launch
    run.work().issue(std::move(copy));
    return;
  }
  const bool is_staged_in = route == device::copy_route::host_to_device && request.host_bandwidth > 0;
  const bool is_staged_out = route == device::copy_route::device_to_host && request.host_bandwidth > 0;
  const bool is_late = how == copy_form::asynchronous && run.settings().pageable() == pageable_policy::late;

  if (is_staged_in && !is_late) {
    // A synchronous copy, and one from managed memory, waits for its stream before it stages; an asynchronous
    // one fills the staging buffer at once.
    if (how == copy_form::synchronous || source.kind == memory_kind::managed)
      run.clock().wait_for_stream(stream);
    const trace::nanoseconds staging = device::stage_source(run.gpu(), request);
    run.clock().spend(staging);
    std::get<copy_payload>(copy.work).read_source();
    const bool is_left = request.staged_bytes > 0;
    const trace::operation_id id = run.work().issue(std::move(copy));
    if (is_left) run.clock().wait_until_staged(id);
    call.record().staging = staging;
    run.clock().note_wait({trace::constraint_kind::staging, id, call.id(), run.clock().now()});
    return;
  }
  if (route == device::copy_route::host_to_device && source.kind == memory_kind::pinned &&
      run.work().takes_source_at_call(request.bytes, stream)) {
    std::get<copy_payload>(copy.work).read_source();
  }
  const trace::operation_id id = run.work().issue(std::move(copy));
  const bool stays_on_devices = source.is_on_device && destination.is_on_device;
  const bool waits = route == device::copy_route::host_to_host || (is_staged_out && !is_late) ||
                     (how == copy_form::synchronous && (!stays_on_devices || always_synchronizes(run)));
  if (waits) run.clock().wait_for(id);
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
    order(call, theirs, call.default_stream(device));
  }
  enqueue(call, call.default_stream(device), destination, source, copy_form::synchronous);
  const trace::operation_id issued = call.record().operation;
  for (const std::uint32_t other : others) {
    const trace::stream theirs = call.default_stream(other);
    order(call, call.default_stream(device), theirs);
  }
  call.record().operation = issued;
  call.default_stream(device);  // the one that the record names
}

bool is_empty(const memory_box& box) { return box.width == 0 || box.height == 0 || box.depth == 0; }

/// Of any kind but cudaMemcpyDefault.
trace::copy_direction direction_of(cudaMemcpyKind kind) {
  switch (kind) {
    case cudaMemcpyHostToDevice:
      return trace::copy_direction::host_to_device;
    case cudaMemcpyDeviceToHost:
      return trace::copy_direction::device_to_host;
    case cudaMemcpyDeviceToDevice:
      return trace::copy_direction::device_to_device;
    default:
      return trace::copy_direction::host_to_host;
  }
}

/// Finds out what both sides of a copy that is not empty are, and whether they may be.
cudaError_t check_sides(api_call& call, const copy_request& wanted, side& destination, side& source) {
  if (wanted.destination.begin == 0 || wanted.source.begin == 0 || is_too_large(wanted.source) ||
      is_too_large(wanted.destination)) {
    call.explain(wanted.destination.begin == 0 ? "the destination is a null pointer"
                 : wanted.source.begin == 0    ? "the source is a null pointer"
                                               : "the size is larger than any memory; was it negative?");
    return cudaErrorInvalidValue;
  }
  // Where the argument says device, pageable memory is refused; apart from that the pointers decide, as on an
  // H200. Which side managed memory is on, only the argument can say.
  const bool says_source_on_device =
      wanted.kind == cudaMemcpyDeviceToHost || wanted.kind == cudaMemcpyDeviceToDevice;
  const bool says_destination_on_device =
      wanted.kind == cudaMemcpyHostToDevice || wanted.kind == cudaMemcpyDeviceToDevice;
  const bool says_nothing = wanted.kind == cudaMemcpyDefault;
  destination = side_of(call, wanted.destination, says_destination_on_device || says_nothing);
  source = side_of(call, wanted.source, says_source_on_device || says_nothing);
  if (!destination.is_valid || !source.is_valid) {
    const side& wrong = destination.is_valid ? source : destination;
    call.explain((destination.is_valid ? "source: " : "destination: ") + wrong.problem,
                 wrong.block == nullptr ? 0 : wrong.block->id);
    return cudaErrorInvalidValue;
  }
  if (says_source_on_device && source.kind == memory_kind::pageable) {
    call.explain("the direction says that the source is on the device, but it is pageable host memory");
    return cudaErrorInvalidValue;
  }
  if (says_destination_on_device && destination.kind == memory_kind::pageable) {
    call.explain("the direction says that the destination is on the device, but it is pageable host memory");
    return cudaErrorInvalidValue;
  }
  if (says_nothing) return cudaSuccess;
  const std::string undefined =
      trace::wrong_copy_kind(source.kind, destination.kind, direction_of(wanted.kind));
  if (!undefined.empty()) call.note(trace::diagnostic_kind::wrong_copy_kind, undefined);
  return cudaSuccess;
}

bool is_kind(cudaMemcpyKind kind) { return kind >= cudaMemcpyHostToHost && kind <= cudaMemcpyDefault; }

/// The memset of a box that is not empty, by a device.
cudaError_t prepare_memset(api_call& call, const memory_box& box, int value, std::size_t element_bytes,
                           std::uint32_t device, prepared_operation& result) {
  if (is_too_large(box)) return cudaErrorInvalidValue;
  const side destination = side_of(call, box, true);
  if (!destination.is_valid || destination.kind == memory_kind::pageable) {
    call.explain(destination.is_valid ? "the destination is pageable host memory"
                                      : "destination: " + destination.problem);
    return cudaErrorInvalidValue;
  }
  if (destination.kind == memory_kind::device && !call.run().devices().may_use(device, *destination.block))
    return cudaErrorInvalidValue;
  result.request.kind = operation_kind::memset;
  result.request.bytes = box.bytes();
  result.recorded.destination = destination.kind;
  result.work = memset_payload{box, value, element_bytes};
  return cudaSuccess;
}

}  // namespace

cudaError_t copy(api_call& call, const copy_request& wanted, cudaStream_t handle, copy_form how) {
  const trace::stream* const stream = call.stream(handle);
  if (stream == nullptr) return cudaErrorInvalidResourceHandle;
  if (!is_kind(wanted.kind)) return cudaErrorInvalidMemcpyDirection;
  if (is_empty(wanted.source)) return cudaSuccess;
  side destination, source;
  if (const cudaError_t error = check_sides(call, wanted, destination, source)) return error;
  if (call.run().errors().sticky() != cudaSuccess) return cudaSuccess;
  if (how == copy_form::synchronous) {
    copy_in_default_streams(call, destination, source);
  } else {
    enqueue(call, *stream, destination, source, how);
  }
  return cudaSuccess;
}

cudaError_t prepare(api_call& call, const copy_request& wanted, prepared_operation& result) {
  if (!is_kind(wanted.kind)) return cudaErrorInvalidMemcpyDirection;
  if (is_empty(wanted.source)) return cudaErrorInvalidValue;
  side destination, source;
  if (const cudaError_t error = check_sides(call, wanted, destination, source)) return error;
  watch_pageable(call.run(), destination);
  watch_pageable(call.run(), source);
  prepare_copy(call.run(), destination, source, result);
  return cudaSuccess;
}

cudaError_t set_bytes(api_call& call, const memory_box& box, int value, cudaStream_t handle, copy_form how) {
  const trace::stream* const stream = call.stream(handle);
  if (stream == nullptr) return cudaErrorInvalidResourceHandle;
  if (is_empty(box)) return cudaSuccess;
  prepared_operation filling;
  if (const cudaError_t error = prepare_memset(call, box, value, 1, stream->device, filling)) return error;
  if (call.run().errors().sticky() != cudaSuccess) return cudaSuccess;
  filling.request.stream = stream->id;
  const bool is_in_device_memory = filling.recorded.destination == memory_kind::device;
  const trace::operation_id id = call.run().work().issue(std::move(filling));
  const bool waits =
      how == copy_form::synchronous && (!is_in_device_memory || always_synchronizes(call.run()));
  if (waits || call.run().settings().launches_block) call.run().clock().wait_for(id);
  return cudaSuccess;
}

cudaError_t prepare(api_call& call, const cudaMemsetParams& wanted, prepared_operation& result) {
  const std::size_t element = wanted.elementSize;
  const memory_box box{address_of(wanted.dst),
                       wanted.width * element,
                       wanted.height,
                       1,
                       wanted.height == 1 ? wanted.width * element : wanted.pitch,
                       0};
  const bool is_valid = (element == 1 || element == 2 || element == 4) && wanted.width <= max_bytes &&
                        !is_empty(box) && box.pitch >= box.width && box.begin % element == 0 &&
                        box.pitch % element == 0;
  if (!is_valid) return cudaErrorInvalidValue;
  return prepare_memset(call, box, static_cast<int>(wanted.value), element, call.run().current_device(),
                        result);
}

}  // namespace cuda_runtime

#include "trace/call_promise.h"

#include <algorithm>
#include <array>

namespace trace {
namespace {

call_promise promise_of_copy(const operation& copy, bool is_synchronous) {
  if (!copy.source || !copy.destination) return call_promise::nothing;
  switch (direction_of(copy)) {
    case copy_direction::host_to_host:
      return call_promise::own_operation;  // M5, M10
    case copy_direction::device_to_host:
      return is_synchronous ? call_promise::own_operation : call_promise::nothing;  // M3; M7 and M8
    case copy_direction::host_to_device:
      if (!is_synchronous) return call_promise::nothing;                          // M7, M8
      return copy.source == memory_kind::pageable ? call_promise::source_staged   // M1
                                                  : call_promise::own_operation;  // M2
    case copy_direction::device_to_device:
      return call_promise::nothing;  // M4, M11
  }
  return call_promise::nothing;
}

}  // namespace

bool copies_pageable_memory(const operation& operation) {
  return operation.kind == operation_kind::copy &&
         (operation.source == memory_kind::pageable || operation.destination == memory_kind::pageable);
}

bool is_sticky(int error_code) {
  static constexpr std::array sticky{700, 702, 710, 714, 715, 716, 717, 718, 719};
  return std::find(sticky.begin(), sticky.end(), error_code) != sticky.end();
}

call_promise promise_of(const recording& recording, const host_call& call) {
  if (is_sticky(call.error_code)) return call_promise::device;
  if (call.error_code != 0) return call_promise::nothing;
  const wait_target awaited = traits_of(call.function).waits_for;
  if (awaited == wait_target::stream) return call_promise::stream;
  if (awaited == wait_target::event) return call_promise::event;
  if (awaited == wait_target::device) return call_promise::device;
  if (call.operation == 0) return call_promise::nothing;

  const operation& issued = recording.operation_at(call.operation);
  const bool is_synchronous = awaited == wait_target::own_operation;
  if (issued.kind == operation_kind::copy) return promise_of_copy(issued, is_synchronous);
  const bool is_waiting_memset =
      issued.kind == operation_kind::memset && is_synchronous &&
      (issued.destination == memory_kind::pinned || issued.destination == memory_kind::managed);  // M12
  return is_waiting_memset ? call_promise::own_operation : call_promise::nothing;
}

bool is_stream_ordered(const recording& recording, const allocation& memory) {
  const operation_id made = memory.allocated_by == 0 ? 0 : recording.call_at(memory.allocated_by).operation;
  return made != 0 && recording.operation_at(made).kind == operation_kind::allocate;
}

bool waits_for_idle_device(const recording& recording, const host_call& call) {
  if (call.error_code != 0 || call.allocation == 0) return false;
  const allocation& memory = recording.allocation_at(call.allocation);
  return traits_of(call.function).waits_for == wait_target::idle_device && memory.freed_by == call.id &&
         !is_stream_ordered(recording, memory);
}

namespace {

/// Whether the thread asks the same again before it queues anything else or waits in another way. A round of so many questions that the
/// next one is further away is no waiting for one of them.
bool is_asked_again(const recording& recording, const host_call& query) {
  constexpr std::size_t farthest = 1000;
  const std::size_t end = std::min(recording.calls.size(), query.id + farthest);
  for (std::size_t next = query.id; next < end; ++next) {
    const host_call& call = recording.calls[next];
    if (call.thread != query.thread) continue;
    const bool asks = effect_of(call) == call_effect::queries;
    if (asks && call.stream == query.stream && call.event == query.event) return true;
    if (!asks && (call.operation != 0 || promise_of(recording, call) != call_promise::nothing)) return false;
  }
  return false;
}

}  // namespace

bool host_waits_in(const recording& recording, const host_call& call) {
  if (effect_of(call) == call_effect::queries)
    return call.error_code == not_ready && is_asked_again(recording, call);
  if (call.waited_for) return !call.waited_for->empty();
  const bool is_staged =
      call.operation != 0 && copies_pageable_memory(recording.operation_at(call.operation));
  return promise_of(recording, call) != call_promise::nothing || is_staged ||
         waits_for_idle_device(recording, call);
}

}  // namespace trace

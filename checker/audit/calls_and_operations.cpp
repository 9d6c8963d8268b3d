#include "audit/calls_and_operations.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "audit/contradiction.h"

namespace audit {
namespace {

using trace::call_effect;
using trace::operation_kind;

/// What a call of that effect issues, apart from nodes of a graph.
bool may_issue(call_effect effect, operation_kind kind) {
  switch (effect) {
    case call_effect::launches_kernel:
      return kind == operation_kind::kernel;
    case call_effect::copies:  // a synchronous copy between devices orders their default streams by events
      return kind == operation_kind::copy || kind == operation_kind::event_record ||
             kind == operation_kind::event_wait;
    case call_effect::sets_memory:
      return kind == operation_kind::memset;
    case call_effect::records_event:
      return kind == operation_kind::event_record;
    case call_effect::waits_for_event:
      return kind == operation_kind::event_wait;
    case call_effect::queues_host_function:
    case call_effect::queues_callback:
      return kind == operation_kind::host_function;
    case call_effect::launches_graph:
      return kind == operation_kind::graph_launch;
    case call_effect::allocates:
      return kind == operation_kind::allocate;
    case call_effect::frees:
      return kind == operation_kind::release;
    case call_effect::prefetches:
      return kind == operation_kind::prefetch;
    case call_effect::attaches:
      return kind == operation_kind::attach;
    default:
      return false;
  }
}

/// Whether a successful call of that effect always issues something, unless a stream captures. Others may have had nothing to do.
bool always_issues(call_effect effect) {
  switch (effect) {
    case call_effect::launches_kernel:
    case call_effect::records_event:
    case call_effect::waits_for_event:
    case call_effect::queues_host_function:
    case call_effect::queues_callback:
    case call_effect::launches_graph:
    case call_effect::prefetches:
    case call_effect::attaches:
      return true;
    default:
      return false;
  }
}

std::uint64_t blocks_of(const trace::operation& kernel) {
  return std::uint64_t{kernel.grid[0]} * kernel.grid[1] * kernel.grid[2];
}

/// What the virtual GPU knows of every operation.
void require_complete(const trace::operation& operation) {
  const bool has_kinds = operation.source && operation.destination;
  require(has_kinds || operation.kind != operation_kind::copy, operation,
          "does not say between what it copied");
  if (!trace::has_ended(operation)) return;
  require(operation.waited_for.has_value(), operation, "does not say what it waited for");
  const bool touches_memory = operation.kind == operation_kind::kernel ||
                              operation.kind == operation_kind::copy ||
                              operation.kind == operation_kind::memset;
  if (touches_memory) require(operation.accesses.has_value(), operation, "does not say what it accessed");
  if (operation.kind != operation_kind::kernel) return;
  require(operation.block_times.has_value() && !operation.block_times->empty(), operation,
          "does not say how long its blocks ran");
  const std::uint64_t blocks =
      std::accumulate(operation.block_times->begin(), operation.block_times->end(), std::uint64_t{0},
                      [](std::uint64_t sum, const trace::block_time& group) { return sum + group.blocks; });
  require(blocks == blocks_of(operation), operation, "has times of more or fewer blocks than its grid has");
}

/// Memory that is registered now need not have been so at a copy.
bool can_have_been(const trace::recording& recording, const trace::allocation& memory,
                   trace::memory_kind kind) {
  const bool was_registered =
      memory.allocated_by != 0 &&
      trace::effect_of(recording.call_at(memory.allocated_by)) == call_effect::registers_memory;
  return memory.kind == kind || (was_registered && kind == trace::memory_kind::pageable);
}

/// A copy reads and writes as many bytes as it has, of the kinds that it names. One that met memory that had been freed did nothing.
void require_bytes_of_copy(const trace::recording& recording, const trace::operation& copy) {
  if (copy.kind != operation_kind::copy || !trace::has_ended(copy)) return;
  for (const trace::access& part : *copy.accesses) {
    require(part.bytes.size_bytes() == copy.bytes, copy, "accessed more or fewer bytes than it moved");
    const trace::memory_kind kind = part.mode == trace::access_mode::read ? *copy.source : *copy.destination;
    require(can_have_been(recording, recording.allocation_at(part.allocation), kind), copy,
            "accessed memory of another kind than it names");
  }
}

void require_fits_call(const trace::recording& recording, const trace::operation& operation) {
  require(operation.issued_by != 0, operation, "was issued by no call");
  const trace::host_call& call = recording.call_at(operation.issued_by);
  require(operation.device == recording.stream_at(operation.stream).device, operation,
          "is on another device than its stream");
  if (operation.graph_launch != 0) {
    const trace::operation& launch = recording.operation_at(operation.graph_launch);
    require(operation.issued_by == launch.issued_by && operation.stream == launch.stream, operation,
            "is not where its graph was launched");
    return;
  }
  require(may_issue(trace::effect_of(call), operation.kind), operation, "is nothing that its call issues");
  const bool is_main = operation.id == call.operation;
  if (is_main) require(operation.stream == call.stream, operation, "is in another stream than its call says");
  if (is_main)
    require(operation.event == 0 || operation.event == call.event || call.event == 0, operation,
            "is of another event than its call says");
  const bool is_order_of_devices =
      trace::effect_of(call) == call_effect::copies && operation.kind != operation_kind::copy;
  require(is_main || is_order_of_devices, operation, "is not named by its call");
}

/// A wait is for the last record of its event before it.
void require_last_records(const trace::recording& recording) {
  std::map<trace::event_id, trace::operation_id> last_record;
  for (const trace::operation& operation : recording.operations) {
    if (operation.kind == operation_kind::event_record) last_record[operation.event] = operation.id;
    if (operation.kind != operation_kind::event_wait) continue;
    require(operation.captured == last_record[operation.event], operation,
            "waits for another record of its event than the last");
  }
}

void require_issued(const trace::recording& recording) {
  int captures = 0;  // underway
  for (const trace::host_call& call : recording.calls) {
    const call_effect effect = trace::effect_of(call);
    require(call.waited_for.has_value(), call, "does not say what it waited for");
    if (call.operation != 0)
      require(recording.operation_at(call.operation).issued_by == call.id, call,
              "names an operation of another call");
    const bool is_capture = captures > 0 || effect == call_effect::begins_capture;
    const bool has_issued = call.operation != 0 || call.error_code != 0 || is_capture;
    require(has_issued || !always_issues(effect), call, "issued nothing");
    if (effect == call_effect::begins_capture && call.error_code == 0) ++captures;
    if (call.function == trace::api_function::cudaStreamEndCapture && captures > 0) --captures;
  }
}

}  // namespace

void require_operations_of_calls(const trace::recording& recording) {
  if (!recording.host_accesses) throw contradiction{"The recording does not say what host code accessed."};
  for (const trace::operation& operation : recording.operations) {
    require_complete(operation);
    require_bytes_of_copy(recording, operation);
    require_fits_call(recording, operation);
  }
  require_last_records(recording);
  require_issued(recording);
}

}  // namespace audit

#include "analysis/call_kind.h"

#include <algorithm>
#include <array>

namespace analysis {
namespace {

call_kind kind_of_copy(const trace::operation& copy, bool is_asynchronous) {
  if (!copy.source || !copy.destination) return call_kind::orders_nothing;
  switch (trace::direction_of(copy)) {
    case trace::copy_direction::host_to_host:
      return call_kind::waits_for_its_operation;  // M5, M10
    case trace::copy_direction::device_to_host:
      return is_asynchronous ? call_kind::orders_nothing
                             : call_kind::waits_for_its_operation;  // M7 and M8, M3
    case trace::copy_direction::host_to_device:
      if (is_asynchronous) return call_kind::orders_nothing;                                    // M7, M8
      return copy.source == trace::memory_kind::pageable ? call_kind::stages_its_source         // M1
                                                         : call_kind::waits_for_its_operation;  // M2
    case trace::copy_direction::device_to_device:
      return call_kind::orders_nothing;  // M4, M11
  }
  return call_kind::orders_nothing;
}

}  // namespace

bool is_sticky(int error_code) {
  static constexpr std::array sticky{700, 702, 710, 714, 715, 716, 717, 718, 719};
  return std::find(sticky.begin(), sticky.end(), error_code) != sticky.end();
}

call_kind kind_of(const trace::recording& seen, const trace::host_call& call) {
  if (is_sticky(call.error_code)) return call_kind::waits_for_device;
  if (call.error_code != 0) return call_kind::orders_nothing;
  const trace::wait_target promised = trace::traits_of(call.function).waits_for;
  if (promised == trace::wait_target::stream) return call_kind::waits_for_stream;
  if (promised == trace::wait_target::event) return call_kind::waits_for_event;
  if (promised == trace::wait_target::device) return call_kind::waits_for_device;
  if (call.operation == 0) return call_kind::orders_nothing;

  const trace::operation& issued = seen.operation_at(call.operation);
  const bool is_asynchronous = promised != trace::wait_target::own_operation;
  if (issued.kind == trace::operation_kind::copy) return kind_of_copy(issued, is_asynchronous);
  const bool is_waiting_memset = issued.kind == trace::operation_kind::memset && !is_asynchronous &&
                                 issued.destination == trace::memory_kind::pinned;  // M12
  return is_waiting_memset ? call_kind::waits_for_its_operation : call_kind::orders_nothing;
}

bool blocks_for_the_device(const trace::recording& seen, const trace::host_call& call) {
  if (call.error_code != 0 || call.allocation == 0) return false;
  const bool may = trace::traits_of(call.function).waits_for == trace::wait_target::idle_device;
  return may && seen.allocation_at(call.allocation).freed_by == call.id;
}

bool keeps_host_waiting(const trace::recording& recording, const trace::host_call& call) {
  if (blocks_for_the_device(recording, call) || kind_of(recording, call) != call_kind::orders_nothing) return true;
  if (call.operation == 0) return false;
  const trace::operation& issued = recording.operation_at(call.operation);
  return issued.kind == trace::operation_kind::copy && (issued.source == trace::memory_kind::pageable ||
                                                        issued.destination == trace::memory_kind::pageable);
}

}  // namespace analysis

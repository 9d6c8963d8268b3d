#include "matchers/facts/operation_set.h"

namespace matchers {

namespace {

using trace::operation_kind;

bool is_host_device_copy(const trace::operation& operation) {
  if (operation.kind != operation_kind::copy || !operation.source || !operation.destination) return false;
  const trace::copy_direction direction = trace::direction_of(operation);
  return direction == trace::copy_direction::host_to_device ||
         direction == trace::copy_direction::device_to_host;
}

bool is_device_copy(const trace::operation& operation) {
  return operation.kind == operation_kind::copy && operation.source && operation.destination &&
         trace::direction_of(operation) == trace::copy_direction::device_to_device;
}

bool is_kernel(const trace::operation& operation) { return operation.kind == operation_kind::kernel; }

bool is_host_function(const trace::operation& operation) {
  return operation.kind == operation_kind::host_function;
}

bool is_device_work(const trace::operation& operation) {
  return operation.kind == operation_kind::kernel || operation.kind == operation_kind::copy ||
         operation.kind == operation_kind::memset;
}

}  // namespace

operation_set copies() { return {"copies", &is_host_device_copy}; }
operation_set device_copies() { return {"copies between devices", &is_device_copy}; }
operation_set kernels() { return {"kernels", &is_kernel}; }
operation_set host_functions() { return {"host functions", &is_host_function}; }
operation_set device_work() { return {"kernels, copies and memsets", &is_device_work}; }

operation_ids members(const analysis::part& part, const operation_set& set) {
  operation_ids found;
  for (trace::operation_id id : part.operations) {
    if (set.holds(part.recording->operation_at(id))) found.push_back(id);
  }
  return found;
}

std::string none_at_all(const operation_set& set) { return "There were no " + set.words + " at all."; }

}  // namespace matchers

#include "matchers/operation_set.h"

namespace matchers {

namespace {

bool is_host_device_copy(const trace::operation& operation) {
  if (operation.kind != trace::operation_kind::copy || !operation.source || !operation.destination)
    return false;
  const trace::copy_direction direction = trace::direction_of(operation);
  return direction == trace::copy_direction::host_to_device ||
         direction == trace::copy_direction::device_to_host;
}

bool is_kernel(const trace::operation& operation) { return operation.kind == trace::operation_kind::kernel; }

bool is_host_function(const trace::operation& operation) {
  return operation.kind == trace::operation_kind::host_function;
}

}  // namespace

operation_set copies() { return {"copies", &is_host_device_copy}; }
operation_set kernels() { return {"kernels", &is_kernel}; }
operation_set host_functions() { return {"host functions", &is_host_function}; }

std::vector<trace::operation_id> members(const analysis::part& of, const operation_set& set) {
  std::vector<trace::operation_id> found;
  for (trace::operation_id id : of.operations) {
    if (set.holds(of.seen->operation_at(id))) found.push_back(id);
  }
  return found;
}

}  // namespace matchers

#include "matchers/facts/stages.h"

#include <algorithm>
#include <stdexcept>

namespace matchers {

std::optional<stage> stage_of(const trace::operation& operation) {
  if (operation.kind == trace::operation_kind::kernel) return stage::kernel;
  if (operation.kind != trace::operation_kind::copy || !operation.source || !operation.destination) {
    return std::nullopt;
  }
  const trace::copy_direction direction = trace::direction_of(operation);
  if (direction == trace::copy_direction::host_to_device) return stage::copy_to_device;
  if (direction == trace::copy_direction::device_to_host) return stage::copy_to_host;
  return std::nullopt;
}

std::string in_words(stage wanted) {
  switch (wanted) {
    case stage::copy_to_device:
      return "copies to the device";
    case stage::kernel:
      return "kernels";
    case stage::copy_to_host:
      return "copies to the host";
  }
  throw std::logic_error("a stage without words");
}

std::vector<trace::operation_id> staged_operations(const analysis::part& part) {
  std::vector<trace::operation_id> found;
  for (trace::operation_id id : part.operations) {
    if (stage_of(part.recording->operation_at(id))) found.push_back(id);
  }
  return found;
}

std::vector<trace::operation_id> operations_of(const analysis::part& part, stage wanted) {
  std::vector<trace::operation_id> found;
  for (trace::operation_id id : part.operations) {
    if (stage_of(part.recording->operation_at(id)) == wanted) found.push_back(id);
  }
  return found;
}

trace::nanoseconds length_of(const analysis::part& part, stage wanted) {
  trace::nanoseconds sum{0};
  for (trace::operation_id id : operations_of(part, wanted)) {
    sum += part.recording->operation_at(id).end - part.recording->operation_at(id).start;
  }
  return sum;
}

trace::nanoseconds time_in_calls(const analysis::part& part) {
  if (part.calls.empty()) return trace::nanoseconds(0);
  trace::nanoseconds last{0};
  for (trace::call_id id : part.calls) last = std::max(last, part.recording->call_at(id).end);
  for (trace::operation_id id : part.operations) last = std::max(last, part.recording->operation_at(id).end);
  return last - part.recording->call_at(part.calls.front()).start;
}

}  // namespace matchers

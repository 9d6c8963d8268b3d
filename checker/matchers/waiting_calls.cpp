#include "matchers/waiting_calls.h"

#include "analysis/call_kind.h"

namespace matchers {

namespace {

// Documented as "may be synchronous": the host cannot count on going on.
bool copies_pageable_memory(const trace::recording& recording, const trace::host_call& call) {
  if (call.operation == 0) return false;
  const trace::operation& operation = recording.operation_at(call.operation);
  return operation.kind == trace::operation_kind::copy &&
         (operation.source == trace::memory_kind::pageable ||
          operation.destination == trace::memory_kind::pageable);
}

}  // namespace

bool host_waits_in(const trace::recording& recording, const trace::host_call& call) {
  if (trace::effect_of(call) == trace::call_effect::queries) return call.error_code == trace::not_ready;
  return analysis::kind_of(recording, call) != analysis::call_kind::orders_nothing ||
         copies_pageable_memory(recording, call);
}

std::vector<trace::call_id> waiting_calls(const analysis::part& part) {
  std::vector<trace::call_id> found;
  for (trace::call_id id : part.calls) {
    if (host_waits_in(*part.seen, part.seen->call_at(id))) found.push_back(id);
  }
  return found;
}

std::vector<trace::call_id> working_calls(const analysis::part& part) {
  std::vector<trace::call_id> found;
  for (trace::call_id id : part.calls) {
    if (trace::effect_of(part.seen->call_at(id)) == trace::call_effect::works_on_host) found.push_back(id);
  }
  return found;
}

}  // namespace matchers

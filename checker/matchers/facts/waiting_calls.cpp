#include "matchers/facts/waiting_calls.h"

#include "trace/call_promise.h"

namespace matchers {

std::vector<trace::call_id> waiting_calls(const analysis::part& part) {
  std::vector<trace::call_id> found;
  for (trace::call_id id : part.calls) {
    if (trace::host_waits_in(*part.recording, part.recording->call_at(id))) found.push_back(id);
  }
  return found;
}

std::vector<trace::call_id> working_calls(const analysis::part& part) {
  std::vector<trace::call_id> found;
  for (trace::call_id id : part.calls) {
    if (trace::effect_of(part.recording->call_at(id)) == trace::call_effect::works_on_host)
      found.push_back(id);
  }
  return found;
}

}  // namespace matchers

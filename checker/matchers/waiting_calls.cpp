#include "matchers/waiting_calls.h"

#include "trace/call_promise.h"

namespace matchers {

std::vector<trace::call_id> waiting_calls(const analysis::part& of) {
  std::vector<trace::call_id> found;
  for (const trace::call_id id : of.calls) {
    if (trace::host_waits_in(*of.seen, of.seen->call_at(id))) found.push_back(id);
  }
  return found;
}

}  // namespace matchers

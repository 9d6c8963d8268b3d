#include "matchers/calls_no_cuda_in_host_functions.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <string>

#include "matchers/findings.h"
#include "matchers/words.h"

namespace matchers {

namespace {

constexpr int not_permitted = 800;  // cudaErrorNotPermitted

std::set<trace::call_id> calls_in_host_functions(const analysis::part& part) {
  std::set<trace::call_id> found;
  for (trace::call_id id : part.calls) {
    if (part.seen->call_at(id).error_code == not_permitted) found.insert(id);
  }
  for (const trace::diagnostic& each : part.seen->diagnostics) {
    const bool is_of_part = std::binary_search(part.calls.begin(), part.calls.end(), each.call);
    if (each.kind == trace::diagnostic_kind::cuda_call_in_host_function && is_of_part)
      found.insert(each.call);
  }
  return found;
}

}  // namespace

bool CallsNoCudaInHostFunctions::MatchAndExplain(const analysis::part& part,
                                                 std::ostream* explanation) const {
  const std::set<trace::call_id> found = calls_in_host_functions(part);
  if (found.empty()) return true;
  const trace::host_call& first = part.seen->call_at(*found.begin());
  report::evidence why;
  why.required = "A host function calls no function of CUDA, not even one that only asks.";
  why.seen = fmt::format(
      "A host function called {}{}.",
      trace::effect_of(first) == trace::call_effect::launches_kernel ? "a kernel" : name_of(first),
      first.error_code == 0 ? "" : fmt::format(", which answered {} and did nothing", first.error_name));
  if (found.size() > 1) why.seen += fmt::format(" There were {} such calls in all.", found.size());
  why.where = part.seen->describe(first.where);
  why.read_next =
      "CUDA may refuse the call, or wait for ever: the driver is waiting for the host function. Let the "
      "function wake up "
      "a thread, and call CUDA there.";
  if (explanation) *explanation << why.seen;
  file_failure({report::run_verdict::requirement_missed, why});
  return false;
}

void CallsNoCudaInHostFunctions::DescribeTo(std::ostream* out) const {
  *out << "no host function called CUDA";
}

void CallsNoCudaInHostFunctions::DescribeNegationTo(std::ostream* out) const {
  *out << "a host function called CUDA";
}

}  // namespace matchers

#include "matchers/pinned_in.h"

#include <algorithm>

namespace matchers {

std::vector<trace::allocation> pinned_in(const analysis::part& of) {
  std::vector<trace::allocation> found;
  for (const trace::allocation& each : of.seen->allocations) {
    const bool is_inside = std::binary_search(of.calls.begin(), of.calls.end(), each.allocated_by);
    if (each.kind == trace::memory_kind::pinned && is_inside) found.push_back(each);
  }
  std::sort(found.begin(), found.end(),
            [](const auto& one, const auto& two) { return one.allocated_by < two.allocated_by; });
  return found;
}

}  // namespace matchers

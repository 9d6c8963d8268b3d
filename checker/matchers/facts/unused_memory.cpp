#include "matchers/facts/unused_memory.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace matchers {

namespace {

struct array_elements {
  std::set<std::string> all;
  std::set<std::string> used;
};

bool is_live_in(const run_facts& run, const trace::allocation& memory) {
  const std::vector<trace::call_id>& calls = run.part().calls;
  const bool was_freed = memory.freed_by != 0 && memory.freed_by < calls.front();
  return !was_freed && memory.allocated_by <= calls.back();
}

std::set<trace::allocation_id> touched_in(const run_facts& run) {
  std::set<trace::allocation_id> touched;
  for (const trace::operation_id id : run.part().operations) {
    const auto& accesses = run.recording().operation_at(id).accesses;
    if (!accesses) continue;
    for (const trace::access& access : *accesses) touched.insert(access.allocation);
  }
  return touched;
}

std::string listed(const std::set<std::string>& names) {
  std::string text;
  std::size_t left = names.size();
  for (const std::string& name : names) {
    text += name;
    --left;
    if (left > 0) text += left == 1 ? " and " : ", ";
  }
  return text;
}

}  // namespace

std::string unused_elements(const run_facts& run) {
  if (run.part().calls.empty()) return "";
  const std::set<trace::allocation_id> touched = touched_in(run);
  std::map<std::string, array_elements> arrays;
  for (const trace::allocation& memory : run.recording().allocations) {
    const std::size_t open = memory.name.find('[');
    const std::size_t close = memory.name.find("].");
    if (open == std::string::npos || close == std::string::npos || !is_live_in(run, memory)) continue;
    array_elements& elements = arrays[memory.name.substr(0, open)];
    const std::string element = memory.name.substr(0, close + 1);
    elements.all.insert(element);
    if (touched.count(memory.id) != 0) elements.used.insert(element);
  }
  std::string text;
  for (const auto& [name, elements] : arrays) {
    if (elements.used.empty() || elements.used.size() == elements.all.size()) continue;
    text += fmt::format(" Of the {} `{}`, only {} {} used.", elements.all.size(), name, listed(elements.used),
                        elements.used.size() == 1 ? "is" : "are");
  }
  return text;
}

}  // namespace matchers

#include "matchers/facts/memory/unused_memory.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "matchers/facts/value_lines.h"

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

std::map<std::string, array_elements> partly_used_arrays(const run_facts& run) {
  std::map<std::string, array_elements> arrays;
  if (run.part().calls.empty()) return arrays;
  const std::set<trace::allocation_id> touched = touched_in(run);
  for (const trace::allocation& memory : run.recording().allocations) {
    const std::size_t open = memory.name.find('[');
    const std::size_t close = memory.name.find("].");
    if (open == std::string::npos || close == std::string::npos || !is_live_in(run, memory)) continue;
    array_elements& elements = arrays[memory.name.substr(0, open)];
    const std::string element = memory.name.substr(0, close + 1);
    elements.all.insert(element);
    if (touched.count(memory.id) != 0) elements.used.insert(element);
  }
  std::erase_if(arrays, [](const auto& array) {
    return array.second.used.empty() || array.second.used.size() == array.second.all.size();
  });
  return arrays;
}

}  // namespace

std::string unused_elements(const run_facts& run) {
  std::string text;
  for (const auto& [name, elements] : partly_used_arrays(run)) {
    text += fmt::format(" Of the {} `{}`, only {} {} used.", elements.all.size(), name, listed(elements.used),
                        elements.used.size() == 1 ? "is" : "are");
  }
  return text;
}

bool tell_of_unused_elements(const run_facts& run, report::evidence& why) {
  const std::string text = unused_elements(run);
  if (text.empty()) return false;
  why.observation += text;
  why.values = lines_of_values(run.source(), value_of::statement, why);
  for (const auto& [name, elements] : partly_used_arrays(run)) {
    const auto choice = std::find_if(why.values.begin(), why.values.end(),
                                     [&, array = name](const report::source_line& line) {
                                       return line.text.find(array + '[') != std::string::npos;
                                     });
    if (choice == why.values.end()) continue;
    why.where = fmt::format("{}:{}, {}", run.source().file_name, choice->line, why.where);
    std::erase(why.values, report::source_line(*choice));
    break;
  }
  return true;
}

}  // namespace matchers

#include "matchers/copies_use_pinned_memory.h"

#include <fmt/core.h>

#include <vector>

#include "matchers/findings.h"
#include "matchers/operation_set.h"
#include "matchers/words.h"
#include "report/text_layout.h"

namespace matchers {

namespace {

bool uses_pageable_memory(const trace::operation& copy) {
  return copy.source == trace::memory_kind::pageable || copy.destination == trace::memory_kind::pageable;
}

}  // namespace

bool CopiesUsePinnedMemory::MatchAndExplain(const analysis::part& part, std::ostream* explanation) const {
  const std::vector<trace::operation_id> all = members(part, copies());
  std::vector<trace::operation_id> pageable;
  for (trace::operation_id id : all) {
    if (uses_pageable_memory(part.seen->operation_at(id))) pageable.push_back(id);
  }
  const auto of_all = [&](std::size_t count) { return fmt::format("{} of {}", count, all.size()); };
  if (!all.empty()) file_measurement({of_all(all.size() - pageable.size()), of_all(all.size())});
  report::evidence why;
  if (all.empty()) {
    why.seen = "There were no copies at all.";
  } else if (pageable.empty()) {
    file_note(of_all(all.size()) + " copies");
    return true;
  } else {
    const trace::operation& first = part.seen->operation_at(pageable.front());
    const trace::host_call& call = part.seen->call_at(first.issued_by);
    why.seen = fmt::format(
        "{} of {} copies had pageable memory on the host side. The first is {}: from its call to its end it "
        "took {}, and {} kept the host for {}.",
        pageable.size(), all.size(), in_words(*part.seen, first),
        report::duration_words(first.end - call.start), in_words(*part.seen, call),
        report::duration_words(call.end - call.start));
    why.where = part.seen->describe(call.where);
  }
  why.required = "Every copy between host and device has pinned memory on the host side.";
  why.read_next =
      "The table \"The calls\" in the README of the lesson: which of them give or make pinned memory.";
  if (explanation) *explanation << why.seen;
  file_failure({report::run_verdict::requirement_missed, why});
  return false;
}

void CopiesUsePinnedMemory::DescribeTo(std::ostream* out) const {
  *out << "every copy between host and device uses pinned memory";
}

void CopiesUsePinnedMemory::DescribeNegationTo(std::ostream* out) const {
  *out << "a copy between host and device uses pageable memory";
}

}  // namespace matchers

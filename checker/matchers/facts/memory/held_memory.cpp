#include "matchers/facts/memory/held_memory.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "matchers/facts/words.h"

namespace matchers {

namespace {

using trace::allocation;
using trace::memory_kind;

void lead_also_to(report::evidence& why, const trace::recording& recording, const trace::location& where) {
  const std::string place = recording.describe(where);
  if (place.empty() || (why.where + ',').find(place + ',') != std::string::npos) return;
  why.where += (why.where.empty() ? "" : ", ") + place;
  report::add_callers(why, recording, where);
}

}  // namespace

std::vector<allocation> made_by(const run_facts& run, const std::vector<trace::call_id>& calls,
                                memory_kind kind) {
  std::vector<allocation> found;
  for (const allocation& memory : run.recording().allocations) {
    const bool is_inside = std::binary_search(calls.begin(), calls.end(), memory.allocated_by);
    if (memory.kind == kind && is_inside) found.push_back(memory);
  }
  std::sort(found.begin(), found.end(),
            [](const auto& one, const auto& two) { return one.allocated_by < two.allocated_by; });
  return found;
}

bool uses(const trace::operation& operation, const allocation& memory) {
  return operation.accesses &&
         std::any_of(operation.accesses->begin(), operation.accesses->end(),
                     [&](const auto& access) { return access.allocation == memory.id; });
}

std::vector<allocation> made_for_this_call(const run_facts& run, memory_kind kind) {
  std::vector<allocation> made = made_by(run, run.learner_calls_so_far(), kind);
  const analysis::part& part = run.part();
  std::erase_if(made, [&](const allocation& memory) {
    const bool is_own = std::binary_search(part.calls.begin(), part.calls.end(), memory.allocated_by);
    return !is_own &&
           std::none_of(part.operations.begin(), part.operations.end(), [&](trace::operation_id id) {
             return uses(run.recording().operation_at(id), memory);
           });
  });
  return made;
}

std::vector<pinning_call> calls_that_pin(const run_facts& run) {
  std::vector<pinning_call> found;
  for (const allocation& memory : made_by(run, run.part().calls, memory_kind::pinned))
    found.push_back({memory.allocated_by, memory.bytes});
  for (const trace::call_id id : run.part().calls) {
    const trace::host_call& call = run.recording().call_at(id);
    if (trace::effect_of(call) != trace::call_effect::registers_memory || call.allocation == 0 ||
        call.error_code != 0)
      continue;
    const allocation& memory = run.recording().allocation_at(call.allocation);
    if (memory.allocated_by != id) found.push_back({id, memory.bytes});
  }
  std::sort(found.begin(), found.end(), [](const auto& one, const auto& two) { return one.call < two.call; });
  return found;
}

std::size_t bytes_held_after(const std::vector<allocation>& made, trace::call_id call) {
  std::size_t sum = 0;
  for (const allocation& memory : made) {
    const bool is_released = memory.freed_by != 0 && memory.freed_by <= call;
    if (memory.allocated_by <= call && !is_released) sum += memory.bytes;
  }
  return sum;
}

std::size_t bytes_used_of(const run_facts& run, const allocation& memory) {
  const trace::recording& recording = run.recording();
  if (!recording.host_accesses) return memory.bytes;
  std::uint64_t used = 0;
  const auto count = [&](const trace::access& access) {
    if (access.allocation == memory.id) used = std::max(used, access.bytes.bounds().end);
  };
  for (const trace::operation& operation : recording.operations) {
    // An allocation and a release write all of it, for the order, although they put nothing there.
    const bool uses_bytes = operation.kind == trace::operation_kind::copy ||
                            operation.kind == trace::operation_kind::kernel ||
                            operation.kind == trace::operation_kind::memset;
    if (!uses_bytes) continue;
    if (!operation.accesses) return memory.bytes;
    std::for_each(operation.accesses->begin(), operation.accesses->end(), count);
  }
  for (const trace::host_access& host : *recording.host_accesses) count(host.access);
  return used == 0 ? memory.bytes : used;
}

void tell_of_frees(const run_facts& run, const std::vector<allocation>& made, trace::call_id before,
                   report::evidence& why) {
  const trace::recording& recording = run.recording();
  const auto is_freed = [&](const allocation& memory) {
    return memory.allocated_by < before && memory.freed_by != 0;
  };
  const auto first = std::find_if(made.begin(), made.end(), is_freed);
  if (first == made.end()) return;
  const trace::host_call& free = recording.call_at(first->freed_by);
  if (!recording.is_own(free.where)) return;
  const auto count = std::count_if(made.begin(), made.end(), [&](const allocation& memory) {
    return is_freed(memory) && recording.call_at(memory.freed_by).where.is_same_line(free.where);
  });
  why.observation += fmt::format(" Of the others, {} frees {}.", in_words(recording, free), count);
  lead_also_to(why, recording, free.where);
}

void tell_of_later_frees(const run_facts& run, const std::vector<allocation>& made, trace::call_id before,
                         report::evidence& why) {
  const trace::recording& recording = run.recording();
  std::vector<allocation> held;
  for (const allocation& memory : made) {
    const bool is_own = memory.freed_by != 0 && recording.is_own(recording.call_at(memory.freed_by).where);
    if (memory.allocated_by < before && memory.freed_by > before && is_own) held.push_back(memory);
  }
  while (!held.empty()) {
    const trace::host_call& from = recording.call_at(held.front().allocated_by);
    const trace::host_call& free = recording.call_at(held.front().freed_by);
    const auto count = std::erase_if(held, [&](const allocation& memory) {
      return recording.call_at(memory.allocated_by).where.is_same_line(from.where) &&
             recording.call_at(memory.freed_by).where.is_same_line(free.where);
    });
    why.observation +=
        fmt::format(" {} of {} {} not yet released then: {} comes later.",
                    count == 1 ? "One allocation" : fmt::format("{} allocations", count),
                    in_words(recording, from), count == 1 ? "was" : "were", in_words(recording, free));
    lead_also_to(why, recording, from.where);
    lead_also_to(why, recording, free.where);
  }
}

}  // namespace matchers

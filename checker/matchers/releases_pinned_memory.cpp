#include "matchers/releases_pinned_memory.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "analysis/ordering.h"
#include "matchers/findings.h"
#include "matchers/pinned_in.h"
#include "matchers/words.h"

namespace matchers {

namespace {

using trace::allocation;

bool is_registered(const trace::recording& seen, const allocation& pinned) {
  return trace::effect_of(seen.call_at(pinned.allocated_by)) == trace::call_effect::registers_memory;
}

// A release with the wrong function fails and releases nothing; that is the most useful line to name.
const trace::host_call* failed_release(const analysis::part& part) {
  for (trace::call_id id : part.calls) {
    const trace::host_call& call = part.seen->call_at(id);
    const trace::call_effect effect = trace::effect_of(call);
    const bool releases =
        effect == trace::call_effect::frees || effect == trace::call_effect::unregisters_memory;
    if (releases && call.error_code != 0) return &call;
  }
  return nullptr;
}

finding never_released(const analysis::part& part, const allocation& pinned) {
  const trace::host_call& made = part.seen->call_at(pinned.allocated_by);
  const char* const wanted = is_registered(*part.seen, pinned) ? "cudaHostUnregister" : "cudaFreeHost";
  report::evidence why;
  why.required =
      "Whatever your function pins, it releases: cudaFreeHost for what cudaMallocHost or "
      "cudaHostAlloc gave, cudaHostUnregister for what cudaHostRegister pinned.";
  why.seen = fmt::format("The {:.1f} MB that {} pinned were still pinned when your function returned.",
                         static_cast<double>(pinned.bytes) / 1e6, in_words(*part.seen, made));
  why.where = part.seen->describe(made.where);
  if (const trace::host_call* failed = failed_release(part)) {
    why.seen += fmt::format(" {} returned {} and released nothing.", in_words(*part.seen, *failed),
                            failed->error_name);
    why.where = part.seen->describe(failed->where);
  }
  why.read_next = fmt::format("The page of {} in the CUDA Runtime API manual.", wanted);
  return {report::run_verdict::requirement_missed, why};
}

bool uses(const trace::operation& operation, const allocation& memory) {
  return operation.accesses && std::any_of(operation.accesses->begin(), operation.accesses->end(),
                                           [&](const auto& each) { return each.allocation == memory.id; });
}

// The point at which the host enters that call.
analysis::host_point before(const trace::recording& seen, const trace::host_call& call) {
  for (trace::call_id id = call.id - 1; id > 0; --id) {
    if (seen.call_at(id).thread == call.thread) return {call.thread, id};
  }
  return {call.thread, 0};
}

std::optional<finding> released_too_early(const analysis::part& part, const analysis::ordering& order,
                                          const allocation& pinned) {
  const trace::host_call& release = part.seen->call_at(pinned.freed_by);
  for (trace::operation_id id : part.operations) {
    const trace::operation& operation = part.seen->operation_at(id);
    if (!uses(operation, pinned) || operation.issued_by > release.id) continue;
    if (order.is_before(id, before(*part.seen, release))) continue;
    report::evidence why;
    why.required = "Pinned memory is released after a wait for the operations that use it.";
    why.seen = fmt::format(
        "{} released memory that {} ({}) may still be using: the host had not waited for it.",
        in_words(*part.seen, release), in_words(*part.seen, operation), place_of(*part.seen, operation));
    why.where = part.seen->describe(release.where);
    why.read_next = "The section \"The surprise\" in the README of the lesson: a release is not a wait.";
    return finding{report::run_verdict::race_detected, why};
  }
  return std::nullopt;
}

// A copy of pinned memory that the host had not waited for when it released some, where the recording does
// not say which memory the copy used; nullptr when there is none.
const trace::operation* may_outlast_a_release(const analysis::part& part,
                                              const std::vector<allocation>& pinned) {
  const analysis::ordering order(*part.seen);
  for (trace::operation_id id : part.operations) {
    const trace::operation& operation = part.seen->operation_at(id);
    const bool copies_pinned =
        operation.source == trace::memory_kind::pinned || operation.destination == trace::memory_kind::pinned;
    if (operation.accesses || !copies_pinned) continue;
    for (const allocation& each : pinned) {
      const bool exists = each.allocated_by < operation.issued_by && operation.issued_by < each.freed_by;
      if (exists && !order.is_before(id, before(*part.seen, part.seen->call_at(each.freed_by)))) {
        return &operation;
      }
    }
  }
  return nullptr;
}

std::optional<finding> problem_of(const analysis::part& part, const std::vector<allocation>& pinned) {
  if (pinned.empty()) {
    return finding{report::run_verdict::requirement_missed,
                   {"Your function pins memory, and releases what it pinned.", "It pinned nothing.", "",
                    "The section \"The task\" in the README of the lesson."}};
  }
  const analysis::ordering order(*part.seen);
  for (const allocation& each : pinned) {
    if (!std::binary_search(part.calls.begin(), part.calls.end(), each.freed_by)) {
      return never_released(part, each);
    }
    if (auto problem = released_too_early(part, order, each)) return problem;
  }
  return std::nullopt;
}

}  // namespace

bool ReleasesPinnedMemory::MatchAndExplain(const analysis::part& part, std::ostream* explanation) const {
  const std::vector<allocation> pinned = pinned_in(part);
  if (const std::optional<finding> problem = problem_of(part, pinned)) {
    if (explanation) *explanation << problem->why.seen;
    file_failure(*problem);
    return false;
  }
  if (const trace::operation* copy = may_outlast_a_release(part, pinned)) {
    file_not_observable(
        fmt::format("Memory is released before the host has waited for {} ({}), and the recording does not "
                    "say which memory that uses. "
                    "The virtual GPU does.",
                    in_words(*part.seen, *copy), place_of(*part.seen, *copy)));
    return true;
  }
  file_note(fmt::format("pinned {} times, released as often", pinned.size()));
  return true;
}

void ReleasesPinnedMemory::DescribeTo(std::ostream* out) const {
  *out << "memory is pinned, and all of it released when nothing uses it any more";
}

void ReleasesPinnedMemory::DescribeNegationTo(std::ostream* out) const {
  *out << "nothing is pinned, or pinned memory is not released, or too early";
}

}  // namespace matchers

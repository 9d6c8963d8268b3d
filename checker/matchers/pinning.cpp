#include "matchers/pinning.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/host_points.h"
#include "analysis/places.h"
#include "matchers/facts/learner_code.h"
#include "matchers/facts/memory/held_memory.h"
#include "matchers/facts/operation_set.h"
#include "matchers/facts/words.h"
#include "trace/call_promise.h"

namespace matchers {

namespace {

using report::mistake;
using report::run_verdict;
using trace::allocation;
using trace::memory_kind;

bool uses_pageable_memory(const trace::operation& copy) {
  return copy.source == memory_kind::pageable || copy.destination == memory_kind::pageable;
}

/// Memory of the copy that was registered and unregistered again before the copy was issued; nullptr when there is none.
const allocation* registration_ended_before(const trace::recording& recording, const trace::operation& copy) {
  if (!copy.accesses) return nullptr;
  for (const trace::access& access : *copy.accesses) {
    const allocation& memory = recording.allocation_at(access.allocation);
    const bool is_registered =
        memory.allocated_by != 0 &&
        trace::effect_of(recording.call_at(memory.allocated_by)) == trace::call_effect::registers_memory;
    if (is_registered && memory.freed_by != 0 && memory.freed_by < copy.issued_by &&
        recording.is_own(recording.call_at(memory.freed_by).where))
      return &memory;
  }
  return nullptr;
}

/// Says where that memory was registered and unregistered, and leads to the latter first.
void tell_of_ended_registration(const run_facts& run, const allocation& memory, report::evidence& why) {
  const trace::recording& recording = run.recording();
  const trace::host_call& begin = recording.call_at(memory.allocated_by);
  const trace::host_call& end = recording.call_at(memory.freed_by);
  const auto in_parentheses = [&](const trace::host_call& call) {
    const std::string place = report::place_and_callers(recording, call.where);
    return place.empty() ? "" : fmt::format(" ({})", place);
  };
  const std::string name = memory.name.empty() ? "Its memory" : '`' + memory.name + '`';
  why.observation +=
      fmt::format(". {} was registered by {}{}, and unregistered by {}{} before that copy was queued.", name,
                  name_of(begin), in_parentheses(begin), name_of(end), in_parentheses(end));
  const std::vector<std::string> from = report::callers_of(recording, end.where);
  const bool is_in_one_line = !from.empty() && from == report::callers_of(recording, begin.where);
  if (is_in_one_line && is_in_destructor(run.source(), name_of(end), static_cast<int>(end.where.line))) {
    why.observation += fmt::format(
        " The latter is in a destructor, which is reached at {}, too: an object without a name ends with its statement.",
        from.front());
  }
  report::lead_first_to(why, recording.describe(begin.where));
  report::lead_first_to(why, recording.describe(end.where));
  add_callers(why, recording, begin.where);
  add_callers(why, recording, end.where);
}

/// In an earlier call of the function too: what it left registered is still registered.
std::optional<verdict> freed_while_registered(const run_facts& run) {
  const trace::diagnostic* const note =
      run.note(trace::diagnostic_kind::freed_while_registered, run.learner_calls_so_far());
  if (note == nullptr) return std::nullopt;
  report::evidence why;
  why.observation = report::capitalized(note->message) + ".";
  lead_to(why, run.recording(), note->where);
  if (note->earlier.is_known()) {
    why.required = "What is registered ends with the memory that it begins in.";
    why.read_next = "How many bytes that call is given, and how many the memory has.";
    return failed(run_verdict::requirement_missed, mistake::wrong_argument, why);
  }
  why.required = "Memory that your function registered is unregistered before it is freed.";
  why.read_next = "The page of cudaHostUnregister in the CUDA Runtime API manual.";
  return failed(run_verdict::requirement_missed, mistake::freed_while_registered, why);
}

/// Between device memory and memory that is managed, no copy has a host side.
std::optional<verdict> copies_of_managed_memory(const run_facts& run) {
  const trace::recording& recording = run.recording();
  const operation_ids managed =
      members(run.part(), operation_set{"copies of managed memory", [](const trace::operation& operation) {
                                          return operation.kind == trace::operation_kind::copy &&
                                                 (operation.source == trace::memory_kind::managed ||
                                                  operation.destination == trace::memory_kind::managed);
                                        }});
  if (managed.empty()) return std::nullopt;
  const trace::operation& first = recording.operation_at(managed.front());
  report::evidence why;
  why.required = "Every copy between host and device has pinned memory on the host side.";
  why.observation =
      fmt::format("Managed memory is not pinned, and {} {} it. The first is {}.", managed.size(),
                  managed.size() == 1 ? "copy uses" : "copies use", in_words(recording, first));
  why.read_next = "The table \"The calls\" in the lesson's text: which of them give or make pinned memory.";
  std::vector<trace::location> places;
  for (const trace::access& access : first.accesses.value_or(std::vector<trace::access>{})) {
    const trace::allocation& memory = recording.allocation_at(access.allocation);
    if (memory.kind != trace::memory_kind::managed || memory.allocated_by == 0) continue;
    const trace::host_call& call = recording.call_at(memory.allocated_by);
    why.observation += fmt::format(" It comes from {}.", in_words(recording, call));
    places.push_back(call.where);
    break;
  }
  places.push_back(recording.call_at(first.issued_by).where);
  report::lead_to(why, recording, places);
  return failed(run_verdict::requirement_missed, mistake::pageable_copy, why);
}

verdict judge_copies(const run_facts& run) {
  report::evidence why;
  why.required = "Every copy between host and device has pinned memory on the host side.";
  why.read_next = "The table \"The calls\" in the lesson's text: which of them give or make pinned memory.";
  const trace::recording& recording = run.recording();
  if (auto problem = copies_of_managed_memory(run)) return *problem;
  const operation_ids all = members(run.part(), copies());
  if (all.empty()) {
    say_there_is_none(run, copies(), why);
    return failed(run_verdict::requirement_missed, mistake::nothing_queued, why);
  }
  for (const auto& [way, words] : {std::pair(trace::copy_direction::host_to_device, "to the device"),
                                   std::pair(trace::copy_direction::device_to_host, "to the host")}) {
    const auto goes_there = [&, direction = way](auto id) {
      return trace::direction_of(recording.operation_at(id)) == direction;
    };
    if (std::any_of(all.begin(), all.end(), goes_there)) continue;
    if (const std::string failure = failure_of_call(run, trace::call_effect::copies); !failure.empty())
      return not_observable(fmt::format("No copy goes {}: {}.", words, failure));
    const trace::operation& last = recording.operation_at(all.back());
    why.required = "The data go to the device and back in copies.";
    why.observation =
        fmt::format("No copy goes {}. The last of the others is {}.", words, in_words(recording, last));
    lead_to(why, recording, last);
    why.read_next = "What the contract says about copies.";
    return failed(run_verdict::requirement_missed, mistake::nothing_queued, why);
  }
  operation_ids pageable = all;
  std::erase_if(pageable, [&](auto id) { return !uses_pageable_memory(recording.operation_at(id)); });
  const auto share = [&](std::size_t count) { return fmt::format("{} of {}", count, all.size()); };
  const report::measurement measured{share(all.size() - pageable.size()), share(all.size())};
  if (pageable.empty()) return passed(share(all.size()) + " copies", measured);
  // What was freed while it was registered makes later registrations of the same addresses fail.
  if (auto problem = freed_while_registered(run)) return *problem;
  const trace::operation& first = recording.operation_at(pageable.front());
  const trace::host_call& call = recording.call_at(first.issued_by);
  why.observation = fmt::format("{} of {} copies had pageable memory on the host side. The first is {}",
                                pageable.size(), all.size(), in_words(recording, first));
  lead_to(why, recording, call.where);
  if (const trace::allocation* const released = registration_ended_before(recording, first)) {
    tell_of_ended_registration(run, *released, why);
    return failed(run_verdict::requirement_missed, mistake::pageable_copy, why, measured);
  }
  why.observation += fmt::format(": from its call to its end it took {}, and {} kept the host for {}.",
                                 duration_words(first.end - call.start), in_words(recording, call),
                                 duration_words(call.end - call.start));
  return failed(run_verdict::requirement_missed, mistake::pageable_copy, why, measured);
}

// A release with the wrong function fails and releases nothing; that is the most useful line to name.
const trace::host_call* failed_release(const run_facts& run) {
  for (trace::call_id id : run.part().calls) {
    const trace::host_call& call = run.recording().call_at(id);
    const trace::call_effect effect = trace::effect_of(call);
    const bool releases =
        effect == trace::call_effect::frees || effect == trace::call_effect::unregisters_memory;
    if (releases && call.error_code != 0) return &call;
  }
  return nullptr;
}

verdict never_released(const run_facts& run, const allocation& pinned) {
  const trace::recording& recording = run.recording();
  const trace::host_call& made = recording.call_at(pinned.allocated_by);
  report::evidence why;
  why.required =
      "Whatever your function pins, it releases: cudaFreeHost for what cudaMallocHost or cudaHostAlloc gave, "
      "cudaHostUnregister for what cudaHostRegister pinned.";
  why.observation = fmt::format("The {} that {} pinned were still pinned when your function returned.",
                                megabytes(pinned.bytes), in_words(recording, made));
  lead_to(why, recording, made.where);
  mistake found = mistake::never_released;
  if (const trace::host_call* release = failed_release(run)) {
    why.observation += fmt::format(" {} returned {} and released nothing.", in_words(recording, *release),
                                   trace::error_name_of(*release));
    lead_to(why, recording, release->where);
    found = mistake::wrong_release;
  }
  why.read_next = fmt::format(
      "The page of {} in the CUDA Runtime API manual.",
      trace::effect_of(made) == trace::call_effect::registers_memory ? "cudaHostUnregister" : "cudaFreeHost");
  return failed(run_verdict::requirement_missed, found, why);
}

bool is_complete_before(const run_facts& run, trace::operation_id operation,
                        const trace::host_call& release) {
  return run.ordering().is_before(operation, analysis::entry_of(run.recording(), release));
}

std::optional<verdict> released_too_early(const run_facts& run, const allocation& pinned) {
  const trace::recording& recording = run.recording();
  const trace::host_call& release = recording.call_at(pinned.freed_by);
  for (trace::operation_id id : run.part().operations) {
    const trace::operation& operation = recording.operation_at(id);
    if (!uses(operation, pinned) || operation.issued_by > release.id) continue;
    if (is_complete_before(run, id, release)) continue;
    report::evidence why;
    why.required = "Pinned memory is released after a wait for the operations that use it.";
    why.observation = fmt::format(
        "{} released memory that {} ({}) may still be using: the host had not waited for it.",
        in_words(recording, release), in_words(recording, operation), place_of(recording, operation));
    lead_to(why, recording, release.where);
    why.read_next =
        "A release is not a wait: where does the host wait for the last operation that uses the memory?";
    return failed(run_verdict::race_detected, mistake::released_in_use, why);
  }
  return std::nullopt;
}

// A copy of pinned memory that the host had not waited for when it released some, where the recording does
// not say which memory the copy used; nullptr when there is none.
const trace::operation* may_outlast_a_release(const run_facts& run, const std::vector<allocation>& pinned) {
  for (trace::operation_id id : run.part().operations) {
    const trace::operation& operation = run.recording().operation_at(id);
    const bool copies_pinned =
        operation.source == memory_kind::pinned || operation.destination == memory_kind::pinned;
    if (operation.accesses || !copies_pinned) continue;
    for (const allocation& memory : pinned) {
      const bool exists = memory.allocated_by < operation.issued_by && operation.issued_by < memory.freed_by;
      if (exists && !is_complete_before(run, id, run.recording().call_at(memory.freed_by))) return &operation;
    }
  }
  return nullptr;
}

verdict judge_releases(const run_facts& run) {
  if (auto problem = freed_while_registered(run)) return *problem;
  const std::vector<allocation> pinned = made_by(run, run.part().calls, memory_kind::pinned);
  const std::vector<trace::call_id>& calls = run.part().calls;
  std::vector<allocation> kept = made_for_this_call(run, memory_kind::pinned);
  std::erase_if(kept, [&](const allocation& memory) {
    return std::binary_search(calls.begin(), calls.end(), memory.allocated_by);
  });
  if (!kept.empty()) {
    verdict found = never_released(run, kept.front());
    const bool is_before_main = run.is_before_main(run.recording().call_at(kept.front().allocated_by));
    found.why.observation += is_before_main
                                 ? " That was before main(): the memory was there from the beginning."
                                 : " That was in an earlier call of your function: the memory was kept.";
    return found;
  }
  if (pinned.empty()) {
    return failed(run_verdict::requirement_missed, mistake::nothing_pinned,
                  {"Your function pins memory, and releases what it pinned.", "It pinned nothing.", "",
                   "The section \"The task\" in the lesson's text."});
  }
  for (const allocation& memory : pinned) {
    if (!std::binary_search(calls.begin(), calls.end(), memory.freed_by)) return never_released(run, memory);
    if (auto problem = released_too_early(run, memory)) return *problem;
  }
  if (const trace::operation* copy = may_outlast_a_release(run, pinned)) {
    return not_observable(fmt::format(
        "Memory is released before the host has waited for {} ({}), and the recording does not say which "
        "memory that uses. The virtual GPU does.",
        in_words(run.recording(), *copy), place_of(run.recording(), *copy)));
  }
  const std::size_t times = calls_that_pin(run).size();
  return passed(
      fmt::format("pinned {}, released as often", times == 1 ? "once" : fmt::format("{} times", times)));
}

}  // namespace

matcher CopiesUsePinnedMemory() {
  return {"every copy between host and device uses pinned memory", judge_copies, reach::every_call};
}

matcher ReleasesPinnedMemory() {
  return {"memory is pinned, and all of it released when nothing uses it any more", judge_releases,
          reach::every_call};
}

}  // namespace matchers

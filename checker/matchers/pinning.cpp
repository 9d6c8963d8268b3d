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

std::string megabytes(std::size_t bytes) {
  return fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
}

bool uses(const trace::operation& operation, const allocation& memory) {
  return operation.accesses &&
         std::any_of(operation.accesses->begin(), operation.accesses->end(),
                     [&](const auto& access) { return access.allocation == memory.id; });
}

/// Made by this call, or kept for it by an earlier one. What an earlier call merely forgot is another mistake.
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

/// A kind of memory, and how messages speak of a limit for it.
struct limited_memory {
  memory_kind kind;
  const char* function_does;  // "pins"
  mistake beyond;
  const char* read_next;
};

constexpr limited_memory pinned_memory{
    memory_kind::pinned, "pins", mistake::pinned_too_much,
    "The section \"The idea\" in the lesson's text: one buffer can serve all pieces in turn."};
constexpr limited_memory device_memory{
    memory_kind::device, "has device memory of", mistake::held_too_much,
    "The section \"The idea\" in the lesson's text: memory can be freed as soon as its last use is queued."};

/// Says how much each line holds of what is held once `last` is made, the largest part first, and returns those lines in that order;
/// nothing when it is all of one line.
std::vector<trace::location> tell_of_parts(const run_facts& run, const std::vector<allocation>& made,
                                           const allocation& last, report::evidence& why) {
  struct held_part {
    const trace::host_call* call;
    std::size_t bytes;
  };
  std::vector<held_part> parts;
  for (const allocation& memory : made) {
    const bool is_released = memory.freed_by != 0 && memory.freed_by < last.allocated_by;
    if (memory.allocated_by > last.allocated_by || is_released) continue;
    const trace::host_call& call = run.recording().call_at(memory.allocated_by);
    const auto same = std::find_if(parts.begin(), parts.end(), [&](const held_part& part) {
      return part.call->where.is_same_line(call.where);
    });
    if (same == parts.end()) {
      parts.push_back({&call, memory.bytes});
    } else {
      same->bytes += memory.bytes;
    }
  }
  if (parts.size() < 2) return {};
  std::reverse(parts.begin(), parts.end());  // of equal parts, the one that was too much
  std::stable_sort(parts.begin(), parts.end(),
                   [](const held_part& one, const held_part& two) { return one.bytes > two.bytes; });
  std::vector<std::string> words;
  std::vector<trace::location> places;
  for (const held_part& part : parts) {
    words.push_back(fmt::format("{} of {}", megabytes(part.bytes), in_words(run.recording(), *part.call)));
    places.push_back(part.call->where);
  }
  why.observation += fmt::format(" That is {}.", fmt::join(words, ", and "));
  return places;
}

/// The most that is held at a time.
std::size_t max_bytes_held(const std::vector<allocation>& made) {
  std::size_t max_bytes = 0;
  for (const allocation& memory : made)
    max_bytes = std::max(max_bytes, bytes_held_after(made, memory.allocated_by));
  return max_bytes;
}

/// Of memory that would stay in the budget without the bytes that nothing uses: begins with the call that allocated most of these.
/// False where it would not.
bool tell_of_unused_bytes(const run_facts& run, const std::vector<allocation>& made, std::size_t budget,
                          report::evidence& why) {
  std::vector<allocation> used_parts = made;
  const allocation* largest = nullptr;
  std::size_t max_unused = 0;
  for (allocation& memory : used_parts) {
    const std::size_t unused = memory.bytes - std::min(memory.bytes, bytes_used_of(run, memory));
    memory.bytes -= unused;
    if (unused > max_unused) largest = &made[static_cast<std::size_t>(&memory - used_parts.data())];
    max_unused = std::max(max_unused, unused);
  }
  if (largest == nullptr || max_bytes_held(used_parts) > budget) return false;
  const trace::host_call& call = run.recording().call_at(largest->allocated_by);
  const std::size_t used = largest->bytes - max_unused;
  const bool is_close = megabytes(used) == megabytes(largest->bytes);
  const auto size = [&](std::size_t bytes) {
    return is_close ? fmt::format("{} bytes", bytes) : megabytes(bytes);
  };
  why.observation =
      fmt::format("Of the {} of {} no copy or kernel uses more than the first {}. {}", size(largest->bytes),
                  in_words(run.recording(), call), size(used), why.observation);
  report::lead_first_to(why, run.recording().describe(call.where));
  why.read_next =
      "How many bytes that call asks for, and how many of them the copies and kernels use: more need not be pinned or held.";
  return true;
}

verdict judge_bytes_held(const run_facts& run, const limited_memory& limited, std::size_t budget) {
  const std::vector<allocation> made = made_for_this_call(run, limited.kind);
  const std::size_t max_bytes = max_bytes_held(made);
  const report::measurement measured{megabytes(max_bytes), "at most " + megabytes(budget)};
  const auto beyond = std::find_if(made.begin(), made.end(), [&](const allocation& memory) {
    return bytes_held_after(made, memory.allocated_by) > budget;
  });
  if (beyond == made.end()) {
    return passed(fmt::format("at most {} at a time, allowed {}", megabytes(max_bytes), megabytes(budget)),
                  measured);
  }
  const trace::host_call& call = run.recording().call_at(beyond->allocated_by);
  report::evidence why;
  why.required =
      fmt::format("Your function {} at most {} at a time.", limited.function_does, megabytes(budget));
  const std::size_t held = bytes_held_after(made, beyond->allocated_by);
  // Rounded, a little too much is as much as is allowed.
  const std::string by =
      megabytes(held) == megabytes(budget)
          ? fmt::format(": {} more than that",
                        held - budget == 1 ? "1 byte" : fmt::format("{} bytes", held - budget))
          : "";
  why.observation =
      fmt::format("{} brought it to {}{}.", in_words(run.recording(), call), megabytes(held), by);
  const auto count = [&](auto&& holds) { return std::count_if(made.begin(), made.end(), holds); };
  const auto before =
      count([&](const allocation& memory) { return memory.allocated_by < beyond->allocated_by; });
  const auto kept = count([&](const allocation& memory) {
    return memory.allocated_by < beyond->allocated_by && memory.freed_by == 0;
  });
  const bool is_any_freed = count([](const allocation& memory) { return memory.freed_by != 0; }) > 0;
  if (!is_any_freed && made.size() > 1) {
    why.observation += " Nothing of it is ever freed.";
  } else if (kept > 0) {
    why.observation += fmt::format(" Of the {} allocations before it {} never freed.", before,
                                   kept == 1 ? "one is" : std::to_string(kept) + " are");
  }
  const std::vector<trace::location> largest = tell_of_parts(run, made, *beyond, why);
  lead_to(why, run.recording(), kept == 0 && !largest.empty() ? largest : std::vector{call.where});
  if (tell_of_unused_bytes(run, made, budget, why))
    return failed(run_verdict::requirement_missed, limited.beyond, why, measured);
  if (is_any_freed && kept > 0) tell_of_frees(run, made, beyond->allocated_by, why);
  if (kept == 0) tell_of_later_frees(run, made, beyond->allocated_by, why);
  why.read_next = limited.read_next;
  return failed(run_verdict::requirement_missed, limited.beyond, why, measured);
}

struct pinning_call {
  trace::call_id call = 0;
  std::size_t bytes = 0;
};

/// The calls of the part that pinned, in their order. Memory that is registered again is one allocation with several calls.
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

verdict judge_pinned_again(const run_facts& run, std::size_t budget) {
  const std::vector<pinning_call> pinned = calls_that_pin(run);
  std::size_t sum = 0;
  for (const pinning_call& one : pinned) {
    sum += one.bytes;
    if (sum <= budget) continue;
    const trace::host_call& call = run.recording().call_at(one.call);
    report::evidence why;
    why.required = fmt::format(
        "Your function pins what it needs once: no more than {} in all, whatever it releases in between.",
        megabytes(budget));
    why.observation = fmt::format("{} is call {} that pins, and brings the sum to {}.",
                                  report::capitalized(in_words(run.recording(), call)),
                                  &one - pinned.data() + 1, megabytes(sum));
    lead_to(why, run.recording(), call.where);
    why.read_next =
        "The section \"The idea\" in the lesson's text: pinning takes longer than a copy, so pin outside of "
        "loops.";
    return failed(run_verdict::requirement_missed, mistake::pinned_again, why);
  }
  return passed(fmt::format("{} newly pinned by this call", megabytes(sum)));
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
    found.why.observation += " That was in an earlier call of your function: the memory was kept.";
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

verdict judge_frees(const run_facts& run) {
  const trace::recording& recording = run.recording();
  const std::vector<trace::call_id>& calls = run.part().calls;
  const std::vector<allocation> made = made_by(run, calls, memory_kind::device);
  for (const allocation& memory : made) {
    if (std::binary_search(calls.begin(), calls.end(), memory.freed_by)) continue;
    const trace::host_call& call = recording.call_at(memory.allocated_by);
    report::evidence why;
    why.required = "Whatever device memory your function makes, it frees.";
    why.observation = fmt::format("The {} of {} were not freed when your function returned.",
                                  megabytes(memory.bytes), in_words(recording, call));
    const auto times = std::count_if(made.begin(), made.end(), [&](const allocation& other) {
      return !std::binary_search(calls.begin(), calls.end(), other.freed_by) &&
             recording.call_at(other.allocated_by).where.is_same_line(call.where);
    });
    if (times > 1) why.observation += fmt::format(" This happened {} times on this line.", times);
    lead_to(why, recording, call.where);
    why.read_next = "What the contract says about memory.";
    return failed(run_verdict::requirement_missed, mistake::never_released, why);
  }
  return passed();
}

/// The first call of the learner's file that takes stream-ordered memory; nullptr when there is none.
const trace::host_call* first_from_a_pool(const trace::recording& recording) {
  for (const trace::operation& operation : recording.operations) {
    if (operation.kind != trace::operation_kind::allocate || operation.issued_by == 0) continue;
    const trace::host_call& call = recording.call_at(operation.issued_by);
    if (recording.is_own(call.where)) return &call;
  }
  return nullptr;
}

/// The last call of the part that has this effect; nullptr when none has.
const trace::host_call* last_with(const run_facts& run, trace::call_effect effect) {
  const trace::host_call* last = nullptr;
  for (const trace::call_id id : run.part().calls) {
    const trace::host_call& call = run.recording().call_at(id);
    if (trace::effect_of(call) == effect && call.error_code == 0) last = &call;
  }
  return last;
}

/// The first part of that name with a call that sets an attribute of a pool.
const trace::host_call* first_round_that_sets_a_pool(const run_facts& run, std::size_t rounds) {
  for (std::size_t round = 1; round <= rounds; ++round) {
    if (const auto* const call =
            last_with(run.of_part(fmt::format("round {}", round)), trace::call_effect::sets_pool))
      return call;
  }
  return nullptr;
}

verdict judge_release_threshold(const run_facts& run, const std::string& name, std::size_t bytes) {
  const trace::recording& recording = run.recording();
  const std::vector<std::int64_t>& thresholds = run.answer().values<std::int64_t>(name);
  const auto low = std::find_if(thresholds.begin(), thresholds.end(), [&](std::int64_t threshold) {
    return static_cast<std::uint64_t>(threshold) < bytes;
  });
  if (low == thresholds.end()) return passed();
  const auto round = static_cast<std::size_t>(low - thresholds.begin());
  report::evidence why;
  why.required =
      fmt::format("The pool keeps the {} that your function may have at a time.", megabytes(bytes));
  why.observation = fmt::format(
      "Its release threshold is {} bytes{}: what it holds beyond them a synchronization may give back.", *low,
      round == 0 ? "" : fmt::format(" after round {}", round));
  why.read_next = "cudaMemPoolAttrReleaseThreshold in the section \"The calls\" in the lesson's text.";
  if (round > 0) {
    why.observation += fmt::format(" prepare_pool() had left it at {}.", thresholds.front());
    if (const auto* const set =
            last_with(run.of_part(fmt::format("round {}", round)), trace::call_effect::sets_pool)) {
      why.observation += fmt::format(" {} changed it.", report::capitalized(in_words(recording, *set)));
      lead_to(why, recording, set->where);
    }
  } else if (const auto* const set = last_with(run, trace::call_effect::sets_pool)) {
    lead_to(why, recording, set->where);
    if (run.answer().integer(name + ".of_another_pool") != 0) {
      why.observation +=
          fmt::format(" {} sets that of another pool than the one that your function is given.",
                      report::capitalized(in_words(recording, *set)));
    }
  } else if (const auto* const later = first_round_that_sets_a_pool(run, thresholds.size() - 1)) {
    why.observation += fmt::format(" prepare_pool() sets nothing. {} comes in a round.",
                                   report::capitalized(in_words(recording, *later)));
    const std::string definition = line_of_definition(run.source(), "prepare_pool");
    why.where = (definition.empty() ? "" : definition + ", ") + recording.describe(later->where);
  } else {
    why.observation += " No call sets it.";
    why.where = line_of_definition(run.source(), "prepare_pool");
    if (const trace::host_call* const trim = last_with(run, trace::call_effect::trims_pool)) {
      why.observation += fmt::format(" {} only gives back once what the pool holds, and sets nothing.",
                                     report::capitalized(in_words(recording, *trim)));
      lead_to(why, recording, trim->where);
    }
    if (const trace::host_call* const first = first_from_a_pool(recording)) {
      why.observation +=
          fmt::format(" {} and those like it then take memory from the device again and again.",
                      report::capitalized(in_words(recording, *first)));
      why.where += (why.where.empty() ? "" : ", ") + recording.describe(first->where);
    }
  }
  return failed(run_verdict::requirement_missed, mistake::costly_calls, why);
}

verdict judge_allocations(const run_facts& run) {
  const trace::recording& recording = run.recording();
  const std::vector<trace::call_id>& calls = run.part().calls;
  const allocation* first = nullptr;
  std::size_t count = 0;
  std::size_t bytes = 0;  // of all that this line made
  for (const allocation& memory : recording.allocations) {
    if (!std::binary_search(calls.begin(), calls.end(), memory.allocated_by)) continue;
    if (first == nullptr) first = &memory;
    const trace::host_call& call = recording.call_at(memory.allocated_by);
    const trace::host_call& example = recording.call_at(first->allocated_by);
    if (call.function != example.function || call.where != example.where) continue;
    ++count;
    bytes += memory.bytes;
  }
  if (first == nullptr) return passed();
  const trace::host_call& made = recording.call_at(first->allocated_by);
  report::evidence why;
  why.required = "Your function does with the memory that it is given.";
  why.observation = fmt::format("{} made {} more{}.", in_words(recording, made), megabytes(bytes),
                                count == 1 ? "" : fmt::format(", in {} calls", count));
  lead_to(why, recording, made.where);
  why.read_next = "What the contract says about memory.";
  return failed(run_verdict::requirement_missed, mistake::memory_of_its_own, why);
}

verdict judge_written_memory(const run_facts& run, const operation_set& set) {
  const trace::recording& recording = run.recording();
  for (const trace::operation_id id : members(run.part(), set)) {
    const trace::operation& operation = recording.operation_at(id);
    if (!operation.accesses) continue;
    for (const trace::access& access : *operation.accesses) {
      const trace::allocation& memory = recording.allocation_at(access.allocation);
      if (access.mode == trace::access_mode::read || trace::is_stream_ordered(recording, memory)) continue;
      report::evidence why;
      why.required = fmt::format("The {} write into stream-ordered memory of your function.", set.words);
      why.observation = fmt::format("{} writes into {}.", report::capitalized(in_words(recording, operation)),
                                    report::allocation_in_words(recording, memory.id));
      lead_to(why, recording, operation);
      why.read_next = "cudaMallocAsync in the section \"The calls\" in the lesson's text.";
      return failed(run_verdict::requirement_missed, mistake::wrong_argument, why);
    }
  }
  return passed();
}

verdict judge_memory_of_kernels(const run_facts& run, const operation_set& set) {
  const trace::recording& recording = run.recording();
  for (const trace::operation_id id : members(run.part(), set)) {
    const trace::operation& kernel = recording.operation_at(id);
    if (!kernel.accesses) continue;
    for (const trace::access& access : *kernel.accesses) {
      const memory_kind kind = recording.allocation_at(access.allocation).kind;
      if (kind != memory_kind::pinned && kind != memory_kind::pageable) continue;
      report::evidence why;
      why.required =
          fmt::format("The {} work in device memory: the data go there, and back, in copies.", set.words);
      why.observation = fmt::format("{} {} {}.", report::capitalized(in_words(recording, kernel)),
                                    access.mode == trace::access_mode::read ? "reads" : "writes into",
                                    report::allocation_in_words(recording, access.allocation));
      lead_to(why, recording, analysis::place_of_operation(recording, id));
      why.read_next = "What the contract says about the way of the data: host, device, kernel, host.";
      return failed(run_verdict::requirement_missed, mistake::wrong_argument, why);
    }
  }
  return passed();
}

}  // namespace

matcher CopiesUsePinnedMemory() {
  return {"every copy between host and device uses pinned memory", judge_copies, reach::every_call};
}

matcher PinsAtMost(std::size_t bytes) {
  return {fmt::format("at most {} are pinned at a time", megabytes(bytes)),
          [bytes](const run_facts& run) { return judge_bytes_held(run, pinned_memory, bytes); },
          reach::every_call};
}

matcher HoldsDeviceMemoryAtMost(std::size_t bytes) {
  return {fmt::format("at most {} of device memory are held at a time", megabytes(bytes)),
          [bytes](const run_facts& run) { return judge_bytes_held(run, device_memory, bytes); },
          reach::every_call};
}

matcher FreesDeviceMemory() {
  return {"frees the device memory that it makes", judge_frees, reach::every_call};
}

matcher KeepsInThePool(std::string threshold, std::size_t bytes) {
  return {fmt::format("the pool keeps {}", megabytes(bytes)),
          [threshold = std::move(threshold), bytes](const run_facts& run) {
            return judge_release_threshold(run, threshold, bytes);
          },
          reach::every_call};
}

matcher PinsOnce(std::size_t bytes) {
  return {fmt::format("no more than {} are pinned in all", megabytes(bytes)),
          [bytes](const run_facts& run) { return judge_pinned_again(run, bytes); }, reach::every_call};
}

matcher ReleasesPinnedMemory() {
  return {"memory is pinned, and all of it released when nothing uses it any more", judge_releases,
          reach::every_call};
}

matcher AllocatesNoMemory() { return {"allocates no memory", judge_allocations, reach::every_call}; }

matcher WorkInDeviceMemory(operation_set operations) {
  return {fmt::format("{} work in device memory", operations.words),
          [operations](const run_facts& run) { return judge_memory_of_kernels(run, operations); },
          reach::every_call};
}

matcher WriteIntoStreamOrderedMemory(operation_set operations) {
  return {fmt::format("{} write into stream-ordered memory", operations.words),
          [operations](const run_facts& run) { return judge_written_memory(run, operations); },
          reach::every_call};
}

}  // namespace matchers

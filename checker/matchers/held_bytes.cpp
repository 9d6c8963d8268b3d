#include "matchers/held_bytes.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "matchers/facts/memory/held_memory.h"
#include "matchers/facts/words.h"

namespace matchers {
namespace {

using report::mistake;
using report::run_verdict;
using trace::allocation;
using trace::memory_kind;

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

}  // namespace

matcher PinsAtMost(std::size_t bytes) {
  return {fmt::format("at most {} are pinned at a time", megabytes(bytes)),
          [bytes](const run_facts& run) { return judge_bytes_held(run, pinned_memory, bytes); },
          reach::every_call};
}

matcher PinsOnce(std::size_t bytes) {
  return {fmt::format("no more than {} are pinned in all", megabytes(bytes)),
          [bytes](const run_facts& run) { return judge_pinned_again(run, bytes); }, reach::every_call};
}

matcher HoldsDeviceMemoryAtMost(std::size_t bytes) {
  return {fmt::format("at most {} of device memory are held at a time", megabytes(bytes)),
          [bytes](const run_facts& run) { return judge_bytes_held(run, device_memory, bytes); },
          reach::every_call};
}

}  // namespace matchers

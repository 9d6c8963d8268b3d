#include "matchers/facts/threads/thread_pause.h"

#include <fmt/core.h>

#include <algorithm>

#include "matchers/facts/learner_code.h"
#include "matchers/facts/words.h"

namespace matchers {

namespace {

/// Between two calls of a thread, or after its last.
struct gap {
  trace::nanoseconds length{0};
  interval time;
  const trace::host_call* before = nullptr;
  const trace::host_call* after = nullptr;
};

trace::nanoseconds common_length(interval one, interval other) {
  return std::min(one.second, other.second) - std::max(one.first, other.first);
}

gap longest_gap(const trace::recording& recording, trace::thread_id thread, interval time) {
  gap longest;
  const trace::host_call* before = nullptr;
  for (const trace::host_call& call : recording.calls) {
    if (call.thread != thread) continue;
    if (before != nullptr) {
      const interval between{before->end, call.start};
      const trace::nanoseconds inside = common_length(between, time);
      if (inside > longest.length) longest = {inside, between, before, &call};
    }
    before = &call;
  }
  return longest;
}

/// The thread that let it go on last in the gap; 0: none, or a host function.
trace::thread_id thread_that_passed_on(const trace::recording& recording, trace::thread_id thread,
                                       const gap& found) {
  trace::thread_id by = 0;
  for (const trace::host_edge& edge : recording.host_edges) {
    const bool is_in_gap = edge.to == thread && edge.to_after == found.before->id && !edge.is_join;
    if (is_in_gap) by = edge.from_operation != 0 ? 0 : edge.from;
  }
  return by;
}

const trace::host_call* longest_call(const trace::recording& recording, trace::thread_id thread,
                                     interval time) {
  const trace::host_call* longest = nullptr;
  trace::nanoseconds length{0};
  for (const trace::host_call& call : recording.calls) {
    const trace::nanoseconds inside = common_length({call.start, call.end}, time);
    if (call.thread != thread || inside <= length) continue;
    length = inside;
    longest = &call;
  }
  return longest;
}

/// The locks that the learner's code holds at the line of the call.
std::vector<held_lock> locks_at(const run_facts& run, const trace::host_call& call) {
  return run.recording().leads_to_line(call.where)
             ? locks_held_at(run.source(), static_cast<int>(call.where.line))
             : std::vector<held_lock>{};
}

}  // namespace

std::optional<thread_pause> longest_wait_for_thread(const run_facts& run, trace::thread_id thread,
                                                    interval time) {
  const trace::recording& recording = run.recording();
  const gap found = longest_gap(recording, thread, time);
  if (found.before == nullptr) return std::nullopt;
  const trace::thread_id other = thread_that_passed_on(recording, thread, found);
  const trace::host_call* const meanwhile = other == 0 ? nullptr : longest_call(recording, other, found.time);
  if (meanwhile == nullptr) return std::nullopt;
  thread_pause pause{found.length, "", {}};
  const std::string doing = in_words(recording, *meanwhile);
  for (const held_lock& held : locks_at(run, *meanwhile)) {
    for (const held_lock& wanted : locks_at(run, *found.after)) {
      if (held.mutex != wanted.mutex) continue;
      pause.sentence = fmt::format(
          "For {} of the pause it waited for the mutex `{}` ({}), which host thread {} held (from {}) while it was in {}.",
          duration_words(found.length), wanted.mutex, wanted.where, other, held.where, doing);
      pause.lines = {held.where};
      if (wanted.where != held.where) pause.lines.push_back(wanted.where);
      return pause;
    }
  }
  pause.sentence = fmt::format("For {} of the pause it waited for host thread {}, which was in {} meanwhile.",
                               duration_words(found.length), other, doing);
  return pause;
}

std::optional<late_call> lock_before_first_call(const run_facts& run, const trace::host_call& first,
                                                trace::thread_id other) {
  const trace::recording& recording = run.recording();
  bool is_started = false;  // by the first edge to it
  bool is_passed_on = false;
  for (const trace::host_edge& edge : recording.host_edges) {
    if (edge.to != first.thread || edge.to_after >= first.id) continue;
    is_passed_on |= is_started && edge.from == other && !edge.is_join;
    is_started = true;
  }
  const trace::host_call* const meanwhile =
      is_passed_on ? longest_call(recording, other, {trace::nanoseconds(0), first.start}) : nullptr;
  if (meanwhile == nullptr) return std::nullopt;
  for (const held_lock& held : locks_at(run, *meanwhile)) {
    for (const held_lock& wanted : locks_at(run, first)) {
      if (held.mutex != wanted.mutex) continue;
      const bool is_one_line = wanted.where == held.where;
      late_call late{
          fmt::format("the mutex `{}` ({}), which host thread {} holds{} while it is in {}", wanted.mutex,
                      wanted.where, other, is_one_line ? "" : fmt::format(" (from {})", held.where),
                      in_words(recording, *meanwhile)),
          {held.where}};
      if (!is_one_line) late.lines.push_back(wanted.where);
      return late;
    }
  }
  return std::nullopt;
}

}  // namespace matchers

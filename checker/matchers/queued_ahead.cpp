#include "matchers/queued_ahead.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "matchers/facts/memory/unused_memory.h"
#include "matchers/facts/skipped_calls.h"
#include "matchers/facts/value_lines.h"
#include "matchers/facts/words.h"
#include "trace/call_promise.h"

namespace matchers {

namespace {

using report::mistake;
using report::run_verdict;

std::string ahead_in_words(std::size_t count) { return fmt::format("{} ahead", count); }

/// Whether the work is known to be complete after that call, or the call made the device idle.
bool is_awaited_in(const run_facts& run, trace::operation_id work, const trace::host_call& call) {
  return run.ordering().is_before(work, analysis::host_point{call.thread, call.id}) ||
         trace::waits_for_idle_device(run.recording(), call);
}

/// The call of the part between the issue of two operations that waited for the first; nullptr when none did.
const trace::host_call* wait_between(const run_facts& run, trace::operation_id first,
                                     trace::operation_id second) {
  const trace::recording& recording = run.recording();
  const trace::call_id begin = recording.operation_at(first).issued_by;
  const trace::host_call& issue = recording.call_at(recording.operation_at(second).issued_by);
  for (const trace::call_id id : run.part().calls) {
    const trace::host_call& call = recording.call_at(id);
    if (id < begin || id > issue.id) continue;
    // What another thread waits for counts when the issuing thread goes on only after that.
    const bool leads_to_issue = call.thread == issue.thread ||
                                run.ordering().is_before(analysis::host_point{call.thread, id}, second);
    if (leads_to_issue && is_awaited_in(run, first, call)) return &call;
  }
  return nullptr;
}

/// When the wait began: that of a loop that asks with its first question.
trace::nanoseconds begin_of(const trace::recording& recording, const trace::host_call& wait) {
  trace::nanoseconds begin = wait.start;
  if (trace::effect_of(wait) != trace::call_effect::queries) return begin;
  for (trace::call_id id = wait.id - 1; id > 0; --id) {
    const trace::host_call& earlier = recording.call_at(id);
    if (earlier.thread != wait.thread) continue;
    if (earlier.function != wait.function || !earlier.where.is_same_line(wait.where)) break;
    begin = earlier.start;
  }
  return begin;
}

/// Of a wait for an event, where others that the function was given are never recorded: that this one was recorded again, and where it
/// comes from. False when there are none.
bool tell_of_unused_events(const run_facts& run, const trace::host_call& wait, report::evidence& why) {
  const trace::recording& recording = run.recording();
  if (wait.event == 0 || wait.captured == 0) return false;
  std::set<trace::event_id> given, recorded;
  for (const trace::event& event : recording.events) {
    const bool was_there = event.created_by < run.part().calls.front();
    const bool is_there = event.destroyed_by == 0 || event.destroyed_by > run.part().calls.back();
    if (was_there && is_there) given.insert(event.id);
  }
  for (const trace::operation_id id : run.part().operations) {
    const trace::operation& operation = recording.operation_at(id);
    if (operation.kind == trace::operation_kind::event_record && given.count(operation.event) != 0)
      recorded.insert(operation.event);
  }
  if (recorded.count(wait.event) == 0 || recorded.size() == given.size()) return false;
  const std::string place = place_of(recording, recording.operation_at(wait.captured));
  why.observation += fmt::format(
      " Its event had been recorded last{}, and each record replaces the one before. Of the {} events that were there when your "
      "function was called, it records only {}.",
      place.empty() ? "" : " at " + place, given.size(),
      recorded.size() == 1 ? "this one" : std::to_string(recorded.size()));
  why.values = lines_of_values(run.source(), value_of::statement, why);
  if (!place.empty()) why.where += ", " + place;
  return true;
}

verdict judge_ahead(const run_facts& run, const operation_set& set, std::size_t required) {
  const trace::recording& recording = run.recording();
  report::evidence why;
  why.required = fmt::format(
      "When the host queues one of the {}, the {} before it may still be in work: it has not waited for them.",
      set.words, required == 1 ? "one" : std::to_string(required));
  why.read_next =
      "The section \"The idea\" in the lesson's text: which step was in the slot that the host needs?";
  operation_ids queued = members(run.part(), set);
  std::erase_if(queued, [&](trace::operation_id id) { return recording.operation_at(id).issued_by == 0; });
  if (queued.empty()) {
    say_there_is_none(run, set, why);
    return failed(run_verdict::requirement_missed, mistake::no_kernels, why);
  }
  std::size_t ahead = required;
  trace::operation_id late = 0;
  const trace::host_call* wait = nullptr;
  for (std::size_t next = 1; next < queued.size(); ++next) {
    for (std::size_t back = 1; back <= std::min(ahead, next); ++back) {
      const trace::host_call* const found = wait_between(run, queued[next - back], queued[next]);
      if (found == nullptr) continue;
      ahead = back - 1;
      late = queued[next];
      wait = found;
    }
  }
  const report::measurement measured{ahead_in_words(ahead), ahead_in_words(required)};
  if (wait == nullptr) return passed(ahead_in_words(required), measured);
  const std::size_t place =
      static_cast<std::size_t>(std::find(queued.begin(), queued.end(), late) - queued.begin());
  why.observation = fmt::format(
      "Before {} was queued, the host waited in {}, for {}; {} was complete then. {} left queued.",
      in_words(recording, recording.operation_at(late)), in_words(recording, *wait),
      duration_words(wait->end - begin_of(recording, *wait)),
      in_words(recording, recording.operation_at(queued[place - ahead - 1])),
      ahead == 0 ? "Nothing was" : fmt::format("Only {} {}", ahead, ahead == 1 ? "was" : "were"));
  lead_to(why, recording, wait->where);
  if (!tell_of_unused_elements(run, why) && !tell_of_unused_events(run, *wait, why))
    name_condition_around(run, *wait, why);
  return failed(run_verdict::requirement_missed, mistake::needless_wait, why, measured);
}

}  // namespace

QueuesAhead::QueuesAhead(operation_set operations) : operations_(std::move(operations)) {}

matcher QueuesAhead::by(std::size_t count) const {
  return {fmt::format("the host queues {} {} ahead of what it waits for", count, operations_.words),
          [set = operations_, count](const run_facts& run) { return judge_ahead(run, set, count); },
          reach::every_call};
}

}  // namespace matchers

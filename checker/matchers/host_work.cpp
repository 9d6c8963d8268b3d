#include "matchers/host_work.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "analysis/host_points.h"
#include "analysis/places.h"
#include "matchers/facts/host_work_places.h"
#include "matchers/facts/intervals.h"
#include "matchers/facts/learner_code.h"
#include "matchers/facts/waiting_calls.h"
#include "matchers/facts/words.h"
#include "report/wording/names.h"
#include "trace/call_promise.h"

namespace matchers {

namespace {

using report::mistake;
using report::run_verdict;

/// Whether the recording says which host thread let which go on: a real GPU's does not.
bool knows_host_order(const trace::recording& recording) { return recording.host_accesses.has_value(); }

/// Where the thread that began the run is when the part ends.
analysis::host_point end_of_main_thread(const run_facts& run) {
  const std::vector<trace::host_call>& calls = run.recording().calls;
  const trace::thread_id thread = calls.empty() ? 0 : calls.front().thread;
  trace::call_id last = run.part().calls.empty() ? 0 : run.part().calls.back();
  while (last > 0 && run.recording().call_at(last).thread != thread) --last;
  return {thread, last, analysis::last_step};
}

/// How long the host worked, and how much of that beside operations of a set.
struct host_work_facts {
  std::vector<trace::call_id> calls;
  trace::nanoseconds begin{0};
  trace::nanoseconds worked{0};
  trace::nanoseconds beside{0};
  double fraction() const {
    return static_cast<double>(beside.count()) / static_cast<double>(worked.count());
  }
};

host_work_facts work_beside(const run_facts& run, const operation_set& set) {
  host_work_facts facts{.calls = working_calls(run.part())};
  const std::vector<interval> host = united(times_of_calls(run.recording(), facts.calls));
  if (!host.empty()) facts.begin = host.front().first;
  facts.worked = length(host);
  facts.beside = length(common(host, united(running_times(run.recording(), members(run.part(), set)))));
  return facts;
}

verdict enough_work(double fraction, double required) {
  return passed(fmt::format("{:.2f}, required {:.2f}", fraction, required), at_least(fraction, required));
}

// The longest wait between two pieces of work of the host is most often what kept it from working earlier.
const trace::host_call* longest_wait_before(const run_facts& run, trace::call_id last_work) {
  const trace::host_call* longest = nullptr;
  for (trace::call_id id : waiting_calls(run.part())) {
    const trace::host_call& call = run.recording().call_at(id);
    if (call.end <= run.recording().call_at(last_work).start &&
        (longest == nullptr || call.end - call.start > longest->end - longest->start)) {
      longest = &call;
    }
  }
  return longest;
}

/// The same, unless a thread that the program started may have done it meanwhile.
const trace::operation* host_function_that_did(const run_facts& run, const trace::host_call& work) {
  const trace::recording& recording = run.recording();
  const trace::operation* const function = host_function_around(run, work);
  const bool is_known = function != nullptr && knows_host_order(recording) && function->issued_by != 0 &&
                        recording.call_at(function->issued_by).thread != work.thread &&
                        !analysis::place_of_start(recording, work.thread).is_known();
  return is_known ? function : nullptr;
}

/// Says where that work began, and of a host function, to which it leads first, for what that had to wait.
void tell_of_begin(const run_facts& run, trace::call_id work, report::evidence& why) {
  const trace::recording& recording = run.recording();
  why.observation += " The work began " + place_of_work(run, work, why);
  if (const trace::operation* const function = host_function_that_did(run, recording.call_at(work))) {
    const std::string line = place_of(recording, *function);
    const std::string words = "in " + in_words(recording, *function) + in_brackets(line);
    if (!why.observation.ends_with(words)) why.observation += ", " + words;
    why.observation += ", which could begin only when all before it in its stream was done";
    if (!line.empty()) report::lead_first_to(why, line);
  }
  why.observation += '.';
}

/// Whether work of the set was queued before that wait, and all of it was done when the wait was over.
bool is_all_done_behind(const run_facts& run, const operation_set& set, const trace::host_call& wait) {
  operation_ids queued = members(run.part(), set);
  std::erase_if(
      queued, [&](trace::operation_id id) { return run.recording().operation_at(id).issued_by >= wait.id; });
  return !queued.empty() && std::all_of(queued.begin(), queued.end(), [&](trace::operation_id id) {
    return run.recording().operation_at(id).end <= wait.end;
  });
}

/// Whether the work was done by a host function that is complete, in every legal schedule, at that point.
bool is_in_awaited_function(const run_facts& run, const trace::host_call& work, analysis::host_point end) {
  const trace::operation* const function = host_function_around(run, work);
  return function != nullptr && run.ordering().is_before(function->id, end);
}

/// ": 4 times at a.cu:22, once at a.cu:27", and these lines; "" and none when one is not known.
std::string lines_of_work(const run_facts& run, const std::vector<trace::call_id>& calls,
                          std::vector<trace::location>& places) {
  const trace::recording& recording = run.recording();
  std::vector<std::size_t> counts;
  for (const trace::call_id id : calls) {
    const trace::location& where = recording.call_at(id).where;
    if (!recording.leads_to_line(where)) return places.clear(), "";
    const auto known = std::find_if(places.begin(), places.end(),
                                    [&](const trace::location& line) { return line.is_same_line(where); });
    if (known == places.end()) {
      places.push_back(where);
      counts.push_back(1);
    } else {
      ++counts[known - places.begin()];
    }
  }
  if (places.size() == 1) return ", at " + recording.describe(places.front());
  std::string words;
  for (std::size_t i = 0; i < places.size(); ++i) {
    words += fmt::format("{} {} at {}", i == 0 ? ":" : ",", times_in_words(counts[i]),
                         recording.describe(places[i]));
  }
  return words;
}

/// Operations, and for each the first work that the host began between its issue and that of the next; 0: none.
struct work_after_operations {
  operation_ids operations;
  std::vector<trace::call_id> work;
};

/// Of a set with one operation for each time that the host should have worked; empty when that does not say which times are missing.
work_after_operations work_after_each(const run_facts& run, const operation_set& set,
                                      const std::vector<trace::call_id>& calls, std::size_t times) {
  work_after_operations found{members(run.part(), set), {}};
  const auto issued = [&](std::size_t i) {
    return run.recording().operation_at(found.operations[i]).issued_by;
  };
  for (std::size_t i = 0; i < found.operations.size(); ++i) {
    const auto work = std::upper_bound(calls.begin(), calls.end(), issued(i));
    const bool is_in_time =
        work != calls.end() && (i + 1 == found.operations.size() || *work < issued(i + 1));
    found.work.push_back(is_in_time ? *work : 0);
  }
  const auto missing = static_cast<std::size_t>(std::count(found.work.begin(), found.work.end(), 0));
  if (found.operations.size() != times || missing == 0 || missing + calls.size() != times) return {};
  return found;
}

/// The line of the work that comes after other operations of the same line as that one; else the line of that one.
trace::location where_work_belongs(const trace::recording& recording, const work_after_operations& found,
                                   trace::operation_id alone) {
  const trace::location line = analysis::place_of_operation(recording, alone);
  for (std::size_t i = 0; i < found.operations.size(); ++i) {
    if (found.work[i] != 0 && analysis::place_of_operation(recording, found.operations[i]).is_same_line(line))
      return recording.call_at(found.work[i]).where;
  }
  return line;
}

/// Tells of work done too often or too seldom: in which lines, and beside which operations it is missing.
void tell_of_number(const run_facts& run, const std::vector<trace::call_id>& calls, const operation_set& set,
                    std::size_t times, report::evidence& why) {
  const trace::recording& recording = run.recording();
  std::vector<trace::location> places;
  const std::string lines = lines_of_work(run, calls, places);
  why.observation = fmt::format("It was done {}{}.", times_in_words(calls.size()), lines);
  if (lines.empty())
    why.observation += fmt::format(" The last time was {}.", place_of_work(run, calls.back(), why));
  // What is once too often is most often the last.
  if (calls.size() > times) std::reverse(places.begin(), places.end());
  const work_after_operations found = work_after_each(run, set, calls, times);
  if (!found.operations.empty()) {
    const auto none = std::find(found.work.begin(), found.work.end(), 0);
    const trace::operation& first = recording.operation_at(found.operations[none - found.work.begin()]);
    const std::string call = in_words(recording, first) + in_brackets(place_of(recording, first));
    why.observation +=
        first.id == found.operations.back()
            ? fmt::format(" It did not begin after the call for {}.", call)
            : fmt::format(" It did not begin between the call for {} and that for the next of the {}.", call,
                          set.words);
    places.insert(places.begin(), where_work_belongs(recording, found, first.id));
  }
  if (!places.empty()) lead_to(why, recording, places);
}

/// Of work that was not done as often as asked for, or need not be over when the part ends; nothing when all was done. `set` is the
/// work of the device beside which it belongs.
std::optional<verdict> problem_with_work(const run_facts& run, const std::vector<trace::call_id>& calls,
                                         const operation_set& set, std::optional<std::size_t> times) {
  report::evidence why;
  why.required = times
                     ? fmt::format("The work of the host is done {}, and is over when your function returns.",
                                   times_in_words(*times))
                     : "The host works.";
  why.read_next = "What the contract says about the host's work, and how often your function calls it.";
  if (calls.empty()) {
    why.observation = "The host task never ran.";
    const std::vector<trace::call_id>& all = run.part().calls;
    const auto last =
        std::find_if(all.rbegin(), all.rend(), [&](trace::call_id id) { return is_own_call(run, id); });
    if (last != all.rend()) {
      // No line to lead to: what keeps its value from call to call is a better one, where there is any.
      why.observation += fmt::format(" Your function returned after {}.",
                                     in_words(run.recording(), run.recording().call_at(*last)));
    }
    return failed(run_verdict::requirement_missed, mistake::host_task_missing, why);
  }
  if (!times) return std::nullopt;
  if (calls.size() != *times) {
    tell_of_number(run, calls, set, *times, why);
    return failed(run_verdict::requirement_missed, mistake::host_task_miscounted, why);
  }
  if (!knows_host_order(run.recording())) return std::nullopt;
  const analysis::host_point end = end_of_main_thread(run);
  for (const trace::call_id id : calls) {
    const trace::host_call& work = run.recording().call_at(id);
    if (work.thread == end.thread || run.ordering().is_before(analysis::host_point{work.thread, id}, end) ||
        is_in_awaited_function(run, work, end))
      continue;
    why.observation = fmt::format(
        "Host thread {} did it, and nothing lets your function wait for that thread: the work may still go on when the "
        "function has returned.",
        work.thread);
    why.observation += fmt::format(" The work began {}.", place_of_work(run, id, why));
    if (const std::string detached = line_of_detach(run.source()); !detached.empty()) {
      why.observation += fmt::format(" The thread is detached in {}.", detached);
      report::lead_first_to(why, detached);
    }
    return failed(run_verdict::requirement_missed, mistake::host_task_not_awaited, why);
  }
  return std::nullopt;
}

verdict judge_work_beside(const run_facts& run, const operation_set& set, std::optional<std::size_t> times,
                          double required) {
  report::evidence why;
  why.required = fmt::format("The host task runs while {} run, for at least {} of its length.", set.words,
                             percent(required));
  why.read_next = "The host lane in the picture of your run: which call kept the CPU while the copy ran?";
  const host_work_facts facts = work_beside(run, set);
  if (const auto problem = problem_with_work(run, facts.calls, set, times)) return *problem;
  if (facts.fraction() >= required) return enough_work(facts.fraction(), required);
  why.observation = fmt::format("The host worked for {}; {} were running during {} of that ({}).",
                                duration_words(facts.worked), set.words, duration_words(facts.beside),
                                percent(facts.fraction()));
  const trace::host_call* const wait = longest_wait_before(run, facts.calls.back());
  const trace::nanoseconds alone = facts.worked - facts.beside;
  if (wait != nullptr && 10 * (wait->end - wait->start) >= alone) {
    why.observation += fmt::format(" Its longest wait before that was in {}, for {}{}.",
                                   in_words(run.recording(), *wait), duration_words(wait->end - wait->start),
                                   is_all_done_behind(run, set, *wait)
                                       ? fmt::format(": then all {} queued so far were done", set.words)
                                       : "");
    lead_to(why, run.recording(), wait->where);
  }
  tell_of_begin(run, facts.calls.front(), why);
  return failed(run_verdict::requirement_missed, mistake::host_task_alone, why,
                at_least(facts.fraction(), required));
}

/// Adds the wait that stands before the work of the host, which is most often what emptied the GPU, and its line.
void tell_of_wait_before(const run_facts& run, trace::call_id work, report::evidence& why) {
  const trace::recording& recording = run.recording();
  const trace::host_call* last = nullptr;
  trace::nanoseconds waited{0};  // in all calls of that line in a row
  for (const trace::call_id id : waiting_calls(run.part())) {
    const trace::host_call& wait = recording.call_at(id);
    if (wait.end > recording.call_at(work).start) continue;
    const bool goes_on = last != nullptr && last->function == wait.function && last->thread == wait.thread &&
                         last->where.is_same_line(wait.where);
    waited = (goes_on ? waited : trace::nanoseconds(0)) + (wait.end - wait.start);
    last = &wait;
  }
  if (last == nullptr) return;
  lead_to(why, recording, last->where);
  if (last->thread != recording.call_at(work).thread) return;
  why.observation += fmt::format(
      " Before that the host waited for {} in {}{}.", duration_words(waited), in_words(recording, *last),
      is_all_done_behind(run, device_work(), *last) ? ", until all work queued so far was done" : "");
}

verdict judge_work_while_busy(const run_facts& run, std::optional<std::size_t> times, double required) {
  report::evidence why;
  why.required = fmt::format("The host task runs while the GPU is busy, for at least {} of its length.",
                             percent(required));
  why.read_next =
      "Where in your function is the GPU busy and the host free? The picture of your run shows both.";
  const host_work_facts facts = work_beside(run, device_work());
  if (const auto problem = problem_with_work(run, facts.calls, device_work(), times)) return *problem;
  if (facts.fraction() >= required) return enough_work(facts.fraction(), required);
  why.observation = fmt::format("The host worked for {}, from {}; the GPU was busy during {} of that ({}).",
                                duration_words(facts.worked), duration_words(facts.begin - run.part().begin),
                                duration_words(facts.beside), percent(facts.fraction()));
  if (host_function_that_did(run, run.recording().call_at(facts.calls.front())) == nullptr)
    tell_of_wait_before(run, facts.calls.front(), why);
  tell_of_begin(run, facts.calls.front(), why);
  return failed(run_verdict::requirement_missed, mistake::host_task_alone, why,
                at_least(facts.fraction(), required));
}

/// Whether the thread makes its first call of the part only after that call.
bool begins_after(const run_facts& run, trace::thread_id thread, const trace::host_call& call) {
  const std::vector<trace::call_id>& calls = run.part().calls;
  const auto first = std::find_if(calls.begin(), calls.end(), [&](trace::call_id id) {
    return run.recording().call_at(id).thread == thread;
  });
  return first != calls.end() && run.recording().call_at(*first).start >= call.end;
}

/// The copies, memsets and kernels that the host issues after the wait, in its own thread or in one that goes on only
/// then. What another thread issues meanwhile is not held up by it.
operation_ids issued_after(const run_facts& run, const operation_ids& work, const trace::host_call& wait) {
  const trace::recording& recording = run.recording();
  operation_ids later = work;
  std::erase_if(later, [&](trace::operation_id id) {
    if (run.ordering().is_before(analysis::host_point{wait.thread, wait.id}, id)) return false;
    const trace::call_id issued_by = recording.operation_at(id).issued_by;
    return knows_host_order(recording) || issued_by == 0 ||
           !begins_after(run, recording.call_at(issued_by).thread, wait);
  });
  return later;
}

std::string waits_in_words(std::size_t count) {
  if (count == 0) return "no wait";
  return count == 1 ? "1 wait" : fmt::format("{} waits", count);
}

/// Whether the thread made no call while the function began: that is what a wait for it looks like from outside.
bool is_silent_at(const trace::recording& recording, const trace::host_edge& edge, trace::nanoseconds time) {
  if (edge.to_after != 0 && recording.call_at(edge.to_after).end > time) return false;
  for (std::size_t next = edge.to_after; next < recording.calls.size(); ++next) {
    if (recording.calls[next].thread == edge.to) return recording.calls[next].start >= time;
  }
  return true;
}

/// The work that a thread queues only when a host function of the part has let it go on, by a promise or the like. Empty when no
/// thread waits for one.
struct late_work {
  trace::operation_id function = 0;
  operation_ids queued;
};

late_work queued_after_host_function(const run_facts& run, const operation_ids& work) {
  const trace::recording& recording = run.recording();
  const operation_ids functions = members(run.part(), host_functions());
  for (const trace::host_edge& edge : recording.host_edges) {
    if (edge.to == 0 || !std::binary_search(functions.begin(), functions.end(), edge.from_operation) ||
        !is_silent_at(recording, edge, recording.operation_at(edge.from_operation).start))
      continue;
    operation_ids later = work;
    std::erase_if(later, [&](trace::operation_id id) {
      return !run.ordering().is_before(analysis::host_point{edge.to, edge.to_after, edge.to_step}, id);
    });
    if (!later.empty()) return {edge.from_operation, later};
  }
  return {};
}

/// Whether the host waits in that call only because its copy is of pageable memory.
bool waits_for_pageable_memory(const trace::recording& recording, const trace::host_call& call) {
  if (call.operation == 0 || trace::promise_of(recording, call) != trace::call_promise::nothing) return false;
  return trace::copies_pageable_memory(recording.operation_at(call.operation));
}

verdict judge_early_waits(const run_facts& run) {
  report::evidence why;
  why.required = "The host queues all copies and kernels first and waits only after that.";
  why.read_next = "The list of calls in the lesson's text: which of them return at once, and which wait.";
  const operation_ids work = members(run.part(), device_work());
  if (work.empty()) {
    say_there_is_none(run, device_work(), why);
    return failed(run_verdict::requirement_missed, mistake::nothing_queued, why);
  }
  std::vector<trace::call_id> early = waiting_calls(run.part());
  std::erase_if(
      early, [&](trace::call_id id) { return issued_after(run, work, run.recording().call_at(id)).empty(); });
  const report::measurement measured{waits_in_words(early.size()), waits_in_words(0)};
  if (const late_work late = queued_after_host_function(run, work); early.empty() && late.function != 0) {
    const trace::operation& function = run.recording().operation_at(late.function);
    why.observation = fmt::format(
        "The host went on only when {} let it; {} of the {} operations were queued only after that, the first "
        "is {}.",
        in_words(run.recording(), function), late.queued.size(), work.size(),
        in_words(run.recording(), run.recording().operation_at(late.queued.front())));
    lead_to(why, run.recording(), function);
    return failed(run_verdict::requirement_missed, mistake::host_waits_early, why,
                  report::measurement{waits_in_words(1), waits_in_words(0)});
  }
  if (early.empty()) {
    return passed(fmt::format("{} operations queued before the first wait", work.size()), measured);
  }
  const trace::host_call& first = run.recording().call_at(early.front());
  const std::size_t later = issued_after(run, work, first).size();
  why.observation = fmt::format(
      "The host waited {} before everything was queued. The first time was in {}, for {}; {} of the {} copies "
      "and kernels were queued only after that.",
      times_in_words(early.size()), in_words(run.recording(), first), duration_words(first.end - first.start),
      later, work.size());
  if (waits_for_pageable_memory(run.recording(), first))
    why.observation += " That copy is of pageable memory: only one of pinned memory returns at once.";
  lead_to(why, run.recording(), first.where);
  return failed(run_verdict::requirement_missed, mistake::host_waits_early, why, measured);
}

}  // namespace

HostWorksWhile::HostWorksWhile(operation_set operations) : operations_(std::move(operations)) {}

HostWorksWhile HostWorksWhile::in_calls(std::size_t count) const {
  HostWorksWhile copy = *this;
  copy.calls_ = count;
  return copy;
}

matcher HostWorksWhile::at_least(double fraction) const {
  return {fmt::format("the host works while {} run, for at least {}", operations_.words, percent(fraction)),
          [set = operations_, times = calls_, fraction](const run_facts& run) {
            return judge_work_beside(run, set, times, fraction);
          }};
}

HostWorksWhileDeviceIsBusy HostWorksWhileDeviceIsBusy::in_calls(std::size_t count) const {
  HostWorksWhileDeviceIsBusy copy = *this;
  copy.calls_ = count;
  return copy;
}

matcher HostWorksWhileDeviceIsBusy::at_least(double fraction) const {
  return {fmt::format("the host works while the device is busy, for at least {}", percent(fraction)),
          [times = calls_, fraction](const run_facts& run) {
            return judge_work_while_busy(run, times, fraction);
          }};
}

matcher HostWorks(std::size_t times) {
  return {fmt::format("the host works {}", times_in_words(times)),
          [times](const run_facts& run) {
            const auto problem = problem_with_work(run, working_calls(run.part()), device_work(), times);
            return problem ? *problem : passed(times_in_words(times));
          },
          reach::every_call};
}

matcher QueuesAllWorkBeforeWaiting() {
  return {"the host queues all copies and kernels before it waits", judge_early_waits, reach::every_call};
}

}  // namespace matchers

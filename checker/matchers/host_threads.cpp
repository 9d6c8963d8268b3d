#include "matchers/host_threads.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "analysis/places.h"
#include "matchers/facts/threads/thread_pause.h"
#include "matchers/facts/words.h"
#include "report/wording/names.h"

namespace matchers {

namespace {

using report::mistake;
using report::run_verdict;

/// The thread that issued the operation; 0: not known.
trace::thread_id thread_of(const trace::recording& recording, const trace::operation& operation) {
  return operation.issued_by == 0 ? 0 : recording.call_at(operation.issued_by).thread;
}

/// Where somebody waited for its end; "" when that is not known.
std::string line_of_join(const trace::recording& recording, trace::thread_id thread) {
  const auto join =
      std::find_if(recording.host_edges.begin(), recording.host_edges.end(),
                   [&](const trace::host_edge& edge) { return edge.is_join && edge.from == thread; });
  return join == recording.host_edges.end() ? "" : recording.describe(join->where);
}

/// Both lines, without what is empty or there twice.
std::string joined(const std::string& first, const std::string& second) {
  if (first.empty() || first == second) return second;
  return second.empty() ? first : first + ", " + second;
}

verdict judge_threads(const run_facts& run, std::size_t required, const operation_set& launched) {
  const trace::recording& recording = run.recording();
  const operation_ids operations = members(run.part(), launched);
  std::set<trace::thread_id> threads;
  for (const trace::operation_id id : operations) {
    if (const trace::thread_id thread = thread_of(recording, recording.operation_at(id)))
      threads.insert(thread);
  }
  if (threads.size() == required) return passed();
  report::evidence why;
  why.required = fmt::format("The {} are launched by {} host threads.", launched.words, required);
  why.observation = fmt::format(
      "{} launched them.", threads.size() == 1 ? "One thread" : std::to_string(threads.size()) + " threads");
  if (!operations.empty()) {
    const std::string start = recording.describe(analysis::place_of_start(recording, *threads.begin()));
    if (!start.empty())
      why.observation += fmt::format(" {} was started in {}.",
                                     report::capitalized(report::thread_in_words(*threads.begin())), start);
    why.where = joined(start, place_of(recording, recording.operation_at(operations.front())));
  }
  why.read_next = "The contract of the lesson: how many threads it asks for in each call.";
  return failed(run_verdict::requirement_missed, mistake::plan_not_followed, why);
}

/// What another thread has queued, and what kept the call from returning; nullptr when there is nothing.
const trace::operation* work_of_another(const trace::recording& recording, const trace::host_call& call) {
  if (!call.waited_for) return nullptr;
  for (const trace::constraint& constraint : *call.waited_for) {
    if (constraint.operation == 0 || constraint.until <= call.start) continue;
    const trace::operation& awaited = recording.operation_at(constraint.operation);
    const trace::thread_id issuer = thread_of(recording, awaited);
    if (issuer != 0 && issuer != call.thread) return &awaited;
  }
  return nullptr;
}

verdict judge_waits_of_threads(const run_facts& run) {
  const trace::recording& recording = run.recording();
  for (const trace::call_id id : run.part().calls) {
    const trace::host_call& call = recording.call_at(id);
    const trace::operation* const awaited = work_of_another(recording, call);
    if (awaited == nullptr || !recording.is_own(call.where)) continue;
    report::evidence why;
    why.required = "A host thread waits for its own work, and not for that of another.";
    why.observation = fmt::format(
        "In {}, {} was not over before {}, which {} had queued ({}).", report::thread_in_words(call.thread),
        in_words(recording, call), in_words(recording, *awaited),
        report::thread_in_words(thread_of(recording, *awaited)), place_of(recording, *awaited));
    lead_to(why, recording, call.where);
    why.read_next = "The table of calls in the lesson's text: what each of them waits for.";
    return failed(run_verdict::requirement_missed, mistake::needless_wait, why);
  }
  return passed();
}

/// What one thread has queued, as a time_span of time.
struct time_span {
  trace::nanoseconds begin{};
  trace::nanoseconds end{};
  trace::operation_id operation = 0;
};

/// By thread, in order of issue.
using spans_by_thread = std::map<trace::thread_id, std::vector<time_span>>;

bool overlap_in_time(const std::vector<time_span>& one, const std::vector<time_span>& other) {
  return std::any_of(one.begin(), one.end(), [&](const time_span& mine) {
    return std::any_of(other.begin(), other.end(), [&](const time_span& theirs) {
      return mine.begin < theirs.end && theirs.begin < mine.end;
    });
  });
}

bool any_overlap(const spans_by_thread& all) {
  for (auto one = all.begin(); one != all.end(); ++one) {
    for (auto other = std::next(one); other != all.end(); ++other) {
      if (overlap_in_time(one->second, other->second)) return true;
    }
  }
  return false;
}

/// Whether `late` was started by somebody who had waited for the end of `early`.
bool was_started_after(const trace::recording& recording, trace::thread_id early, trace::thread_id late) {
  std::optional<trace::thread_id> joined_by;
  for (const trace::host_edge& edge : recording.host_edges) {
    if (edge.to == late && edge.from != 0)
      return joined_by == edge.from;  // the first edge to a thread starts it
    if (edge.from == early && edge.to != 0) joined_by = edge.to;
  }
  return false;
}

/// The first call of the thread in the part; nullptr when there is none.
const trace::host_call* first_call_of(const run_facts& run, trace::thread_id thread) {
  for (const trace::call_id id : run.part().calls) {
    const trace::host_call& call = run.recording().call_at(id);
    if (call.thread == thread && run.recording().is_own(call.where)) return &call;
  }
  return nullptr;
}

verdict judge_side_by_side(const run_facts& run, const operation_set& set) {
  const trace::recording& recording = run.recording();
  spans_by_thread all;
  for (const trace::operation_id id : members(run.part(), set)) {
    const trace::operation& operation = recording.operation_at(id);
    if (const trace::thread_id thread = thread_of(recording, operation))
      all[thread].push_back({operation.issued, operation.end, id});
  }
  if (all.size() < 2 || any_overlap(all)) return passed();

  // The thread that came second, and what the others had queued last before that.
  std::vector<std::pair<trace::nanoseconds, trace::thread_id>> order;
  for (const auto& [thread, spans] : all) order.emplace_back(spans.front().begin, thread);
  std::sort(order.begin(), order.end());
  const trace::thread_id early = order[0].second, late = order[1].second;
  const time_span* last = nullptr;
  for (const time_span& before : all[early]) {
    if (before.begin < order[1].first) last = &before;
  }
  const trace::host_call* const first_call = first_call_of(run, late);
  // A thread that is there and waits in a call is not kept out: what it waits for is told by others.
  if (first_call == nullptr || first_call->start < last->end) return passed();
  const trace::operation& first = recording.operation_at(all[late].front().operation);
  const std::string early_words = report::thread_in_words(early);
  report::evidence why;
  why.required = fmt::format("The {} of one host thread run while those of another do.", set.words);
  why.observation = fmt::format(
      "At no time had two threads {} on the device. {} queued its first ({}) when those of {} were over.",
      set.words, report::capitalized(report::thread_in_words(late)), place_of(recording, first), early_words);
  if (was_started_after(recording, early, late)) {
    const std::string start = recording.describe(analysis::place_of_start(recording, late));
    const std::string join = line_of_join(recording, early);
    why.observation +=
        fmt::format(" It was started{} only when {} had ended{}.", in_brackets(start), early_words,
                    join.empty() ? "" : fmt::format(", which is waited for in {}", join));
    why.where = joined(join, start);
    why.read_next = "Start all threads, then wait for their ends.";
  } else {
    const auto late_call = lock_before_first_call(run, *first_call, early);
    why.observation +=
        fmt::format(" It was there before, and did not come to {}: {}.", in_words(recording, *first_call),
                    late_call ? "that is behind the lock of " + late_call->lock
                              : "a lock, or another wait between the threads, kept it out");
    lead_to(why, recording, first_call->where);
    if (late_call) {
      for (auto line = late_call->lines.rbegin(); line != late_call->lines.rend(); ++line)
        report::lead_first_to(why, *line);
    }
    why.read_next = "Hold a lock as long as what it guards is in use, and no longer.";
  }
  return failed(run_verdict::no_overlap, mistake::host_waits_early, why);
}

/// The same in the learner's file.
const trace::host_call* first_own_call_of(const run_facts& run, trace::thread_id thread) {
  for (const trace::call_id id : run.part().calls) {
    const trace::host_call& call = run.recording().call_at(id);
    if (call.thread == thread && run.recording().is_own(call.where)) return &call;
  }
  return nullptr;
}

verdict judge_joins(const run_facts& run) {
  const trace::recording& recording = run.recording();
  if (!recording.host_accesses || run.part().calls.empty()) return passed();
  const trace::call_id end = run.part().calls.back();
  const auto is_joined = [&](trace::thread_id thread) {
    return std::any_of(recording.host_edges.begin(), recording.host_edges.end(),
                       [&](const trace::host_edge& edge) {
                         return edge.is_join && edge.from == thread && edge.to_after <= end;
                       });
  };
  for (const trace::call_id id : run.part().calls) {
    const trace::host_call& call = recording.call_at(id);
    if (call.thread == recording.calls.front().thread || is_joined(call.thread)) continue;
    report::evidence why;
    why.required = "When your function returns, all threads that it has started have ended.";
    const trace::host_call* const first = first_own_call_of(run, call.thread);
    why.observation = fmt::format(
        "Nobody had joined {} by then: it may still run, also when it has told that its work is done.",
        report::thread_in_words(call.thread));
    if (first != nullptr) {
      why.observation += fmt::format(" Its first call was {}.", in_words(recording, *first));
      lead_to(why, recording, first->where);
    }
    if (const std::string start = recording.describe(analysis::place_of_start(recording, call.thread));
        !start.empty()) {
      why.observation += fmt::format(" It was started in {}.", start);
      why.where = joined(start, why.where);
    }
    why.read_next =
        "Where your function starts its threads: std::thread::join() waits for the end of a thread; who detaches it "
        "cannot.";
    return failed(run_verdict::requirement_missed, mistake::thread_not_joined, why);
  }
  return passed();
}

}  // namespace

matcher JoinsItsThreads() {
  return {"every host thread is joined before the function returns", judge_joins, reach::every_call};
}

matcher LaunchedByThreads(std::size_t threads, operation_set launched) {
  return {fmt::format("{} threads launch the {}", threads, launched.words),
          [threads, launched = std::move(launched)](const run_facts& run) {
            return judge_threads(run, threads, launched);
          },
          reach::every_call};
}

matcher ThreadsWaitForTheirOwnWork() {
  return {"a host thread waits for its own work", judge_waits_of_threads};
}

matcher ThreadsWorkBesideEachOther(operation_set set) {
  return {fmt::format("the {} of one host thread run while those of another do", set.words),
          [set = std::move(set)](const run_facts& run) { return judge_side_by_side(run, set); }};
}

}  // namespace matchers

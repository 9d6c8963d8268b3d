#include "matchers/facts/threads/races_of_locks.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/places.h"
#include "matchers/facts/learner_code.h"
#include "matchers/facts/threads/shared_variables.h"
#include "report/wording/names.h"
#include "report/wording/race_sentences.h"
#include "trace/call_promise.h"

namespace matchers {

namespace {

/// The locks that the learner's code holds at the line of that side, as far as the text of the file shows it.
std::vector<held_lock> locks_at(const run_facts& run, const analysis::race_side& side) {
  const trace::location place = side.operation != 0
                                    ? analysis::place_of_issue(run.recording(), side.operation)
                                    : analysis::place_of(run.recording(), side);
  return run.recording().leads_to_line(place) ? locks_held_at(run.source(), static_cast<int>(place.line))
                                              : std::vector<held_lock>{};
}

/// The first call behind the operation, of the thread that issued it, behind which it is known to be complete; nullptr: none.
const trace::host_call* wait_for(const run_facts& run, const trace::operation& work) {
  const trace::recording& recording = run.recording();
  const trace::thread_id thread = recording.call_at(work.issued_by).thread;
  const auto found = std::find_if(
      recording.calls.begin() + work.issued_by, recording.calls.end(), [&](const trace::host_call& call) {
        return call.thread == thread && trace::effect_of(call) == trace::call_effect::synchronizes &&
               run.ordering().is_before(work.id, analysis::host_point{thread, call.id});
      });
  return found == recording.calls.end() ? nullptr : &*found;
}

bool holds(const std::vector<held_lock>& locks, const std::string& mutex) {
  return std::any_of(locks.begin(), locks.end(), [&](const held_lock& one) { return one.mutex == mutex; });
}

}  // namespace

bool tell_of_private_mutexes(const run_facts& run, const analysis::race_diagnosis& race,
                             report::evidence& why) {
  bool is_held = false;
  for (const private_mutex& own : private_mutexes(run.source())) {
    const std::string problem = fmt::format(
        "`{}` ({}) is {}: it keeps no other thread out.", own.name, own.where,
        own.is_of_thread ? "another one in each thread" : "made anew each time its line is reached");
    const bool is_held_here = holds(locks_at(run, race.cause.example.first), own.name) ||
                              holds(locks_at(run, race.cause.example.second), own.name);
    if (is_held_here && !is_held) {
      why.observation = report::race_sides(run.recording(), race) + "The mutex " + problem +
                        " Nothing orders the two until all threads lock one and the same.";
    } else {
      why.observation += " The mutex " + problem;
    }
    is_held |= is_held_here;
    report::lead_first_to(why, own.where);
  }
  return is_held;
}

bool tell_of_mutexes_of_one_name(const run_facts& run, const analysis::race_diagnosis& race,
                                 report::evidence& why) {
  const analysis::race& example = race.cause.example;
  const auto has = [&](std::string_view word) { return run.source().text.find(word) != std::string::npos; };
  if (example.first.operation != 0 || example.second.operation != 0 || has("shared_lock") ||
      has("lock_shared"))
    return false;
  const std::vector<held_lock> later = locks_at(run, example.second);
  for (const held_lock& lock : locks_at(run, example.first)) {
    if (!holds(later, lock.mutex)) continue;
    const std::string declared = line_of_mutex(run.source(), lock.mutex);
    why.observation =
        report::race_sides(run.recording(), race) +
        fmt::format(
            "Each holds a mutex called `{}`{} there ({}), and nothing orders the two all the same: these are two mutexes, such as "
            "members of two objects. Let all threads lock one and the same.",
            lock.mutex, declared.empty() ? "" : fmt::format(" ({})", declared), lock.where);
    report::lead_first_to(why, lock.where);
    report::lead_first_to(why, declared);
    return true;
  }
  return false;
}

bool tell_of_unnamed_locks(const run_facts& run, const analysis::race_diagnosis& race,
                           report::evidence& why) {
  const std::vector<unnamed_lock> locks = unnamed_locks(run.source());
  if (locks.empty()) return false;
  why.observation = report::race_sides(run.recording(), race);
  for (const unnamed_lock& lock : locks) {
    why.observation +=
        lock.declared.empty()
            ? fmt::format(
                  "The lock at {} has no name: it is released at the end of its own line. Give it a name.",
                  lock.line)
            : fmt::format(
                  "{} declares an empty lock called `{}`, and locks nothing. Give the lock a name of its own: "
                  "`std::unique_lock lock({});`.",
                  lock.line, lock.declared, lock.declared);
    report::lead_first_to(why, lock.line);
  }
  return true;
}

void tell_of_short_lock(const run_facts& run, const analysis::race_diagnosis& race, report::evidence& why) {
  const analysis::race& example = race.cause.example;
  const trace::recording& recording = run.recording();
  if (example.first.operation != 0 || example.second.operation == 0) return;
  const std::vector<held_lock> later = locks_at(run, example.second);
  for (const held_lock& lock : locks_at(run, example.first)) {
    if (holds(later, lock.mutex)) continue;
    why.observation +=
        fmt::format(" The mutex `{}` is locked ({}) at {}, and not any more at {}.", lock.mutex, lock.where,
                    recording.describe(analysis::place_of(recording, example.first)),
                    recording.describe(analysis::place_of_issue(recording, example.second.operation)));
    if (why.where.find(lock.where) == std::string::npos)
      why.where += (why.where.empty() ? "" : ", ") + lock.where;
    return;
  }
}

void tell_of_outlasted_lock(const run_facts& run, const analysis::race_diagnosis& race,
                            report::evidence& why) {
  const analysis::race& example = race.cause.example;
  const trace::recording& recording = run.recording();
  if (example.first.operation == 0 || example.second.operation != 0) return;
  const trace::operation& work = recording.operation_at(example.first.operation);
  if (work.issued_by == 0) return;
  const trace::thread_id issuer = recording.call_at(work.issued_by).thread;
  if (issuer == recording.host_accesses->at(example.second.host_access).thread) return;
  const std::vector<held_lock> later = locks_at(run, example.second);
  for (const held_lock& lock : locks_at(run, example.first)) {
    if (!holds(later, lock.mutex)) continue;
    const trace::host_call* const wait = wait_for(run, work);
    const bool is_behind_lock =
        wait != nullptr && recording.leads_to_line(wait->where) &&
        !holds(locks_held_at(run.source(), static_cast<int>(wait->where.line)), lock.mutex);
    const std::string name = report::name_of(recording, work);
    why.observation =
        report::race_sides(recording, race) +
        fmt::format(
            "{} issues {} while it holds the mutex `{}` ({}), and releases that before {} is done{}. Wait "
            "for it before the mutex is released.",
            report::capitalized(report::thread_in_words(issuer)), name, lock.mutex, lock.where, name,
            is_behind_lock
                ? fmt::format(": it waits for that in {}, behind the lock", recording.describe(wait->where))
                : "");
    if (why.where.find(lock.where) == std::string::npos) why.where += ", " + lock.where;
    if (is_behind_lock) why.where += ", " + recording.describe(wait->where);
    return;
  }
}

}  // namespace matchers

#include "matchers/is_ordered.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/misuse.h"
#include "analysis/places.h"
#include "analysis/race_diagnosis.h"
#include "analysis/races.h"
#include "matchers/facts/learner_code.h"
#include "matchers/facts/own_element.h"
#include "matchers/facts/shared_variables.h"
#include "matchers/facts/skipped_calls.h"
#include "matchers/facts/unused_memory.h"
#include "matchers/facts/value_lines.h"
#include "matchers/facts/words.h"
#include "matchers/pipeline.h"
#include "report/wording/misuse_sentences.h"
#include "report/wording/names.h"
#include "report/wording/race_sentences.h"
#include "trace/call_promise.h"

namespace matchers {

namespace {

/// The side of a race of host code that a loop of the learner's reads, to wait for what the other side writes; nullptr: neither.
const analysis::race_side* waiting_loop(const run_facts& run, const analysis::race_diagnosis& race) {
  if (race.mistake != analysis::race_mistake::host_code_unordered) return nullptr;
  for (const analysis::race_side* const side : {&race.cause.example.second, &race.cause.example.first}) {
    const trace::location place = analysis::place_of(run.recording(), *side);
    if (side->operation == 0 && side->mode == trace::access_mode::read && run.recording().is_own(place) &&
        is_named_on(run.source(), "while", static_cast<int>(place.line)))
      return side;
  }
  return nullptr;
}

/// The host thread that uses memory of the device's work without order, before the function returns; 0: none.
trace::thread_id user_of(const trace::recording& recording, const analysis::race_diagnosis& race) {
  for (const auto& [side, actor] : {std::pair(&race.cause.example.first, race.first),
                                    std::pair(&race.cause.example.second, race.second)}) {
    if (side->operation == 0 && actor != analysis::race_actor::caller)
      return recording.host_accesses->at(side->host_access).thread;
  }
  return 0;
}

/// Whether one side is that thread, which reads.
bool reads_in(const trace::recording& recording, const analysis::race_diagnosis& race,
              trace::thread_id thread) {
  const auto reads = [&](const analysis::race_side& side) {
    return side.operation == 0 && side.mode == trace::access_mode::read &&
           recording.host_accesses->at(side.host_access).thread == thread;
  };
  return reads(race.cause.example.first) || reads(race.cause.example.second);
}

/// The first race, unless it is between code that the learner did not write and another has its lines: what shares no data
/// but by way of the learner's mistake is a consequence of it.
const analysis::race_diagnosis& most_telling(const run_facts& run,
                                             const std::vector<analysis::race_diagnosis>& races) {
  const trace::recording& recording = run.recording();
  const auto is_own = [&](const analysis::race_side& side, analysis::race_actor actor) {
    return actor == analysis::race_actor::own_function &&
           recording.is_own(analysis::place_of(recording, side));
  };
  const auto has_both_lines = [&](const analysis::race_diagnosis& race) {
    return is_own(race.cause.example.first, race.first) && is_own(race.cause.example.second, race.second);
  };
  const auto is_on_host = [&](const analysis::race_diagnosis& race) {
    return race.mistake == analysis::race_mistake::host_code_unordered;
  };
  if (!is_on_host(races.front())) {
    // What a thread reads decides which memory it uses then.
    const trace::thread_id user = user_of(recording, races.front());
    const auto by_user = std::find_if(races.begin(), races.end(), [&](const analysis::race_diagnosis& race) {
      return user != 0 && is_on_host(race) && has_both_lines(race) && reads_in(recording, race, user);
    });
    return by_user == races.end() ? races.front() : *by_user;
  }
  // What a host function takes from a variable decides what it tells others.
  const auto by_function =
      std::find_if(races.begin(), races.end(), [&](const analysis::race_diagnosis& race) {
        const bool is_of_function =
            race.cause.example.first.operation != 0 || race.cause.example.second.operation != 0;
        return is_on_host(race) && is_of_function && has_both_lines(race);
      });
  if (by_function != races.end()) return *by_function;
  // What a loop waits for decides when its thread goes on.
  const auto by_loop = std::find_if(races.begin(), races.end(), [&](const analysis::race_diagnosis& race) {
    return has_both_lines(race) && waiting_loop(run, race) != nullptr;
  });
  if (by_loop != races.end()) return *by_loop;
  if (has_both_lines(races.front())) return races.front();
  const auto found = std::find_if(races.begin(), races.end(), [&](const analysis::race_diagnosis& race) {
    return is_on_host(race) && has_both_lines(race);
  });
  return found == races.end() ? races.front() : *found;
}

/// The learner's next call in the thread that made an access in a function that the learner calls: that function was called before
/// it. nullptr when there is no such access, or the thread made no more calls.
const trace::host_call* call_behind(const trace::recording& recording, const analysis::race_diagnosis& race) {
  const auto call_after = [&](const analysis::race_side& side,
                              analysis::race_actor actor) -> const trace::host_call* {
    if (side.operation != 0 || actor != analysis::race_actor::callee) return nullptr;
    const trace::host_access& access = recording.host_accesses->at(side.host_access);
    const auto found =
        std::find_if(recording.calls.begin(), recording.calls.end(), [&](const trace::host_call& call) {
          return call.id > access.after && call.thread == access.thread && recording.is_own(call.where);
        });
    return found == recording.calls.end() ? nullptr : &*found;
  };
  const trace::host_call* const second = call_after(race.cause.example.second, race.second);
  return second != nullptr ? second : call_after(race.cause.example.first, race.first);
}

/// Stream-ordered memory that a call like cudaFree() releases at once, while work may still use it.
std::optional<verdict> freed_too_early(const run_facts& run) {
  const trace::recording& recording = run.recording();
  for (const analysis::misuse& found : analysis::find_misuse(run.part(), run.ordering())) {
    if (found.kind != analysis::misuse_kind::freed_while_in_use ||
        !trace::is_stream_ordered(recording, recording.allocation_at(found.allocation)))
      continue;
    report::evidence why;
    why.required = "Memory is freed behind the last operation that uses it.";
    why.observation = report::misuse_sentences(recording, found);
    lead_to(why, recording, analysis::places_of(recording, found));
    why.read_next = "cudaFreeAsync in the section \"The calls\" in the lesson's text.";
    return failed(report::run_verdict::race_detected, analysis::rule_of(recording, found), why);
  }
  return std::nullopt;
}

/// Says of a function that returned too early what may have ended it.
void tell_of_early_return(const run_facts& run, report::evidence& why) {
  if (const std::string failure = failure_of_call(run, trace::call_effect::launches_kernel); !failure.empty())
    why.observation +=
        fmt::format(" That was in a call in which {}: every way out after it has to wait.", failure);
  name_unreached_call(run, trace::call_effect::synchronizes, why);
}

/// The lines at which the race is, and those that led to them by calls.
std::vector<trace::location> lines_of(const trace::recording& recording,
                                      const analysis::race_diagnosis& race) {
  std::vector<trace::location> lines = race.places;
  for (const trace::location& place : race.places) {
    const std::vector<trace::location>& callers = recording.callers_of(place);
    lines.insert(lines.end(), callers.begin(), callers.end());
  }
  return lines;
}

/// Of a host function that was given the address of a local variable, which the other side changes: says so in place of advice for
/// what is shared. False when there is none.
bool tell_of_passed_variable(const run_facts& run, const analysis::race_diagnosis& race,
                             report::evidence& why) {
  const trace::recording& recording = run.recording();
  const analysis::race& example = race.cause.example;
  for (const auto& [function, other] :
       {std::pair(&example.first, &example.second), std::pair(&example.second, &example.first)}) {
    if (function->operation == 0) continue;
    const trace::location passed = analysis::place_of_issue(recording, function->operation);
    const trace::location changed = analysis::place_of(recording, *other);
    if (!recording.is_own(passed) || !recording.is_own(changed)) continue;
    const auto local = local_variable_passed_at(run.source(), static_cast<int>(passed.line));
    if (!local || !is_named_on(run.source(), local->name, static_cast<int>(changed.line))) continue;
    const std::string line = recording.describe(passed);
    why.observation =
        report::race_sides(recording, race) +
        fmt::format(
            "They are `{0}`, a local variable ({1}): the host function is given its address ({2}), and runs when {3} or the variable "
            "is gone. No lock cures that: pass what it holds, or memory that each call has of its own and that lives until it has "
            "run.",
            local->name, local->where, line,
            local->is_of_loop ? "it may hold the value of another round" : "it may hold something else");
    const std::vector<std::string> places = report::places_in(why);
    why.where = line;
    for (const std::string& place : places)
      if (place != line) why.where += ", " + place;
    return true;
  }
  return false;
}

/// Names a loop that waits for the variable, in place of advice for shared variables, and the line that detaches the thread which it
/// waits for. False where there is no such loop.
bool tell_of_waiting_loop(const run_facts& run, const analysis::race_diagnosis& race, report::evidence& why) {
  const analysis::race_side* const loop = waiting_loop(run, race);
  if (loop == nullptr) return false;
  const analysis::race& example = race.cause.example;
  const bool is_for_thread = (loop == &example.second ? example.first : example.second).operation == 0;
  const std::string detached = is_for_thread ? line_of_detach(run.source()) : "";
  why.observation =
      report::race_sides(run.recording(), race) +
      fmt::format(
          "The loop at {} waits for that, and a plain or volatile variable orders nothing between threads, however long the one "
          "waits. Make it a std::atomic, or wait with a mutex and a condition variable, or {}.{}",
          run.recording().describe(analysis::place_of(run.recording(), *loop)),
          is_for_thread ? "join the thread"
                        : "wait for the stream of the host function (cudaStreamSynchronize)",
          detached.empty() ? "" : fmt::format(" A thread that is detached ({}) cannot be joined.", detached));
  if (!detached.empty()) why.where += (why.where.empty() ? "" : ", ") + detached;
  return true;
}

/// Of one variable that a lambda expression captures by reference, and to which the same line of several threads assigns: says that
/// the last one decides, in place of advice for what is handed over. False when there is none.
bool tell_of_variable_of_all_threads(const run_facts& run, const analysis::race_diagnosis& race,
                                     report::evidence& why) {
  const trace::recording& recording = run.recording();
  const analysis::race& example = race.cause.example;
  const trace::location place = analysis::place_of(recording, example.second);
  const bool write_both = example.first.operation == 0 && example.second.operation == 0 &&
                          example.first.mode != trace::access_mode::read &&
                          example.second.mode != trace::access_mode::read &&
                          place.is_same_line(analysis::place_of(recording, example.first));
  if (!write_both || !recording.is_own(place)) return false;
  const auto local = local_variable_assigned_at(run.source(), static_cast<int>(place.line));
  if (!local || local->lambda.empty() || local->is_of_loop) return false;
  const std::string line = recording.describe(place);
  why.observation =
      report::race_sides(recording, race) +
      fmt::format(
          "They are `{0}` ({1}), one variable for all threads: {2} captures it by reference, and each thread assigns to it ({3}). Give "
          "each thread a variable of its own, and look at them after the joins. A mutex or a std::atomic puts the two in order, but "
          "the thread that assigns last still decides what `{0}` holds.",
          local->name, local->where,
          local->lambda == line ? "the lambda expression" : "the lambda expression at " + local->lambda,
          line);
  why.where = line + ", " + local->where;
  return true;
}

/// Of what is assigned to only when a line above has handed on its address: says so in place of advice for what is shared. False
/// when there is none.
bool tell_of_late_assignment(const run_facts& run, const analysis::race_diagnosis& race,
                             report::evidence& why) {
  const trace::recording& recording = run.recording();
  for (const analysis::race_side* const side : {&race.cause.example.second, &race.cause.example.first}) {
    const trace::location place = analysis::place_of(recording, *side);
    if (side->operation != 0 || side->mode == trace::access_mode::read || !recording.is_own(place)) continue;
    const std::string passing = line_handing_on_assigned_at(run.source(), static_cast<int>(place.line));
    if (passing.empty()) continue;
    const std::string line = recording.describe(place);
    why.observation =
        report::race_sides(recording, race) +
        fmt::format(
            "{0} hands on the address before {1} writes there: who takes it may read too early. Move {1} above {0}.",
            passing, line);
    report::lead_first_to(why, passing);
    report::lead_first_to(why, line);
    return true;
  }
  return false;
}

/// Says which variable the threads share, where the learner's file shows it.
void tell_of_variable(const run_facts& run, const analysis::race_diagnosis& race, report::evidence& why) {
  if (tell_of_passed_variable(run, race, why) || tell_of_variable_of_all_threads(run, race, why) ||
      tell_of_late_assignment(run, race, why))
    return;
  const bool is_waited_for = tell_of_waiting_loop(run, race, why);
  const trace::recording& recording = run.recording();
  for (const trace::location& place : lines_of(recording, race)) {
    const auto captured = loop_variable_captured_at(run.source(), static_cast<int>(place.line));
    if (!captured) continue;
    const std::string problem = fmt::format(
        "The lambda expression at {} captures `{}` by reference, and the loop ({}) changes it while a thread runs that: the thread "
        "needs a copy (capture it by value).",
        captured->lambda, captured->name, captured->loop);
    // Advice for shared data does not mend what the line does with the variable.
    const bool is_of_it = is_named_on(run.source(), captured->name, static_cast<int>(place.line));
    why.observation =
        is_of_it ? report::race_sides(recording, race) + problem : problem + ' ' + why.observation;
    report::lead_first_to(why, captured->lambda);
    return;
  }
  const analysis::race& example = race.cause.example;
  const trace::allocation& memory = recording.allocation_at(example.allocation);
  if (memory.kind != trace::memory_kind::pageable || !memory.name.empty()) return;
  for (const analysis::race_side* const side : {&example.second, &example.first}) {
    const trace::location place = analysis::place_of(recording, *side);
    if (side->mode == trace::access_mode::read || !recording.is_own(place)) continue;
    const auto local = local_variable_assigned_at(run.source(), static_cast<int>(place.line));
    if (!local) continue;
    if (local->is_of_loop && !local->passed.empty() && !is_waited_for) {
      why.observation =
          report::race_sides(recording, race) +
          fmt::format(
              "What {} writes is in `{}`, a local variable that each round of the loop makes anew ({}), and {} hands on its address: "
              "who uses that later finds what another round put there, or nothing. No lock cures that: hand on memory that lives "
              "until it has been used.",
              recording.describe(place), local->name, local->where, local->passed);
      report::lead_first_to(why, local->passed);
      report::lead_first_to(why, local->where);
      return;
    }
    why.observation += fmt::format(
        " What {} writes is in `{}`, a local variable{} ({}).", recording.describe(place), local->name,
        local->is_of_loop ? " that each round of the loop makes anew" : "", local->where);
    why.where = why.where.empty() ? local->where
                : is_waited_for   ? why.where + ", " + local->where
                                  : local->where + ", " + why.where;
    return;
  }
  for (const trace::operation_id id : run.part().operations) {
    if (recording.operation_at(id).kind != trace::operation_kind::host_function || is_waited_for) continue;
    const trace::location passed = analysis::place_of_issue(recording, id);
    if (!recording.is_own(passed)) continue;
    const auto local = local_variable_passed_at(run.source(), static_cast<int>(passed.line));
    if (!local || !local->is_of_loop) continue;
    const std::string line = recording.describe(passed);
    why.observation =
        report::race_sides(recording, race) +
        fmt::format(
            "The host function of {} is given the address of `{}`, a local variable that each round of the loop makes anew ({}): "
            "who uses that later finds what another round put there, or nothing. No lock cures that: pass the address of memory "
            "that lives until it has been used.",
            line, local->name, local->where);
    report::lead_first_to(why, line);
    return;
  }
}

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

/// Names the mutexes that threads do not share; one that a side holds, in place of advice for data without a lock. True for such a one.
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

/// Of what a thread writes under a lock, and an operation reads: says where that lock is not held.
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

/// Of an operation that is issued under a lock, and outlasts it until another thread writes under the same one: says so in place of
/// advice to wait. Names the wait that its thread makes for it, where it comes behind the lock.
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

/// The call that began the capture that the thread was in when it issued the operation outside of it; nullptr when there is none.
const trace::host_call* capture_around(const trace::recording& recording, trace::operation_id id) {
  if (id == 0 || recording.operation_at(id).graph_launch != 0) return nullptr;
  const trace::call_id issued_by = recording.operation_at(id).issued_by;
  const trace::host_call* begin = nullptr;
  for (const trace::host_call& call : recording.calls) {
    if (call.id >= issued_by) break;
    if (call.thread != recording.call_at(issued_by).thread) continue;
    if (trace::effect_of(call) == trace::call_effect::begins_capture && call.error_code == 0) begin = &call;
    const bool ends_it = begin != nullptr && call.stream == begin->stream &&
                         trace::effect_of(call) == trace::call_effect::creates_graph;
    if (ends_it) begin = nullptr;
  }
  return begin;
}

/// Of an operation that was queued during a capture in another stream: says so in place of advice for its order.
void tell_of_capture(const run_facts& run, const analysis::race_diagnosis& race, report::evidence& why) {
  const trace::recording& recording = run.recording();
  for (const analysis::race_side* const side : {&race.cause.example.first, &race.cause.example.second}) {
    const trace::host_call* const begin = capture_around(recording, side->operation);
    if (begin == nullptr) continue;
    const trace::operation& work = recording.operation_at(side->operation);
    why.observation =
        report::race_sides(recording, race) +
        fmt::format(
            "{} was queued during a capture, and ran at once: the capture began in {}{}, and {} has not joined it. A part of a "
            "graph has the order of the graph's launches.",
            report::capitalized(report::name_of(recording, work)),
            report::stream_in_words(recording, begin->stream), in_brackets(recording.describe(begin->where)),
            report::stream_in_words(recording, work.stream));
    const std::string line = recording.describe(begin->where);
    report::lead_first_to(why, line);
    return;
  }
}

/// Of a step of a chunk that is not in the stream whose turn it is: says so in place of advice for two streams.
void tell_of_turn(const run_facts& run, const analysis::race_diagnosis& race, const std::string& plan,
                  report::evidence& why) {
  const trace::recording& recording = run.recording();
  for (const analysis::race_side* const side : {&race.cause.example.second, &race.cause.example.first}) {
    const auto stray = step_out_of_turn(run, side->operation, plan);
    if (!stray) continue;
    const std::string line = recording.describe(analysis::place_of_operation(recording, side->operation));
    why.observation =
        report::race_sides(recording, race) +
        fmt::format(
            "{} is of chunk {}, for which it is the turn of `{}`, in each of its steps. Queue it there{}: one stream keeps the "
            "steps of a chunk in order.",
            report::capitalized(
                report::without_stream_in_words(recording, recording.operation_at(side->operation))),
            stray->chunk, stray->own_stream, in_brackets(line));
    report::lead_first_to(why, line);
    why.values = lines_of_values(run.source(), value_of::stream, why);
    return;
  }
}

/// Of work in the stream of one element of an array with the memory of another: says so in place of advice for two streams.
void tell_of_mixed_elements(const run_facts& run, const analysis::race_diagnosis& race,
                            report::evidence& why) {
  const trace::recording& recording = run.recording();
  const auto mixed = mixed_elements_of(run, race.cause.example);
  if (!mixed) return;
  const std::string line = recording.describe(analysis::place_of_operation(recording, mixed->operation));
  why.observation =
      report::race_sides(recording, race) +
      fmt::format(
          "{} works in the stream of `{}` with the memory of `{}`{}: take both from one element, and its stream keeps "
          "the order.",
          report::capitalized(report::name_of(recording, recording.operation_at(mixed->operation))),
          mixed->stream, mixed->memory, in_brackets(line));
  report::lead_first_to(why, line);
  lead_to_choice(run.source(), value_of::stream, "stream", why);
  why.values = lines_of_values(run.source(), value_of::statement, why);
}

/// The host thread that makes the access, or issues the operation; 0: not known.
trace::thread_id thread_of(const trace::recording& recording, const analysis::race_side& side) {
  if (side.operation == 0) return recording.host_accesses->at(side.host_access).thread;
  const trace::call_id issued_by = recording.operation_at(side.operation).issued_by;
  return issued_by == 0 ? 0 : recording.call_at(issued_by).thread;
}

/// Of what a thread still uses when a line above has handed it on, and the other thread has gone on by that: says so in place of
/// advice for what is shared. False when there is none.
bool tell_of_early_hand_over(const run_facts& run, const analysis::race_diagnosis& race,
                             report::evidence& why) {
  const trace::recording& recording = run.recording();
  const analysis::race& example = race.cause.example;
  for (const auto& [user, other] :
       {std::pair(&example.first, &example.second), std::pair(&example.second, &example.first)}) {
    const trace::location place = analysis::place_of(recording, *user);
    if (user->operation != 0 || !recording.leads_to_line(place)) continue;
    const auto handed = variable_handed_on_before(run.source(), static_cast<int>(place.line));
    const trace::host_access& use = recording.host_accesses->at(user->host_access);
    const trace::thread_id taker = thread_of(recording, *other);
    const bool lets_go_on =
        std::any_of(recording.host_edges.begin(), recording.host_edges.end(), [&](const auto& edge) {
          return edge.from == use.thread && edge.to == taker && edge.from_step < use.step;
        });
    if (!handed || use.thread == taker || !lets_go_on) continue;
    const std::string line = recording.describe(place);
    why.observation =
        report::race_sides(recording, race) +
        fmt::format(
            "{0} hands on `{1}` before {2} has used it: who takes it may write there meanwhile. Move {0} below {2}.",
            handed->where, handed->name, line);
    report::lead_first_to(why, line);
    report::lead_first_to(why, handed->where);
    return true;
  }
  return false;
}

/// Of locks that lock nothing for the lines below them: says so in place of advice for what is shared. False when there is none.
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

verdict judge_order(const run_facts& run, const std::string& plan) {
  const auto& races = run.races();
  if (!races) {
    return not_observable(
        "The recording does not say which bytes were read and written. The virtual GPU does.");
  }
  if (auto problem = freed_too_early(run)) return *problem;
  if (races->empty()) return passed("no two accesses are without order");
  const analysis::race_diagnosis& race = most_telling(run, *races);
  report::evidence why;
  why.required =
      "Whatever touches the same bytes is put in order: by a stream, an event, or a wait of the host.";
  const std::string others = races->size() < 2 ? ""
                             : races->size() == 2
                                 ? " There is 1 more place like this."
                                 : fmt::format(" There are {} more places like this.", races->size() - 1);
  why.observation = report::race_sentences(run.recording(), race);
  lead_to(why, run.recording(), race.places);
  tell_of_capture(run, race, why);
  if (!plan.empty()) tell_of_turn(run, race, plan, why);
  tell_of_mixed_elements(run, race, why);
  if (race.mistake == analysis::race_mistake::host_not_awaited) tell_of_short_lock(run, race, why);
  tell_of_outlasted_lock(run, race, why);
  const bool is_handed_on_early = tell_of_early_hand_over(run, race, why);
  why.observation += others;
  if (race.mistake == analysis::race_mistake::buffer_reused) why.observation += unused_elements(run);
  if (race.mistake == analysis::race_mistake::unfinished_at_return) tell_of_early_return(run, why);
  if (race.mistake == analysis::race_mistake::host_code_unordered && !is_handed_on_early) {
    if (tell_of_unnamed_locks(run, race, why) || tell_of_private_mutexes(run, race, why)) {
      why.observation += others;
    } else {
      tell_of_variable(run, race, why);
    }
  }
  if (race.places.empty()) {
    why.observation +=
        " Neither is in a line of your file: both are in functions that it calls, or that call it.";
    if (const trace::host_call* const next = call_behind(run.recording(), race)) {
      why.observation += fmt::format(" The function was called before {}, in {}.",
                                     in_words(run.recording(), *next), report::thread_in_words(next->thread));
      lead_to(why, run.recording(), next->where);
    }
  }
  why.read_next =
      "A stream, an event or a wait of the host puts work in order. Without one, right data are luck.";
  return failed(report::run_verdict::race_detected, analysis::word_of(race.mistake), why);
}

}  // namespace

matcher IsOrdered(std::string plan) {
  return {"everything that touches the same bytes is in order",
          [plan = std::move(plan)](const run_facts& run) { return judge_order(run, plan); },
          reach::every_call};
}

}  // namespace matchers

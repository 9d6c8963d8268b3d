#include "matchers/facts/threads/races_of_variables.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "analysis/places.h"
#include "matchers/facts/learner_code.h"
#include "matchers/facts/threads/shared_variables.h"
#include "report/wording/race_sentences.h"

namespace matchers {

namespace {

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

/// The host thread that makes the access, or issues the operation; 0: not known.
trace::thread_id thread_of(const trace::recording& recording, const analysis::race_side& side) {
  if (side.operation == 0) return recording.host_accesses->at(side.host_access).thread;
  const trace::call_id issued_by = recording.operation_at(side.operation).issued_by;
  return issued_by == 0 ? 0 : recording.call_at(issued_by).thread;
}

}  // namespace

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

}  // namespace matchers

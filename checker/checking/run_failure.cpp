#include "checking/run_failure.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "analysis/part.h"
#include "matchers/facts/learner_code.h"
#include "matchers/facts/threads/left_threads.h"
#include "report/wording/misuse_sentences.h"
#include "report/wording/names.h"
#include "report/wording/place_text.h"
#include "report/wording/run_summary.h"
#include "trace/recording.h"

namespace checking {

namespace {

using report::run_verdict;

/// "in the call with another plan, " when the run ended in it; "" in the first, where nearly all end that do not come to their end.
std::string call_underway(const matchers::scheduled_run& run) {
  if (!run.outcome.recording) return "";
  const auto has = [&](const std::string& mark_name) {
    const std::vector<trace::mark>& marks = run.outcome.recording->marks;
    return std::any_of(marks.begin(), marks.end(),
                       [&](const trace::mark& mark) { return mark.name == mark_name; });
  };
  const auto is_underway = [&](exercise::call call) {
    const std::string part = exercise::part_name("learner", call);
    return has("begin:" + part) && !has("end:" + part);
  };
  if (is_underway(exercise::call::third)) return "in the call with another plan, ";
  const bool is_second = has("end:" + exercise::part_name("learner", exercise::call::first));
  return is_second && is_underway(exercise::call::repeated) ? "in the second call, " : "";
}

/// The line of the earlier call by which that one was refused, such as one that destroyed what it names; "" when there is none.
std::string place_that_refused(const trace::recording& recording, trace::call_id call) {
  for (const trace::diagnostic& note : recording.diagnostics) {
    if (note.kind == trace::diagnostic_kind::refused && note.call == call)
      return recording.describe(note.earlier);
  }
  return "";
}

/// What the recording says about the end: where the threads stood, kernels that never end, memory that host code may not touch.
struct last_words {
  std::string sentences;
  std::string where;
};

last_words last_words_of(const matchers::scheduled_run& run) {
  last_words found;
  if (!run.outcome.recording) return found;
  using enum trace::diagnostic_kind;
  const trace::recording& recording = *run.outcome.recording;
  const bool has_crashed = run.outcome.how == exercise::ending::crashed;
  bool is_crash_known = false;
  const auto failed =
      std::find_if(recording.calls.begin(), recording.calls.end(), [&](const trace::host_call& call) {
        return call.error_code != 0 && call.error_code != trace::not_ready && recording.is_own(call.where);
      });
  for (const trace::diagnostic& note : recording.diagnostics) {
    const bool is_stand = note.kind == host_thread_stood;
    const bool is_early = note.kind == woken_without_notification;
    const bool is_fault = note.kind == host_memory_fault || note.kind == host_used_freed_memory ||
                          note.kind == host_used_device_variable ||
                          note.kind == device_function_in_host_code ||
                          note.kind == host_used_managed_memory_of_busy_device;
    std::string place = recording.describe(note.where);
    // The kernel may be the lesson's.
    if (note.kind == never_ended && place.empty() && note.call != 0)
      place = recording.describe(recording.call_at(note.call).where);
    if (place.empty() || !(is_stand || is_early || is_fault || note.kind == never_ended)) continue;
    // Where the others stood when one crashed is no news.
    if (is_stand && has_crashed && std::exchange(is_crash_known, true)) continue;
    if (!is_fault) found.sentences += fmt::format(" {} ({}).", report::capitalized(note.message), place);
    if (const std::string origin = recording.describe(note.earlier); is_fault && !origin.empty())
      found.sentences += fmt::format(" It was {} at {}.",
                                     note.kind == host_used_freed_memory ? "freed" : "allocated", origin);
    // What was freed was freed too early: that line first.
    const std::string freed = note.kind == host_used_freed_memory ? recording.describe(note.earlier) : "";
    for (const std::string& line : {freed, place}) {
      if (!line.empty() && found.where.find(line) == std::string::npos)
        found.where += (found.where.empty() ? "" : ", ") + line;
    }
  }
  // Where a thread stands, it may stand for a stream.
  const bool has_hung =
      !has_crashed && std::any_of(recording.diagnostics.begin(), recording.diagnostics.end(),
                                  [](const auto& note) { return note.kind == host_thread_stood; });
  if (has_hung && !recording.operations.empty())
    found.sentences += " " + report::where_streams_stood(recording);
  if (failed != recording.calls.end()) {
    const std::string place = recording.describe(failed->where);
    found.sentences += fmt::format(" Before that, {} had returned {}.", report::in_words(recording, *failed),
                                   trace::error_name_of(*failed));
    if (const std::string reason = report::reason_of_refusal(recording, failed->id); !reason.empty())
      found.sentences += ' ' + reason;
    const std::string cause = place_that_refused(recording, failed->id);
    if (failed->error_code == trace::not_supported &&
        trace::traits_of(failed->function).is_for_managed_memory)
      found.sentences +=
          " That GPU has no managed memory; where there is some, it is not pinned host memory.";
    const std::string also = found.where.find(place) == std::string::npos
                                 ? place + (place.empty() || cause.empty() ? "" : ", ") + cause
                                 : "";
    const std::string_view comma = found.where.empty() || also.empty() ? "" : ", ";
    // A crash most often comes of what the call did not do. Who waits for ever may wait for something else.
    found.where = has_crashed ? fmt::format("{}{}{}", also, comma, found.where)
                              : fmt::format("{}{}{}", found.where, comma, also);
  }
  return found;
}

/// Whether the program says that it destroyed a std::thread before that was joined.
bool destroys_thread_not_joined(const matchers::scheduled_run& run) {
  return run.outcome.output.find("terminate called without an active exception") != std::string::npos;
}

/// The thread whose code crashed, when it had been started by a call of the function that has returned; 0: none.
trace::thread_id crashed_behind_the_return(const matchers::scheduled_run& run) {
  if (run.outcome.how != exercise::ending::crashed || !run.outcome.recording) return 0;
  const trace::recording& recording = *run.outcome.recording;
  const auto stand =
      std::find_if(recording.diagnostics.begin(), recording.diagnostics.end(),
                   [](const auto& note) { return note.kind == trace::diagnostic_kind::host_thread_stood; });
  if (stand == recording.diagnostics.end() || stand->call == 0) return 0;
  const trace::thread_id thread = recording.call_at(stand->call).thread;
  const auto start = std::find_if(recording.host_edges.begin(), recording.host_edges.end(),
                                  [&](const trace::host_edge& edge) { return edge.to == thread; });
  if (start == recording.host_edges.end() || thread == recording.calls.front().thread) return 0;
  const bool has_returned =
      std::any_of(recording.marks.begin(), recording.marks.end(), [&](const trace::mark& mark) {
        return mark.name.starts_with("end:") && mark.after >= start->from_after;
      });
  return has_returned ? thread : 0;
}

/// Functions of the contract that number what they do, with the numbers for which a part noted them.
using noted_items = std::map<std::string, std::set<int>>;

/// Those in the part with that name; nothing when it has not come to its end.
noted_items items_noted_in(const trace::recording& recording, const std::string& part) {
  noted_items found;
  const auto& marks = recording.marks;
  const auto named = [&](const std::string& name) {
    return std::find_if(marks.begin(), marks.end(),
                        [&](const trace::mark& mark) { return mark.name == name; });
  };
  const auto end = named("end:" + part);
  if (end == marks.end()) return found;
  for (auto mark = named("begin:" + part); mark < end; ++mark) {
    constexpr std::string_view prefix = "call:";
    const std::size_t colon = mark->name.find(':', prefix.size());
    if (!mark->name.starts_with(prefix) || colon == std::string::npos) continue;
    found[mark->name.substr(prefix.size(), colon - prefix.size())].insert(
        std::atoi(mark->name.c_str() + colon + 1));
  }
  return found;
}

/// Whether it is known why a std::thread ended the program.
bool is_cause_of_abort_known(const matchers::scheduled_run& run) {
  return run.outcome.signal == SIGABRT &&
         (destroys_thread_not_joined(run) || crashed_behind_the_return(run) != 0);
}

std::string sentence_of(const matchers::scheduled_run& run, const std::string& otherwise) {
  std::string event = run.outcome.detail.empty() ? otherwise : report::as_sentence(run.outcome.detail);
  // Behind the colon are what the causes can be.
  if (is_cause_of_abort_known(run))
    event = event.substr(0, std::min(event.find(':'), event.size() - 1)) + '.';
  return fmt::format("{}{} It happened {}{}.", event, last_words_of(run).sentences, call_underway(run),
                     in_words(run));
}

run_failure our_mistake(const matchers::scheduled_run& run, const std::string& otherwise) {
  return {run_verdict::infra_error,
          {"The check itself works.", sentence_of(run, otherwise), "",
           "This is a mistake of the course or of its setup, not yours. Please report it."}};
}

bool has(const trace::recording& recording, trace::diagnostic_kind kind) {
  return std::any_of(recording.diagnostics.begin(), recording.diagnostics.end(),
                     [&](const trace::diagnostic& note) { return note.kind == kind; });
}

std::string_view advice_for(const exercise::outcome& outcome) {
  const auto is_of_known_memory = [](const trace::diagnostic& note) {
    return note.kind == trace::diagnostic_kind::host_memory_fault && note.earlier.is_known();
  };
  if (outcome.recording && std::any_of(outcome.recording->diagnostics.begin(),
                                       outcome.recording->diagnostics.end(), is_of_known_memory))
    return "The page of the call that allocated the memory in the CUDA Runtime API manual: who may use it, and which one releases "
           "it.";
  if (outcome.recording && has(*outcome.recording, trace::diagnostic_kind::host_used_freed_memory))
    return "Until when is the memory used? A host function runs when its stream has come to it, a thread until it is joined.";
  if (outcome.has_run_out_of_memory)
    return "Look for memory that is taken again and again, and never given back.";
  switch (outcome.signal) {
    case SIGKILL:
      return "Look for kill(): nothing in a lesson needs it.";
    case SIGABRT:
      return "Look for a std::thread that is not joined before it goes out of scope, for an exception, and for memory that "
             "another call has to release (cudaFreeHost, free). What your program printed before may name it.";
    case SIGILL:
      return "Look for a function that ends without returning a value, and for a thread that still runs when what it uses "
             "is gone.";
    case SIGFPE:
      return "Look for a division by a number that can be zero.";
    default:
      return "Look for an index past the end of a buffer, a pointer to something that is gone, and host code that uses a "
             "device pointer.";
  }
}

// Nothing of the user's ran: the loader or the library refused.
run_failure of_a_start(const matchers::scheduled_run& run) {
  const std::string& printed = run.outcome.output;
  return {
      run_verdict::infra_error,
      {"The program starts.",
       printed.empty() ? sentence_of(run, "It did not start.") : fmt::format("It said: {}", printed), "",
       "This is a matter of the course's setup, not of your file. ./streamlings doctor says what is missing."}};
}

/// Of a std::thread that was destroyed before it was joined: says so, and leads to where its function returns too early.
void tell_of_thread_not_joined(const matchers::scheduled_run& run, const matchers::learner_source& source,
                               run_failure& failure) {
  if (run.outcome.signal != SIGABRT || !run.outcome.recording || !destroys_thread_not_joined(run)) return;
  report::evidence& why = failure.why;
  why.observation +=
      " \"terminate called without an active exception\" is what a program prints in which a std::thread is destroyed before "
      "join() or detach().";
  why.read_next =
      "Look for the way out of the function, or of the block, on which a std::thread is not joined.";
  const std::vector<trace::diagnostic>& notes = run.outcome.recording->diagnostics;
  const auto stood = std::find_if(notes.begin(), notes.end(), [](const trace::diagnostic& note) {
    return note.kind == trace::diagnostic_kind::host_thread_stood;
  });
  if (stood == notes.end() || !run.outcome.recording->is_own(stood->where)) return;
  const std::vector<std::string> returns =
      matchers::lines_of_early_returns(source, static_cast<int>(stood->where.line));
  if (returns.empty()) return;
  why.observation +=
      fmt::format(" The function also returns at {}: each way out has to join the threads first.",
                  fmt::join(returns, ", "));
  why.where = fmt::format("{}, {}", fmt::join(returns, ", "), why.where);
}

/// Of a crash that left no recording: a thread that nobody waits for may have used what was gone.
void tell_of_detached_thread(const matchers::scheduled_run& run, const matchers::learner_source& source,
                             run_failure& failure) {
  if (run.outcome.how != exercise::ending::crashed || run.outcome.recording) return;
  const std::string place = matchers::only_line_of(source, "detach");
  if (place.empty()) return;
  failure.why.observation += fmt::format(
      " A thread is detached at {}: nothing waits for its end, and what it was given may be gone by then.",
      place);
  failure.why.where = place;
  failure.why.read_next = "Where your function waits for the end of each thread that it starts (join).";
}

/// Of threads that wait for a mutex: the ways out of its function that leave it locked.
void tell_of_kept_lock(const matchers::scheduled_run& run, const matchers::learner_source& source,
                       run_failure& failure) {
  if (run.outcome.how != exercise::ending::virtual_timed_out || !run.outcome.recording) return;
  const trace::recording& recording = *run.outcome.recording;
  for (const trace::diagnostic& note : recording.diagnostics) {
    if (note.kind != trace::diagnostic_kind::host_thread_stood || !recording.is_own(note.where)) continue;
    const std::vector<std::string> returns =
        matchers::lines_of_returns_with_lock(source, static_cast<int>(note.where.line));
    if (returns.empty()) continue;
    const std::string lock = recording.describe(note.where);
    const std::string lines = fmt::format("{}", fmt::join(returns, ", "));
    failure.why.observation += fmt::format(
        " The function returns at {}, behind the lock ({}) and ahead of the unlock: a thread that leaves it there ends with "
        "the mutex locked, and who waits for that waits for ever.",
        lines, lock);
    failure.why.where = fmt::format("{}, {}", lines, failure.why.where);
    failure.why.read_next =
        "Each way out behind a lock has to unlock: a std::lock_guard in a block of its own does that by itself.";
    return;
  }
}

/// Of a hang behind calls of the learner's function that came to their end: what one of them took in hand and did not finish comes
/// first, as far as the functions of the contract show it. What is left over can keep later calls from their end. Says whether it
/// was so.
bool tell_of_left_over(const matchers::scheduled_run& run, const matchers::learner_source& source,
                       run_failure& failure) {
  if (run.outcome.how != exercise::ending::virtual_timed_out || !run.outcome.recording) return false;
  for (const exercise::call call : exercise::all_calls) {
    const noted_items noted = items_noted_in(*run.outcome.recording, exercise::part_name("learner", call));
    for (const auto& [function, items] : noted) {
      for (const auto& [other, others] : noted) {
        const auto missing = std::find_if(items.begin(), items.end(),
                                          [&others = others](int item) { return !others.contains(item); });
        if (missing == items.end()) continue;
        report::evidence& why = failure.why;
        const std::string place = matchers::only_line_of(source, other);
        why.observation = fmt::format(
            "Already in {}, your function called {}() for number {} and never {}(){} for it: what a call leaves over meets the next "
            "one. In a later call: {}",
            call == exercise::call::first ? "the first call" : "an earlier call", function, *missing, other,
            place.empty() ? "" : fmt::format(" ({})", place), why.observation);
        if (!place.empty()) why.where = why.where.empty() ? place : fmt::format("{}, {}", place, why.where);
        why.read_next =
            fmt::format("How often each loop of the function runs: {}() has to be called as often as {}().",
                        other, function);
        return true;
      }
    }
  }
  return false;
}

/// Of a later call behind a first one that came to its end: what keeps its value. Of a hang that nothing else explains, the only
/// such variable comes first.
void tell_of_kept_variables(const matchers::learner_source& source, bool is_explained, run_failure& failure) {
  report::evidence& why = failure.why;
  const std::vector<std::string> before = report::places_in(why);
  name_kept_variables(source, matchers::first_call::right, why);
  const std::vector<std::string> places = report::places_in(why);
  if (is_explained || failure.verdict != run_verdict::timeout || places.size() != before.size() + 1) return;
  report::lead_first_to(why, places.back());
  why.read_next =
      "What a call leaves in a variable meets the next call: make it anew in each call, or leave it as it was.";
}

run_failure of_the_ending(const matchers::scheduled_run& run) {
  using exercise::ending;
  const std::string where = last_words_of(run).where;
  const bool ended_by_itself = run.outcome.how == ending::crashed || run.outcome.how == ending::ended_early;
  if (ended_by_itself && !run.outcome.has_begun) return of_a_start(run);
  switch (run.outcome.how) {
    case exercise::ending::crashed:
      return {run_verdict::crashed,
              {"The program runs to its end.", sentence_of(run, "The program was ended by a signal."), where,
               std::string(advice_for(run.outcome))}};
    case exercise::ending::ended_early:
      return {
          run_verdict::ended_early,
          {"Your function returns to its caller.",
           sentence_of(run, fmt::format("The program ended by itself, with exit status {}, before the caller "
                                        "could look at the result.",
                                        run.outcome.exit_status)),
           "", "Return from the function instead of calling exit() or the like."}};
    case exercise::ending::timed_out:
      return {
          run_verdict::timeout,
          {"The program ends within its time limit.",
           sentence_of(run, "The program was still running when its time was up."), where,
           "Look for a loop whose end condition never comes true, or a wait for something never queued."}};
    case exercise::ending::virtual_timed_out:
      return {
          run_verdict::timeout,
          {"The program ends within its limits of virtual time and of calls.",
           sentence_of(run, "The virtual GPU was still busy when its virtual time was up."), where,
           "Who should have done what each of these waits for, and why did it not? Count: as much must be handed over as is "
           "taken, and each wait needs something that was queued before."}};
    case exercise::ending::output_limit:
      return {run_verdict::output_limit,
              {"The program prints a moderate amount.",
               sentence_of(run, "The program printed more than is kept, and was ended."), "",
               "Print less: a line for each batch is plenty, a line for each element is too much."}};
    case exercise::ending::channel_damaged:
      return {run_verdict::channel_damaged,
              {"The program writes only to files it has opened.",
               sentence_of(run, "Something wrote into the private channel between program and checker."), "",
               "Look for write() or close() with a file descriptor that is not yours."}};
    case exercise::ending::lesson_broken:
      return our_mistake(run, "The two halves of the lesson do not agree.");
    case exercise::ending::could_not_start:
      return our_mistake(run, "The program could not be started.");
    case exercise::ending::finished:
      break;
  }
  return our_mistake(run, "The program finished, but its recording did not arrive.");
}

run_failure of_a_contradiction(const matchers::scheduled_run& run) {
  return {
      run_verdict::channel_damaged,
      {"The recording of the run says what the virtual GPU does with such a program.",
       fmt::format("{} It happened {}.", run.contradiction, in_words(run)), "",
       "Look for writes past the end of a host array or through a pointer to something that is gone: they have reached the "
       "memory of the library that records the run. If there are none, the mistake is ours: ./streamlings report-problem."}};
}

std::optional<run_failure> of_what_is_not_supported(const matchers::scheduled_run& run) {
  for (const trace::diagnostic& note : run.outcome.recording->diagnostics) {
    if (note.kind != trace::diagnostic_kind::not_supported) continue;
    return run_failure{run_verdict::unsupported,
                       {"The program uses only CUDA that the virtual GPU models.", note.message,
                        run.outcome.recording->describe(note.where),
                        "The lesson can be done without it; its README lists the calls you need."}};
  }
  return std::nullopt;
}

}  // namespace

std::optional<run_failure> failure_of(const matchers::scheduled_run& run,
                                      const matchers::learner_source& source) {
  if (!run.contradiction.empty()) return of_a_contradiction(run);
  if (run.outcome.recording) {
    if (const std::optional<run_failure> unsupported = of_what_is_not_supported(run)) return unsupported;
    if (run.outcome.how == exercise::ending::finished) return std::nullopt;
  }
  run_failure failure = of_the_ending(run);
  tell_of_thread_not_joined(run, source, failure);
  tell_of_detached_thread(run, source, failure);
  const bool is_explained = tell_of_left_over(run, source, failure);
  tell_of_kept_lock(run, source, failure);
  if (!call_underway(run).empty()) tell_of_kept_variables(source, is_explained, failure);
  if (const trace::thread_id left = crashed_behind_the_return(run)) {
    tell_of_left_thread(*run.outcome.recording, source, left, failure.why);
    failure.why.observation +=
        " Your function had returned by then: what was given to the thread may be gone.";
    failure.why.read_next = "Where your function waits for the end of each thread that it starts (join).";
  }
  failure.is_over_real_time = run.outcome.is_over_real_time;
  if (run.outcome.recording) {
    const trace::recording& recording = *run.outcome.recording;
    add_callers_of_calls(failure.why, recording, analysis::part_of(recording, "").calls);
  }
  return failure;
}

}  // namespace checking

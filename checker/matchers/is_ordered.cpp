#include "matchers/is_ordered.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

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
#include "matchers/facts/memory/misplaced_pieces.h"
#include "matchers/facts/memory/unused_memory.h"
#include "matchers/facts/own_element.h"
#include "matchers/facts/skipped_calls.h"
#include "matchers/facts/threads/left_threads.h"
#include "matchers/facts/threads/races_of_locks.h"
#include "matchers/facts/threads/races_of_variables.h"
#include "matchers/facts/value_lines.h"
#include "matchers/facts/words.h"
#include "matchers/pipeline.h"
#include "report/wording/misuse_sentences.h"
#include "report/wording/names.h"
#include "report/wording/race_sentences.h"
#include "trace/call_promise.h"

namespace matchers {

namespace {

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

/// Memory that is freed while work may still use it. Of stream-ordered memory, cudaFree() waits for nothing. Of other memory it may
/// wait, which CUDA does not promise: a race, where there is one, is the nearer cause.
std::optional<verdict> freed_too_early(const run_facts& run,
                                       const std::vector<analysis::race_diagnosis>& races) {
  const trace::recording& recording = run.recording();
  for (const analysis::misuse& found : analysis::find_misuse(run.part(), run.ordering())) {
    if (found.kind != analysis::misuse_kind::freed_while_in_use) continue;
    const bool is_stream_ordered =
        trace::is_stream_ordered(recording, recording.allocation_at(found.allocation));
    if (!is_stream_ordered && !races.empty()) continue;
    report::evidence why;
    why.required = "Memory is released behind the last operation that uses it.";
    why.observation = report::misuse_sentences(recording, found);
    lead_to(why, recording, analysis::places_of(recording, found));
    why.read_next = is_stream_ordered ? "cudaFreeAsync in the section \"The calls\" in the lesson's text."
                                      : "Wait for the last work that uses memory before you release it.";
    return failed(report::run_verdict::race_detected, report::mistake::released_in_use, why);
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

/// Of pieces that overlap although their lengths fit: says so in place of advice for two streams.
void tell_of_pieces(const run_facts& run, const analysis::race_diagnosis& race, report::evidence& why) {
  if (!race.pieces) return;
  const std::string sentence = tell_of_misplaced_pieces(run, race.pieces->other, why);
  if (!sentence.empty()) why.observation = report::race_sides(run.recording(), race) + sentence;
}

/// Whether the text has that place: "a.cu:1" is not in "at a.cu:12".
bool has_place(const std::string& text, const std::string& place) {
  for (std::size_t at = text.find(place); at != std::string::npos; at = text.find(place, at + 1)) {
    const std::size_t end = at + place.size();
    if (end == text.size() || text[end] < '0' || text[end] > '9') return true;
  }
  return false;
}

/// The lines of the accesses of the other races that are not named yet: what orders nothing there accesses nothing.
std::string further_places(const trace::recording& recording,
                           const std::vector<analysis::race_diagnosis>& races, const report::evidence& why) {
  constexpr std::size_t max_lines = 4;
  std::vector<std::string> lines;
  for (const analysis::race_diagnosis& race : races) {
    for (const analysis::race_side* const side : {&race.cause.example.second, &race.cause.example.first}) {
      const trace::location place =
          recording.is_own(side->statement) ? side->statement : analysis::place_of(recording, *side);
      const std::string line = recording.describe(place);
      const bool is_new =
          recording.is_own(place) && !has_place(why.where, line) && !has_place(why.observation, line);
      if (is_new && std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(line);
    }
  }
  if (lines.empty()) return "";
  const bool has_more = lines.size() > max_lines;
  if (has_more) lines.resize(max_lines);
  return fmt::format(" There are races at {}{}, too.", fmt::join(lines, ", "),
                     has_more ? " and other lines" : "");
}

verdict judge_order(const run_facts& run, const std::string& plan) {
  const auto& races = run.races();
  if (!races) {
    return not_observable(
        "The recording does not say which bytes were read and written. The virtual GPU does.");
  }
  if (auto problem = freed_too_early(run, *races)) return *problem;
  if (races->empty()) return passed("no two accesses are without order");
  const analysis::race_diagnosis& race = most_telling(run, *races);
  report::evidence why;
  why.required =
      "Whatever touches the same bytes is put in order: by a stream, an event, or a wait of the host.";
  why.observation = report::race_sentences(run.recording(), race);
  lead_to(why, run.recording(), race.places);
  tell_of_pieces(run, race, why);
  tell_of_capture(run, race, why);
  if (!plan.empty()) tell_of_turn(run, race, plan, why);
  tell_of_mixed_elements(run, race, why);
  if (race.mistake == analysis::race_mistake::host_not_awaited) tell_of_short_lock(run, race, why);
  tell_of_outlasted_lock(run, race, why);
  const bool is_handed_on_early = tell_of_early_hand_over(run, race, why);
  if (race.mistake == analysis::race_mistake::buffer_reused) why.observation += unused_elements(run);
  if (race.mistake == analysis::race_mistake::unfinished_at_return) tell_of_early_return(run, why);
  const bool is_of_host = race.mistake == analysis::race_mistake::host_code_unordered;
  if (is_of_host && !is_handed_on_early && !tell_of_unnamed_locks(run, race, why) &&
      !tell_of_private_mutexes(run, race, why) && !tell_of_mutexes_of_one_name(run, race, why))
    tell_of_variable(run, race, why);
  if (race.places.empty()) {
    constexpr std::string_view no_line =
        "Neither is in a line of your file: both are in functions that it calls, or that call it.";
    if (const trace::thread_id left = thread_left_by(run)) {
      // Of how two lines are put in order nothing helps then.
      why.observation = report::race_sides(run.recording(), race).append(no_line);
      tell_of_left_thread(run.recording(), run.source(), left, why);
      why.read_next = "Where your function waits for the end of each thread that it starts (join).";
    } else {
      why.observation.append(" ").append(no_line);
      if (const trace::host_call* const next = call_behind(run.recording(), race)) {
        why.observation +=
            fmt::format(" The function was called before {}, in {}.", in_words(run.recording(), *next),
                        report::thread_in_words(next->thread));
        lead_to(why, run.recording(), next->where);
      }
    }
  }
  why.observation += further_places(run.recording(), *races, why);
  if (why.read_next.empty())
    why.read_next =
        "A stream, an event or a wait of the host puts work in order. Without one, right data are luck.";
  return failed(report::run_verdict::race_detected, analysis::word_of(race.mistake), why);
}

}  // namespace

matcher IsOrdered(std::string plan) {
  return {"everything that touches the same bytes is in order",
          [plan = std::move(plan)](const run_facts& run) {
            // Another schedule changes the order of host threads alone: all other order is in the program.
            const trace::recording& recording = run.recording();
            const bool is_new =
                recording.schedule == trace::schedule_kind::as_is || !recording.host_edges.empty();
            return is_new ? judge_order(run, plan) : passed();
          },
          reach::every_run};
}

}  // namespace matchers

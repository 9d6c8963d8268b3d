#include "matchers/overlapping.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "analysis/overlap.h"
#include "analysis/places.h"
#include "matchers/facts/intervals.h"
#include "matchers/facts/learner_code.h"
#include "matchers/facts/memory/taken_room.h"
#include "matchers/facts/same_stream.h"
#include "matchers/facts/threads/thread_pause.h"
#include "matchers/facts/waiting_calls.h"
#include "matchers/facts/words.h"
#include "report/wording/cause_sentences.h"
#include "trace/words.h"

namespace matchers {

namespace {

using report::mistake;
using report::run_verdict;

constexpr const char* picture_and_idea =
    "The picture of your run, and the section \"The idea\" in the lesson's text.";
constexpr const char* picture_and_surprise =
    "The picture of your run, and the section \"The surprise\" in the lesson's text.";

/// The constraint that decided when the operation started, when it is recorded.
const trace::constraint* deciding_constraint(const trace::operation& operation) {
  return operation.waited_for && !operation.waited_for->empty() ? &operation.waited_for->front() : nullptr;
}

/// "stream_order", "no_room", ...; "" when it is not recorded.
std::string_view word_of_deciding_constraint(const trace::operation& operation) {
  const trace::constraint* const deciding = deciding_constraint(operation);
  return deciding == nullptr ? "" : trace::word_of(deciding->kind);
}

// The first operations fill the pipeline and the last ones drain it: nothing could run beside them. An
// operation in between tells more; only when there is none is any taken.
operation_ids neither_filling_nor_draining(const trace::recording& recording, const operation_ids& candidates,
                                           const operation_ids& others) {
  trace::nanoseconds first_start = recording.operation_at(others.front()).start;
  trace::nanoseconds last_end{0};
  for (trace::operation_id id : others) {
    first_start = std::min(first_start, recording.operation_at(id).start);
    last_end = std::max(last_end, recording.operation_at(id).end);
  }
  operation_ids between;
  for (trace::operation_id id : candidates) {
    const trace::operation& candidate = recording.operation_at(id);
    if (candidate.start >= first_start && candidate.end <= last_end) between.push_back(id);
  }
  return between.empty() ? candidates : between;
}

// An operation that follows one of the others in its own stream could not have run beside it; it says nothing
// about what keeps independent work apart.
bool follows_one_of(const trace::operation& operation, const operation_ids& others) {
  const trace::constraint* deciding = deciding_constraint(operation);
  return deciding != nullptr && deciding->kind == trace::constraint_kind::stream_order &&
         std::find(others.begin(), others.end(), deciding->operation) != others.end();
}

operation_ids telling(const trace::recording& recording, const operation_ids& candidates,
                      const operation_ids& others) {
  const operation_ids between = neither_filling_nor_draining(recording, candidates, others);
  operation_ids independent;
  for (trace::operation_id id : between) {
    if (!follows_one_of(recording.operation_at(id), others)) independent.push_back(id);
  }
  return independent.empty() ? between : independent;
}

/// Of an operation that the host issued late because it was in code that the user did not write: of the kernels for which the host
/// had waited before, the one that waited longest for room on the device, where that took longer. nullptr when there is none.
const trace::operation* without_room_before(const run_facts& run, const trace::operation& late) {
  const trace::recording& recording = run.recording();
  const trace::operation* found = nullptr;
  trace::nanoseconds longest{0};
  for (trace::operation_id id = late.id; id != 0;) {
    const analysis::link root = run.reasons().root_of(id);
    const trace::operation& first = recording.operation_at(root.operation);
    if (root.host_was_in != 0) {
      const trace::host_call& call = recording.call_at(root.host_was_in);
      if (recording.is_own(call.where)) break;
      if (found == nullptr) longest = std::max(longest, call.end - call.start);
    } else if (id != late.id && root.why && root.why->constraint.kind == trace::constraint_kind::no_room &&
               root.why->constraint.operation != 0) {
      if (first.start - first.issued > longest) found = &first;
      longest = std::max(longest, first.start - first.issued);
    } else {
      break;
    }
    const trace::operation_id before = run.reasons().waited_for_before(first);
    id = before < id ? before : 0;
  }
  return found;
}

// Why that one did not start earlier, and what costs most of what delayed the two kinds, unless one of the two tells of
// both. The word of the mistake.
std::string_view tell_why(const run_facts& run, const trace::operation& alone, const cause_words& costliest,
                          report::evidence& why) {
  const trace::location held_back_at = line_that_held_back(run, alone);
  const trace::location place =
      held_back_at.is_known() ? held_back_at : analysis::place_of_operation(run.recording(), alone.id);
  lead_to(why, run.recording(), place);
  const bool is_otherwise_unknown =
      costliest.sentence.empty() || costliest.mistake == report::word_of(explain::cause::no_room);
  const trace::operation* const first_late = is_otherwise_unknown ? without_room_before(run, alone) : nullptr;
  if (first_late != nullptr) {
    why.observation += fmt::format(
        " The host queued it only after it had waited for an earlier one: {} was queued at {} and started at {}. {}",
        in_words(run.recording(), *first_late), duration_words(first_late->issued - run.part().begin),
        duration_words(first_late->start - run.part().begin), reason_to_wait(run, *first_late));
    return report::word_of(tell_of_taken_room(
        run, *first_late, run.recording().operation_at(deciding_constraint(*first_late)->operation), why));
  }
  const bool is_same_line = !costliest.sentence.empty() && costliest.where.is_same_line(place);
  const std::string reason = reason_to_wait(run, alone);
  if (!reason.empty() && !is_same_line) why.observation += " Why it did not start earlier: " + reason;
  if (held_back_at.is_known() && !is_same_line) return report::word_of(mistake::host_waits_early);
  const analysis::link root = run.reasons().root_of(alone.id);
  if (costliest.sentence.empty() && root.why && root.why->constraint.kind == trace::constraint_kind::event)
    lead_to(why, run.recording(), analysis::place_of_operation(run.recording(), root.operation));
  if (costliest.sentence.empty()) return word_of_deciding_constraint(alone);
  why.observation += " What costs most time in all: " + costliest.sentence;
  if (costliest.where.is_known()) lead_to(why, run.recording(), costliest.where);
  return costliest.mistake;
}

/// Whether those began only when all of the others were over, and need nothing of them.
bool came_late(const run_facts& run, const operation_ids& operations, const operation_ids& others) {
  return std::all_of(operations.begin(), operations.end(), [&](auto id) {
    const auto is_over = [&](auto other) {
      return run.recording().operation_at(other).end <= run.recording().operation_at(id).start;
    };
    return std::all_of(others.begin(), others.end(), is_over) && is_independent(run, id, others);
  });
}

/// The last of the others that is ahead of the operation in its stream, and had not ended when that was issued; neither needs the
/// other. 0: none.
trace::operation_id ahead_in_stream(const run_facts& run, trace::operation_id id,
                                    const operation_ids& others) {
  const trace::operation& operation = run.recording().operation_at(id);
  if (run.recording().stream_at(operation.stream).kind != trace::stream_kind::created) return 0;
  trace::operation_id found = 0;
  for (const trace::operation_id other : others) {
    const trace::operation& earlier = run.recording().operation_at(other);
    if (other < id && earlier.stream == operation.stream && earlier.end > operation.issued) found = other;
  }
  return found != 0 && is_independent(run, id, {found}) ? found : 0;
}

/// Where all of the one kind began when that one of the other kind had ended, the first of them behind several of its line in one
/// stream: says so, and leads to the two lines. Whether it is so.
bool tell_of_several_ahead(const run_facts& run, trace::operation_id alone, const operation_ids& others,
                           report::evidence& why) {
  const trace::recording& recording = run.recording();
  const trace::operation& late =
      recording.operation_at(*std::min_element(others.begin(), others.end(), [&](auto one, auto two) {
        return recording.operation_at(one).start < recording.operation_at(two).start;
      }));
  const trace::location line = analysis::place_of_operation(recording, alone);
  operation_ids ahead;
  for (const trace::operation_id id : run.part().operations) {
    const bool is_ahead = id < late.id && recording.operation_at(id).stream == late.stream;
    if (is_ahead && analysis::place_of_operation(recording, id).is_same_line(line)) ahead.push_back(id);
  }
  const std::string place = recording.describe(line);
  const bool is_held_up = ahead.size() > 1 && recording.operation_at(ahead.back()).end > late.issued &&
                          !place.empty() && late.graph_launch == 0 &&
                          recording.operation_at(alone).end <= late.start &&
                          recording.stream_at(late.stream).kind == trace::stream_kind::created;
  if (!is_held_up) return false;
  why.observation += fmt::format(
      " The first of these, {}{}, could not begin before {}: {} operations of {} are before it in its stream, and a stream runs its "
      "operations in the order in which they were queued.",
      in_words(recording, late), in_brackets(place_of(recording, late)),
      duration_words(recording.operation_at(ahead.back()).end - run.part().begin), ahead.size(), place);
  report::lead_to(why, recording, std::vector{line, analysis::place_of_operation(recording, late.id)});
  return true;
}

/// `words_of_second`: of what did not run beside one of the first.
std::string_view tell_what_stayed_alone(const run_facts& run, const operation_ids& first,
                                        const operation_ids& second, const std::string& words_of_second,
                                        report::evidence& why) {
  const trace::recording& recording = run.recording();
  operation_ids both = first;
  both.insert(both.end(), second.begin(), second.end());
  const std::string_view one_stream = report::word_of(explain::cause::one_stream);
  cause_words costliest = costliest_cause(run, both);
  const std::string_view one_piece = report::word_of(explain::cause::one_piece);
  // These are of single operations: an order of two kinds that neither needs tells more.
  const bool is_of_single_ones =
      costliest.mistake == one_piece || costliest.mistake == report::word_of(explain::cause::host_busy);
  if (costliest.sentence.empty() || costliest.mistake == one_stream || is_of_single_ones) {
    if (const std::optional<ordered_pair> pair = kept_in_order(run, first, second)) {
      tell_of_order(run, *pair, why);
      return mistake_of(*pair);
    }
  }
  // That is proven, and an example would only tell where it ends.
  if (!costliest.cure_of_wait.empty()) {
    why.observation +=
        fmt::format(" What costs most time in all: {} {}", costliest.sentence, costliest.cure_of_wait);
    lead_to(why, recording, costliest.where);
    return costliest.mistake;
  }
  trace::operation_id alone = analysis::longest_alone(recording, telling(recording, first, second), second);
  // All that tells something may have run beside others, and the rest after them.
  if (alone == 0) alone = analysis::longest_alone(recording, first, second);
  if (alone == 0) return "";
  // Whatever came after that, such as no room, tells less.
  const bool tells_less = costliest.sentence.empty() || is_of_single_ones;
  if (const trace::operation_id ahead = tells_less ? ahead_in_stream(run, alone, second) : 0; ahead != 0) {
    tell_of_order(run, {alone, ahead}, why);
    return one_stream;
  }
  const trace::operation& operation = recording.operation_at(alone);
  // What needs nothing of the other kind, and gives it nothing, could run beside it in one piece.
  const bool is_in_first = std::find(first.begin(), first.end(), alone) != first.end();
  if (costliest.mistake == one_piece && is_independent(run, alone, is_in_first ? second : first))
    costliest = {};
  why.observation +=
      fmt::format(" For example, none of the {} ran during {}, from {} to {}.", words_of_second,
                  in_words(recording, operation), duration_words(operation.start - run.part().begin),
                  duration_words(operation.end - run.part().begin));
  if (costliest.sentence.empty() && tell_of_several_ahead(run, alone, second, why))
    return report::word_of(explain::cause::issue_order);
  return tell_why(run, operation, costliest, why);
}

/// The first operation of the one kind, where none was issued before all of the other kind had ended.
std::optional<trace::operation_id> issued_after_all(const run_facts& run, const operation_ids& first,
                                                    const operation_ids& second) {
  const auto first_issued = [&](const operation_ids& operations) {
    return *std::min_element(operations.begin(), operations.end(), [&](auto one, auto two) {
      return run.recording().operation_at(one).issued < run.recording().operation_at(two).issued;
    });
  };
  const auto are_over_before = [&](const operation_ids& operations, trace::operation_id late) {
    return std::all_of(operations.begin(), operations.end(), [&](auto id) {
      return run.recording().operation_at(id).end <= run.recording().operation_at(late).issued;
    });
  };
  for (const auto& [late, early] : {std::pair(&first, &second), std::pair(&second, &first)}) {
    const trace::operation_id begin = first_issued(*late);
    if (run.recording().operation_at(begin).issued_by != 0 && are_over_before(*early, begin)) return begin;
  }
  return std::nullopt;
}

/// "c1060 runs one kernel at a time": why no two of the operations can run at once on their device; "" where some can.
std::string limit_of_device(const run_facts& run, const operation_ids& operations) {
  const device::profile* const gpu = run.gpu();
  if (gpu == nullptr) return "";
  bool are_kernels = true, are_copies = true;
  for (const trace::operation_id id : operations) {
    const trace::operation& operation = run.recording().operation_at(id);
    if (operation.device != run.recording().operation_at(operations.front()).device) return "";
    const std::optional<analysis::engine> where = analysis::engine_of(run.recording(), operation);
    are_kernels &= where == analysis::engine::kernels;
    are_copies &= where == analysis::engine::copies_to_device || where == analysis::engine::copies_to_host;
  }
  if (are_kernels && gpu->resident_grids == 1) return gpu->short_name + " runs one kernel at a time";
  if (are_copies && gpu->copy_engines == 1) return gpu->short_name + " runs one copy at a time";
  return "";
}

verdict judge_overlap(const run_facts& run, const operation_set& first_set, const operation_set& second_set,
                      double required) {
  report::evidence why;
  why.required = fmt::format("The {} run while {} run, for at least {} of the shorter of the two.",
                             first_set.words, second_set.words, percent(required));
  why.read_next = picture_and_idea;
  const operation_ids first = members(run.part(), first_set);
  const operation_ids second = members(run.part(), second_set);
  if (first.empty() || second.empty()) {
    say_there_is_none(run, first.empty() ? first_set : second_set, why);
    return failed(run_verdict::no_overlap, mistake::nothing_queued, why);
  }
  const analysis::overlap_facts facts = analysis::overlap(run.recording(), first, second);
  const double fraction = facts.fraction();
  if (fraction >= required) {
    return passed(fmt::format("{:.2f}, required {:.2f}", fraction, required), at_least(fraction, required));
  }
  operation_ids both = first;
  both.insert(both.end(), second.begin(), second.end());
  if (const std::string limit = limit_of_device(run, both); !limit.empty())
    return not_observable(limit, run_verdict::not_measurable);
  why.observation =
      fmt::format("They did for {} of it: {} were running for {}, {} for {}, both at once for {}.",
                  percent(fraction), first_set.words, duration_words(facts.first_busy), second_set.words,
                  duration_words(facts.second_busy), duration_words(facts.both_busy));
  report::evidence late_why = why;
  const auto late = issued_after_all(run, first, second);
  const std::string_view mistake = !late && came_late(run, second, first)
                                       ? tell_what_stayed_alone(run, second, first, first_set.words, why)
                                       : tell_what_stayed_alone(run, first, second, second_set.words, why);
  // The order inside a stream is wanted, and what the host does before it queues keeps only single operations apart.
  const bool is_no_reason = mistake == trace::word_of(trace::constraint_kind::stream_order) ||
                            mistake == report::word_of(explain::cause::host_busy);
  if (late && is_no_reason) {
    const trace::operation& operation = run.recording().operation_at(*late);
    late_why.observation += fmt::format(" {} was queued only when all of the others had ended.",
                                        report::capitalized(in_words(run.recording(), operation)));
    lead_to(late_why, run.recording(), operation);
    return failed(run_verdict::no_overlap, report::mistake::late_start, late_why,
                  at_least(fraction, required));
  }
  return failed(run_verdict::no_overlap, mistake, why, at_least(fraction, required));
}

// What held back independent work tells most: not the order inside a stream, which is wanted. Among those the
// most frequent kind of reason, and of that the longest operation.
const trace::operation* example_held_back(const trace::recording& recording,
                                          const operation_ids& operations) {
  std::map<trace::constraint_kind, operation_ids> held_back;
  for (trace::operation_id id : operations) {
    const trace::constraint* deciding = deciding_constraint(recording.operation_at(id));
    if (id != operations.front() && deciding != nullptr) held_back[deciding->kind].push_back(id);
  }
  if (held_back.size() > 1) held_back.erase(trace::constraint_kind::stream_order);
  const auto largest_group = std::max_element(
      held_back.begin(), held_back.end(),
      [](const auto& one, const auto& two) { return one.second.size() < two.second.size(); });
  if (largest_group == held_back.end()) return nullptr;
  const auto is_shorter = [&](trace::operation_id one, trace::operation_id two) {
    return length(running_times(recording, {one})) < length(running_times(recording, {two}));
  };
  const operation_ids& candidates = largest_group->second;
  return &recording.operation_at(*std::max_element(candidates.begin(), candidates.end(), is_shorter));
}

/// Where work in the default stream costs most: the first of it, and the streams that were made.
void tell_of_default_stream(const run_facts& run, const cause_words& costliest, report::evidence& why) {
  if (costliest.mistake != report::word_of(explain::cause::default_stream)) return;
  for (const trace::operation_id id : members(run.part(), device_work())) {
    const trace::operation& operation = run.recording().operation_at(id);
    if (run.recording().stream_at(operation.stream).kind != trace::stream_kind::legacy_default) continue;
    return tell_of_created_streams(run, operation, why);
  }
}

verdict judge_number_at_once(const run_facts& run, const operation_set& set, const std::string& chooser,
                             const std::string& numbers, double required) {
  const trace::recording& recording = run.recording();
  report::evidence why;
  why.required = fmt::format("On average at least {:.1f} {} run at a time.", required, set.words);
  why.read_next = picture_and_idea;
  const operation_ids operations = members(run.part(), set);
  const std::vector<interval> times = running_times(recording, operations);
  const trace::nanoseconds one_by_one = length(times);
  const trace::nanoseconds busy = length(united(times));
  if (busy.count() == 0) {
    say_there_is_none(run, set, why);
    return failed(run_verdict::no_overlap, mistake::no_kernels, why);
  }
  const double average = static_cast<double>(one_by_one.count()) / static_cast<double>(busy.count());
  if (average >= required) {
    return passed(fmt::format("{:.1f} on average, required {:.1f}", average, required),
                  at_least(average, required, 1));
  }
  if (const std::string limit = limit_of_device(run, operations); !limit.empty())
    return not_observable(limit, run_verdict::not_measurable);
  why.observation = fmt::format("It was {:.2f}: one after another the {} take {}, and they took {}.", average,
                                set.words, duration_words(one_by_one), duration_words(busy));
  const trace::operation& first = recording.operation_at(operations.front());
  const bool is_one_stream = std::all_of(operations.begin(), operations.end(), [&](trace::operation_id id) {
    return recording.operation_at(id).stream == first.stream;
  });
  if (is_one_stream && operations.size() > 1) {
    why.observation +=
        fmt::format(" All of them are in {}, and a stream runs its operations one after another.",
                    report::stream_in_words(recording, first.stream));
    lead_to(why, recording, first);
    tell_of_created_streams(run, first, why);
    if (const std::string line = chooser.empty() ? "" : line_of_return(run.source(), chooser);
        !line.empty()) {
      const std::int64_t number = run.answer().integer(chooser);
      why.observation +=
          fmt::format(" {}() chose {} as their number ({}), and at least {} are needed for that.{}", chooser,
                      number, line, static_cast<int>(std::ceil(required)), numbers);
      const bool is_too_small = static_cast<double>(number) < required;
      why.where = is_too_small ? line + ", " + why.where : why.where + ", " + line;
    }
    return failed(run_verdict::no_overlap, report::word_of(explain::cause::one_stream), why,
                  at_least(average, required, 1));
  }
  if (lead_to(why, recording, first); tell_of_few_streams(run, operations, average, chooser, why))
    return failed(run_verdict::no_overlap, report::word_of(explain::cause::one_stream), why,
                  at_least(average, required, 1));
  const cause_words costliest = costliest_cause(run, operations);
  lead_to(why, recording, costliest.where);
  // One example is enough: the cause names one of them already.
  const bool is_one_of_them =
      std::find(operations.begin(), operations.end(), costliest.late) != operations.end();
  const trace::operation* const held_back =
      is_one_of_them || !costliest.cure_of_wait.empty() ? nullptr : example_held_back(recording, operations);
  if (held_back != nullptr && (why.where.empty() || why.where != place_of(recording, *held_back))) {
    why.observation += fmt::format(" For example {}.", in_words(recording, *held_back));
    if (const std::string reason = reason_to_wait(run, *held_back); !reason.empty())
      why.observation += " Why it did not start earlier: " + reason;
    if (why.where.empty()) lead_to(why, recording, *held_back);
  }
  // What costs time somewhere, without an example, need not be what held this one back.
  const bool is_told = !costliest.sentence.empty() &&
                       (costliest.late != 0 || costliest.where.is_known() || held_back == nullptr);
  if (is_told) {
    why.observation += " What costs most time in all: " + costliest.sentence;
    tell_of_default_stream(run, costliest, why);
  }
  const std::string_view mistake = is_told                ? costliest.mistake
                                   : held_back != nullptr ? word_of_deciding_constraint(*held_back)
                                                          : "";
  if (mistake == trace::word_of(trace::constraint_kind::work_queue)) why.read_next = picture_and_surprise;
  return failed(run_verdict::no_overlap, mistake, why, at_least(average, required, 1));
}

/// The operation that the device waited for during the pause: back along the stream to one that waited for
/// something else than the operation before it.
trace::operation_id held_up_by(const trace::recording& recording, trace::operation_id next,
                               trace::nanoseconds since) {
  for (;;) {
    const trace::constraint* deciding = deciding_constraint(recording.operation_at(next));
    if (deciding == nullptr) return next;
    if (deciding->kind != trace::constraint_kind::stream_order || deciding->operation == 0) return next;
    if (recording.operation_at(deciding->operation).start <= since) return next;
    next = deciding->operation;
  }
}

/// "1.05 ms in host_work (drive.cpp:34)": the call of the issuing thread that filled most of the pause; ""
/// when none did.
std::string host_call_during(const trace::recording& recording, const trace::operation& late,
                             interval pause) {
  const trace::host_call& issued_by = recording.call_at(late.issued_by);
  const trace::host_call* longest = nullptr;
  trace::nanoseconds length{0};
  for (const trace::host_call& call : recording.calls) {
    if (call.thread != issued_by.thread || call.id >= issued_by.id) continue;
    const trace::nanoseconds inside = std::min(call.end, pause.second) - std::max(call.start, pause.first);
    if (inside <= length) continue;
    length = inside;
    longest = &call;
  }
  if (longest == nullptr) return "";
  return fmt::format("{} in {}", duration_words(length), in_words(recording, *longest));
}

std::string reason_for_pause(const run_facts& run, const trace::operation& late, interval pause) {
  const trace::constraint* deciding = deciding_constraint(late);
  if (deciding == nullptr || deciding->kind != trace::constraint_kind::host_issue || late.issued_by == 0) {
    return reason_to_wait(run, late);
  }
  const std::string call = host_call_during(run.recording(), late, pause);
  if (call.empty()) return "The host had not issued it before.";
  return fmt::format("The host had not issued it before: of the pause, its thread spent {}.", call);
}

/// The wait for the device from which the issuing thread returned only when the pause had begun: what it did after that it
/// could have done meanwhile. nullptr when there is none.
const trace::host_call* wait_before_pause(const run_facts& run, const trace::operation& late,
                                          interval pause) {
  const trace::recording& recording = run.recording();
  if (late.issued_by == 0) return nullptr;
  const trace::thread_id thread = recording.call_at(late.issued_by).thread;
  const trace::host_call* found = nullptr;
  for (const trace::call_id id : waiting_calls(run.part())) {
    const trace::host_call& call = recording.call_at(id);
    const bool reaches_into_pause =
        call.start < pause.first && call.end >= pause.first && call.end < pause.second;
    if (call.thread == thread && id < late.issued_by && reaches_into_pause) found = &call;
  }
  return found;
}

/// The same of another thread: the one that issues may have waited for what that one hands over. The shortest wait is no matter.
const trace::host_call* wait_of_another_thread(const run_facts& run, const trace::operation& late,
                                               interval pause) {
  const trace::recording& recording = run.recording();
  if (late.issued_by == 0) return nullptr;
  const trace::host_call* found = nullptr;
  for (const trace::call_id id : waiting_calls(run.part())) {
    const trace::host_call& call = recording.call_at(id);
    const bool is_other = call.thread != recording.call_at(late.issued_by).thread;
    if (!is_other || call.start >= pause.first || call.end < pause.first || call.end >= pause.second)
      continue;
    if (found == nullptr || call.start < found->start) found = &call;
  }
  return found;
}

verdict judge_busy_time(const run_facts& run, const operation_set& set, double required) {
  const trace::recording& recording = run.recording();
  report::evidence why;
  why.required = fmt::format("From the first to the last, {} run for at least {} of the time.", set.words,
                             percent(required));
  why.read_next =
      "What does the host do during the pause? The picture of your run shows it. Whatever it does there has "
      "to be done earlier, or by another thread.";
  const operation_ids operations = members(run.part(), set);
  if (operations.empty()) {
    say_there_is_none(run, set, why);
    return failed(run_verdict::too_slow, mistake::no_kernels, why);
  }
  const std::vector<interval> busy = united(running_times(recording, operations));
  const trace::nanoseconds span = busy.back().second - busy.front().first;
  const double fraction =
      span.count() == 0 ? 1.0 : static_cast<double>(length(busy).count()) / static_cast<double>(span.count());
  if (fraction >= required) {
    return passed(fmt::format("{:.2f}, required {:.2f}", fraction, required), at_least(fraction, required));
  }
  const trace::nanoseconds begin = run.part().begin;
  const interval pause = *longest_pause(busy);  // there is one, since they are busy for less than the span
  const trace::operation& next =
      recording.operation_at(first_starting_at(recording, operations, pause.second));
  why.observation = fmt::format(
      "They were running for {} of the {} between the first and the last ({}). The longest pause, {}, is "
      "before {}, which starts at {}.",
      duration_words(length(busy)), duration_words(span), percent(fraction),
      duration_words(pause.second - pause.first), in_words(recording, next),
      duration_words(next.start - begin));
  const trace::operation& cause = recording.operation_at(held_up_by(recording, next.id, pause.first));
  if (cause.id != next.id) {
    why.observation += fmt::format(" Before it in its stream, {} started at {}.", in_words(recording, cause),
                                   duration_words(cause.start - begin));
  }
  if (const std::string reason = reason_for_pause(run, cause, pause); !reason.empty()) {
    why.observation += ' ' + reason;
  }
  lead_to(why, recording, cause);
  const trace::constraint* const deciding = deciding_constraint(cause);
  const bool is_late = deciding != nullptr && deciding->kind == trace::constraint_kind::host_issue;
  if (const auto waited = is_late && cause.issued_by != 0
                              ? longest_wait_for_thread(run, recording.call_at(cause.issued_by).thread, pause)
                              : std::nullopt) {
    why.observation += ' ' + waited->sentence;
    for (auto line = waited->lines.rbegin(); line != waited->lines.rend(); ++line)
      report::lead_first_to(why, *line);
  }
  if (const trace::host_call* const wait = wait_before_pause(run, cause, pause)) {
    why.observation +=
        fmt::format(" It had been waiting in {} for {} before, and could have done that meanwhile.",
                    in_words(recording, *wait), duration_words(wait->end - wait->start));
    lead_to(why, recording, wait->where);
    return failed(run_verdict::too_slow, mistake::host_waits_early, why, at_least(fraction, required));
  }
  if (const trace::host_call* const wait = wait_of_another_thread(run, cause, pause)) {
    why.observation +=
        fmt::format(" Host thread {} had been waiting in {} for {} when the pause began.", wait->thread,
                    in_words(recording, *wait), duration_words(pause.first - wait->start));
    lead_to(why, recording, wait->where);
    return failed(run_verdict::too_slow, mistake::needless_wait, why, at_least(fraction, required));
  }
  return failed(run_verdict::too_slow, word_of_deciding_constraint(cause), why, at_least(fraction, required));
}

}  // namespace

Overlaps::Overlaps(operation_set first, operation_set second)
    : first_(std::move(first)), second_(std::move(second)) {}

matcher Overlaps::at_least(double fraction) const {
  return {fmt::format("{} run while {} run, for at least {}", first_.words, second_.words, percent(fraction)),
          [first = first_, second = second_, fraction](const run_facts& run) {
            return judge_overlap(run, first, second, fraction);
          }};
}

RunAtOnce::RunAtOnce(operation_set operations) : operations_(std::move(operations)) {}

RunAtOnce RunAtOnce::in_streams_from(std::string chooser, std::string numbers) const {
  RunAtOnce made = *this;
  made.chooser_ = std::move(chooser);
  made.numbers_ = numbers.empty() ? "" : " " + numbers;
  return made;
}

matcher RunAtOnce::on_average_at_least(double count) const {
  return {fmt::format("on average at least {:.1f} {} run at a time", count, operations_.words),
          [set = operations_, chooser = chooser_, numbers = numbers_, count](const run_facts& run) {
            return judge_number_at_once(run, set, chooser, numbers, count);
          }};
}

KeepsBusy::KeepsBusy(operation_set operations) : operations_(std::move(operations)) {}

matcher KeepsBusy::at_least(double fraction) const {
  return {
      fmt::format("{} run for at least {} of the time", operations_.words, percent(fraction)),
      [set = operations_, fraction](const run_facts& run) { return judge_busy_time(run, set, fraction); }};
}

}  // namespace matchers

#include "matchers/facts/same_stream.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "analysis/dependencies.h"
#include "analysis/places.h"
#include "matchers/facts/learner_code.h"
#include "matchers/facts/words.h"
#include "report/mistake.h"
#include "report/wording/cause_sentences.h"

namespace matchers {

namespace {

using trace::operation_id;

/// Everything that the operation needs, also by what it needs.
std::set<operation_id> needed_by(const analysis::part& part, const analysis::dependencies& needed,
                                 operation_id operation) {
  std::set<operation_id> found;
  std::vector<operation_id> open{operation};
  while (!open.empty()) {
    const operation_id next = open.back();
    open.pop_back();
    if (next < part.operations.front()) continue;
    for (const analysis::dependency& one : needed.of_operation[next - part.operations.front()]) {
      if (found.insert(one.earlier).second) open.push_back(one.earlier);
    }
  }
  return found;
}

/// Whether work behind the wait, in its stream, needs something that is done when its event is.
bool is_needed_later(const run_facts& run, operation_id wait) {
  const trace::recording& recording = run.recording();
  const analysis::dependencies needed = analysis::dependencies_of(run.part());
  const operation_id record = recording.operation_at(wait).captured;
  if (!needed.are_known || record == 0) return true;
  for (const operation_id id : run.part().operations) {
    if (id < wait || recording.operation_at(id).stream != recording.operation_at(wait).stream) continue;
    for (const operation_id earlier : needed_by(run.part(), needed, id)) {
      if (recording.operation_at(earlier).stream != recording.operation_at(wait).stream &&
          run.ordering().is_before(earlier, record))
        return true;
    }
  }
  return false;
}

/// The first of the others on the way back along its stream, and from waits for events on along those of their records, as far as
/// nothing else held the work up. `behind` is 0: none, or one that is needed comes first, or a stream of which something is needed.
ordered_pair first_before(const run_facts& run, operation_id late, const operation_ids& others,
                          const std::set<operation_id>& needed) {
  const auto is_needed = [&](trace::stream_id stream) {
    return std::any_of(needed.begin(), needed.end(),
                       [&](operation_id id) { return run.recording().operation_at(id).stream == stream; });
  };
  operation_id wait = 0;
  for (operation_id id = late;;) {
    const std::optional<analysis::reason> why = run.reasons().reason_of(id);
    const operation_id earlier = why ? why->constraint.operation : 0;
    if (earlier < run.part().operations.front() || needed.count(earlier) != 0) return {};
    if (why->constraint.kind == trace::constraint_kind::event) {
      if (is_needed(run.recording().operation_at(earlier).stream)) return {};
      if (wait == 0) wait = id;
    } else if (why->constraint.kind != trace::constraint_kind::stream_order) {
      return {};
    }
    id = earlier;
    if (std::binary_search(others.begin(), others.end(), id)) return {late, id, wait};
  }
}

/// The one of the others for which the operation alone was not ready before, because one of the two is in the legacy default stream.
ordered_pair first_by_default_stream(const run_facts& run, operation_id late, const operation_ids& others,
                                     const std::set<operation_id>& needed) {
  const trace::recording& recording = run.recording();
  const trace::operation& operation = recording.operation_at(late);
  if (!operation.waited_for) return {};
  // What is busy when the operation is ready would not have been so earlier.
  const auto decides = std::find_if(operation.waited_for->begin(), operation.waited_for->end(),
                                    [](const trace::constraint& constraint) {
                                      return constraint.kind != trace::constraint_kind::no_room &&
                                             constraint.kind != trace::constraint_kind::engine_busy;
                                    });
  if (decides == operation.waited_for->end() || decides->kind != trace::constraint_kind::legacy_default)
    return {};
  operation_id behind = decides->operation;
  while (behind >= run.part().operations.front() &&
         analysis::is_marker(recording.operation_at(behind).kind)) {
    const std::optional<analysis::reason> why = run.reasons().reason_of(behind);
    if (!why || why->constraint.kind != trace::constraint_kind::stream_order) return {};
    behind = why->constraint.operation;
  }
  if (!std::binary_search(others.begin(), others.end(), behind) || needed.count(behind) != 0) return {};
  const bool is_late_there = recording.stream_at(operation.stream).kind == trace::stream_kind::legacy_default;
  return {late, behind, 0, is_late_there ? late : behind};
}

trace::nanoseconds common_length(const trace::recording& recording, const ordered_pair& pair) {
  const auto length = [&](operation_id id) {
    return recording.operation_at(id).end - recording.operation_at(id).start;
  };
  return std::min(length(pair.late), length(pair.behind));
}

}  // namespace

std::optional<ordered_pair> kept_in_order(const run_facts& run, const operation_ids& first,
                                          const operation_ids& second) {
  const trace::recording& recording = run.recording();
  const analysis::dependencies needed = analysis::dependencies_of(run.part());
  if (!needed.are_known) return std::nullopt;
  std::vector<ordered_pair> pairs;
  for (const auto& [ones, others] : {std::pair(&first, &second), std::pair(&second, &first)}) {
    for (const operation_id late : *ones) {
      const trace::operation& operation = recording.operation_at(late);
      const bool is_created = recording.stream_at(operation.stream).kind == trace::stream_kind::created;
      for (const auto find : {first_before, first_by_default_stream}) {
        if (find == first_before && !is_created) continue;
        if (find(run, late, *others, {}).behind == 0) continue;
        const ordered_pair pair = find(run, late, *others, needed_by(run.part(), needed, late));
        if (pair.behind != 0) pairs.push_back(pair);
      }
    }
  }
  std::sort(pairs.begin(), pairs.end(),
            [](const ordered_pair& one, const ordered_pair& two) { return one.late < two.late; });
  const auto longest =
      std::max_element(pairs.begin(), pairs.end(), [&](const ordered_pair& one, const ordered_pair& two) {
        return common_length(recording, one) < common_length(recording, two);
      });
  return longest == pairs.end() ? std::nullopt : std::optional(*longest);
}

bool is_independent(const run_facts& run, operation_id operation, const operation_ids& others) {
  const analysis::dependencies needed = analysis::dependencies_of(run.part());
  if (!needed.are_known) return false;
  const std::set<operation_id> of_operation = needed_by(run.part(), needed, operation);
  return std::none_of(others.begin(), others.end(), [&](operation_id other) {
    return of_operation.count(other) != 0 || needed_by(run.part(), needed, other).count(operation) != 0;
  });
}

std::string_view mistake_of(const ordered_pair& pair) {
  return pair.in_default_stream != 0 ? report::word_of(explain::cause::default_stream)
         : pair.wait != 0            ? report::word_of(report::mistake::needless_wait)
                                     : report::word_of(explain::cause::one_stream);
}

void tell_of_order(const run_facts& run, const ordered_pair& pair, report::evidence& why) {
  const trace::recording& recording = run.recording();
  const trace::operation& late = recording.operation_at(pair.late);
  const trace::operation& behind = recording.operation_at(pair.behind);
  if (pair.in_default_stream != 0) {
    why.observation += fmt::format(
        " For example, {}{} could not start before {}{} ended, although neither of these two needs the other: {}.",
        in_words(recording, late), in_brackets(place_of(recording, late)), in_words(recording, behind),
        in_brackets(place_of(recording, behind)),
        pair.in_default_stream == pair.late ? "the default stream waits for all blocking streams"
                                            : "all blocking streams wait for the default stream");
    const trace::operation& cause = recording.operation_at(pair.in_default_stream);
    report::lead_to(why, recording, analysis::place_of_operation(recording, cause.id));
    tell_of_created_streams(run, cause, why);
    return;
  }
  if (pair.wait != 0) {
    const trace::operation& wait = recording.operation_at(pair.wait);
    const std::string place = place_of(recording, wait);
    why.observation += fmt::format(
        " For example, {}{} waits for {}{}, although neither of these two needs the other: {} waits for an event behind that one{}. "
        "{}",
        in_words(recording, late), in_brackets(place_of(recording, late)), in_words(recording, behind),
        in_brackets(place_of(recording, behind)), report::stream_in_words(recording, late.stream),
        in_brackets(place),
        is_needed_later(run, pair.wait) ? "Let the stream wait directly before the work that needs it."
                                        : "Leave this wait out.");
    report::lead_to(why, recording,
                    std::vector{analysis::place_of_operation(recording, pair.wait),
                                analysis::place_of_operation(recording, pair.late)});
    return;
  }
  why.observation += fmt::format(
      " For example, {}{} is behind {}{}: a stream runs its operations one after another, although neither "
      "of these two needs the other.",
      in_words(recording, late), in_brackets(place_of(recording, late)),
      report::without_stream_in_words(recording, behind), in_brackets(place_of(recording, behind)));
  std::vector places{analysis::place_of_operation(recording, pair.late),
                     analysis::place_of_operation(recording, pair.behind)};
  // A copy back can move to another stream; the kernels behind it are where they belong.
  const bool is_kernel_behind_copy =
      late.kind == trace::operation_kind::kernel && behind.kind == trace::operation_kind::copy;
  if (is_kernel_behind_copy) std::swap(places.front(), places.back());
  report::lead_to(why, recording, places);
}

bool tell_of_few_streams(const run_facts& run, const operation_ids& operations, double at_once,
                         const std::string& chooser, report::evidence& why) {
  // Chosen: in the rest of the time their streams hold copies, or are at the begin or the end.
  constexpr double nearly_always = 0.8;
  std::set<trace::stream_id> streams;
  for (const operation_id id : operations) streams.insert(run.recording().operation_at(id).stream);
  if (streams.size() < 2 || at_once < nearly_always * static_cast<double>(streams.size())) return false;
  why.observation += fmt::format(
      " They are in {} streams, and a stream runs its operations one after another: more than {} cannot run at a time.",
      streams.size(), streams.size());
  if (chooser.empty() || run.answer().integer(chooser) != static_cast<std::int64_t>(streams.size()))
    return true;
  const std::string line = line_of_return(run.source(), chooser);
  why.observation +=
      fmt::format(" {}() chose {} as their number{}.", chooser, streams.size(), in_brackets(line));
  if (!line.empty()) report::lead_first_to(why, line);
  return true;
}

}  // namespace matchers

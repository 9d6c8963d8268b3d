#include "matchers/facts/same_stream.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "analysis/dependencies.h"
#include "analysis/places.h"
#include "matchers/facts/words.h"

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

/// The first of the others on the way back along its stream, as far as nothing else held the work up. 0: none, or one that is
/// needed comes first.
operation_id first_before(const run_facts& run, operation_id late, const operation_ids& others,
                          const std::set<operation_id>& needed) {
  for (operation_id id = late;;) {
    const std::optional<analysis::reason> why = run.reasons().reason_of(id);
    if (!why || why->constraint.kind != trace::constraint_kind::stream_order) return 0;
    id = why->constraint.operation;
    if (id < run.part().operations.front() || needed.count(id) != 0) return 0;
    if (std::binary_search(others.begin(), others.end(), id)) return id;
  }
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
      if (recording.stream_at(operation.stream).kind != trace::stream_kind::created) continue;
      if (first_before(run, late, *others, {}) == 0) continue;
      const operation_id behind = first_before(run, late, *others, needed_by(run.part(), needed, late));
      if (behind != 0) pairs.push_back({late, behind});
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

void tell_of_order(const run_facts& run, const ordered_pair& pair, report::evidence& why) {
  const trace::recording& recording = run.recording();
  const trace::operation& late = recording.operation_at(pair.late);
  const trace::operation& behind = recording.operation_at(pair.behind);
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

}  // namespace matchers

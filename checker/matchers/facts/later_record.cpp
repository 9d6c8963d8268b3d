#include "matchers/facts/later_record.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <vector>

#include "analysis/dependencies.h"
#include "analysis/places.h"
#include "matchers/facts/words.h"

namespace matchers {

namespace {

using trace::operation_id;
using trace::operation_kind;

/// What the work behind a wait needs of other streams.
struct needs_behind {
  std::set<operation_id> of_next;  ///< that up to the next wait
  struct later {
    operation_id needed = 0;
    std::size_t records = 0;  ///< so many of `records` are taken before it
  };
  std::vector<later> of_later;        ///< that behind the next wait
  std::vector<operation_id> records;  ///< that the next waits take
};

needs_behind needs_of(const run_facts& run, const analysis::dependencies& needed,
                      const trace::operation& wait) {
  const trace::recording& recording = run.recording();
  const std::vector<operation_id>& operations = run.part().operations;
  needs_behind found;
  bool is_for_work = false;
  for (operation_id id = wait.id + 1; id <= operations.back(); ++id) {
    const trace::operation& behind = recording.operation_at(id);
    if (behind.stream != wait.stream) continue;
    if (behind.kind == operation_kind::event_wait && is_for_work) found.records.push_back(behind.captured);
    if (analysis::is_marker(behind.kind)) continue;
    is_for_work = true;
    for (const analysis::dependency& one : needed.of_operation[id - operations.front()]) {
      if (recording.operation_at(one.earlier).stream == wait.stream || one.earlier >= wait.id) continue;
      if (found.records.empty()) {
        found.of_next.insert(one.earlier);
      } else {
        found.of_later.push_back({one.earlier, found.records.size()});
      }
    }
  }
  return found;
}

}  // namespace

bool tell_of_later_record(const run_facts& run, const trace::operation& late, report::evidence& why) {
  const trace::recording& recording = run.recording();
  const analysis::link root = run.reasons().root_of(late.id);
  const trace::operation& wait = recording.operation_at(root.operation);
  const operation_id first = run.part().operations.front();
  const bool is_held_up = wait.kind == operation_kind::event_wait && wait.captured >= first && root.why &&
                          root.why->constraint.kind == trace::constraint_kind::event;
  const analysis::dependencies needed = analysis::dependencies_of(run.part());
  if (!is_held_up || !needed.are_known) return false;
  const trace::operation& taken = recording.operation_at(wait.captured);
  const needs_behind needs = needs_of(run, needed, wait);
  const auto last = std::find_if(needs.of_next.rbegin(), needs.of_next.rend(), [&](operation_id id) {
    return recording.operation_at(id).stream == taken.stream;
  });
  if (last == needs.of_next.rend()) return false;
  const trace::operation* enough = nullptr;    // the record that would do
  const trace::operation* too_much = nullptr;  // the last work before the record that is taken
  for (operation_id id = *last + 1; id < taken.id; ++id) {
    const trace::operation& operation = recording.operation_at(id);
    if (operation.stream != taken.stream) continue;
    const bool is_record = operation.kind == operation_kind::event_record && operation.event == taken.event;
    if (is_record && enough == nullptr) enough = &operation;
    if (enough != nullptr && analysis::is_device_work(operation.kind)) too_much = &operation;
  }
  if (too_much == nullptr) return false;
  const auto is_done_there = [&](operation_id id) { return run.ordering().is_before(id, enough->id); };
  // Work behind the next wait may count on this one.
  const auto counts_on_it = [&](const needs_behind::later& one) {
    const auto end = needs.records.begin() + static_cast<std::ptrdiff_t>(one.records);
    return !is_done_there(one.needed) && std::none_of(needs.records.begin(), end, [&](operation_id record) {
      return record != 0 && run.ordering().is_before(one.needed, record);
    });
  };
  if (!std::all_of(needs.of_next.begin(), needs.of_next.end(), is_done_there) ||
      std::any_of(needs.of_later.begin(), needs.of_later.end(), counts_on_it))
    return false;
  why.observation += fmt::format(
      " The wait took the latest record, behind {}{}. What follows up to the next wait needs no more than an earlier record of that "
      "event, the one behind {}, which was there at {}. Queue the wait before the event is recorded again, or use an event of its own "
      "for each record.",
      report::without_stream_in_words(recording, *too_much), in_brackets(place_of(recording, taken)),
      report::without_stream_in_words(recording, recording.operation_at(*last)),
      duration_words(enough->end - run.part().begin));
  lead_to(why, recording,
          std::vector{analysis::place_of_operation(recording, wait.id),
                      analysis::place_of_operation(recording, taken.id)});
  return true;
}

}  // namespace matchers

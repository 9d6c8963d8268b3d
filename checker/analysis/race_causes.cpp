#include "analysis/race_causes.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string_view>
#include <tuple>

#include "analysis/dependencies.h"

namespace analysis {
namespace {

/// Where a side stands in the order in which the host did things: operations at their call, host statements
/// between two calls.
std::uint64_t time_of_issue(const trace::recording& recording, const race_side& side) {
  if (side.operation != 0) return std::uint64_t{recording.operation_at(side.operation).issued_by} * 2;
  return std::uint64_t{recording.host_accesses->at(side.host_access).after} * 2 + 1;
}

/// The stream or the branch of a graph, or the host thread, of a side.
std::uint64_t timeline_of(const trace::recording& recording, const ordering& order, const race_side& side) {
  if (side.operation != 0) return std::uint64_t{order.timeline_of(side.operation)} * 2;
  return std::uint64_t{recording.host_accesses->at(side.host_access).thread} * 2 + 1;
}

race_kind kind_of(const trace::recording& recording, const race& found) {
  if (runs_on_host(recording, found.first) && runs_on_host(recording, found.second))
    return race_kind::unordered;
  if (found.first.operation == 0 || found.second.operation != 0) return race_kind::unordered;
  if (found.second.mode == trace::access_mode::read) return race_kind::result_read_early;
  const bool is_source = found.first.mode == trace::access_mode::read &&
                         recording.operation_at(found.first.operation).kind == trace::operation_kind::copy;
  return is_source ? race_kind::source_overwritten : race_kind::unordered;
}

class cause_search {
 public:
  cause_search(const trace::recording& recording, const ordering& order)
      : recording_(recording), order_(order) {}

  void add(const race& found) {
    const auto [of_lines, is_new_line] = by_lines_.try_emplace(lines_of(found), causes_.size());
    if (!is_new_line) return add_to(causes_[of_lines->second], found);
    const auto [of_edge, is_new_edge] = by_timelines_.try_emplace(timelines_of(found), causes_.size());
    if (!is_new_edge && is_cured_together(causes_[of_edge->second], found)) {
      of_lines->second = of_edge->second;
      return add_to(causes_[of_edge->second], found);
    }
    of_edge->second = causes_.size();
    causes_.push_back({kind_of(recording_, found), found, found.first, found.second, 0});
    add_to(causes_.back(), found);
  }

  std::vector<race_cause> take() { return std::move(causes_); }

 private:
  using line = std::pair<std::uint32_t, std::uint32_t>;
  using lines = std::tuple<line, line, race_kind>;
  using timelines = std::tuple<std::uint64_t, std::uint64_t, race_kind>;

  void add_to(race_cause& cause, const race& found) const {
    ++cause.pairs;
    keep_line(cause.firsts, found.first);
    keep_line(cause.seconds, found.second);
    if (found.first.operation == 0) return;
    const trace::stream_id stream = recording_.operation_at(found.first.operation).stream;
    if (std::find(cause.streams.begin(), cause.streams.end(), stream) == cause.streams.end())
      cause.streams.push_back(stream);
  }

  void keep_line(std::vector<race_side>& sides, const race_side& side) const {
    const bool is_known = std::any_of(
        sides.begin(), sides.end(), [&](const race_side& known) { return line_of(known) == line_of(side); });
    if (side.operation != 0 && !is_known) sides.push_back(side);
  }

  // Sides without a line are told apart by what they are.
  line line_of(const race_side& side) const {
    const trace::location place = place_of(recording_, side);
    if (place.is_known()) return {place.file, place.line};
    return {0, side.operation != 0 ? side.operation : static_cast<std::uint32_t>(side.host_access)};
  }
  lines lines_of(const race& found) const {
    return {line_of(found.first), line_of(found.second), kind_of(recording_, found)};
  }
  timelines timelines_of(const race& found) const {
    return {timeline_of(recording_, order_, found.first), timeline_of(recording_, order_, found.second),
            kind_of(recording_, found)};
  }

  /// Whether one edge, after the later of the first sides and before the earlier of the second ones, would do
  /// for both; the cause then has that edge.
  bool is_cured_together(race_cause& known, const race& found) const {
    const bool begins_later = time_of_issue(recording_, found.first) > time_of_issue(recording_, known.from);
    const bool ends_earlier = time_of_issue(recording_, found.second) < time_of_issue(recording_, known.to);
    const race_side from = begins_later ? found.first : known.from;
    const race_side to = ends_earlier ? found.second : known.to;
    if (time_of_issue(recording_, from) >= time_of_issue(recording_, to)) return false;
    known.from = from;
    known.to = to;
    return true;
  }

  const trace::recording& recording_;
  const ordering& order_;
  std::vector<race_cause> causes_;
  std::map<lines, std::size_t> by_lines_;
  std::map<timelines, std::size_t> by_timelines_;
};

class useless_wait_search {
 public:
  useless_wait_search(const trace::recording& recording, const ordering& order, const race_cause& cause)
      : recording_(recording),
        order_(order),
        cause_(cause),
        first_(recording.operation_at(cause.from.operation)) {}

  std::optional<useless_wait> run(const std::optional<part>& function) {
    for (const trace::host_call& call : recording_.calls) {
      if (function && !std::binary_search(function->calls.begin(), function->calls.end(), call.id)) continue;
      if (call.error_code == 0)
        cause_.to.operation != 0 ? look_at_stream_wait(call) : look_at_host_wait(call);
      else if (is_failed_wait(call))
        offer(useless_wait_kind::failed, call, 0);
      else if (is_question(call))
        offer(useless_wait_kind::only_asked, call, 0);
    }
    if (likeliest_ && likeliest_->kind == useless_wait_kind::too_late && cause_.to.operation != 0)
      likeliest_->in_its_place = made_in_place_of(recording_.call_at(likeliest_->wait));
    return likeliest_;
  }

 private:
  /// Of a wait of a stream behind the second side: the last call of its line between the two sides, where that is for another stream.
  trace::call_id made_in_place_of(const trace::host_call& late) const {
    const trace::call_id second = recording_.operation_at(cause_.to.operation).issued_by;
    for (trace::call_id id = second - 1; second != 0 && id > first_.issued_by; --id) {
      const trace::host_call& call = recording_.call_at(id);
      if (call.function == late.function && call.thread == late.thread && call.where == late.where)
        return call.stream == late.stream ? 0 : id;
    }
    return 0;
  }

  /// Whether a wait between the two sides that would have ordered them, as far as that is known, returned an error.
  bool is_failed_wait(const trace::host_call& call) const {
    if (call.error_code == trace::not_ready || call.id < first_.issued_by) return false;
    const trace::wait_target awaited = trace::traits_of(call.function).waits_for;
    if (cause_.to.operation != 0) {
      const trace::operation& second = recording_.operation_at(cause_.to.operation);
      return trace::effect_of(call) == trace::call_effect::waits_for_event && call.id < second.issued_by &&
             (call.stream == 0 || call.stream == second.stream) && may_cover_first(call);
    }
    const trace::host_access& access = recording_.host_accesses->at(cause_.to.host_access);
    if (trace::effect_of(call) != trace::call_effect::synchronizes || call.thread != access.thread ||
        call.id > access.after)
      return false;
    return awaited == trace::wait_target::event ? may_cover_first(call)
                                                : call.stream == 0 || call.stream == first_.stream;
  }

  /// Whether the host asked between the two sides whether the first is complete, and was told that it is not.
  bool is_question(const trace::host_call& call) const {
    if (call.error_code != trace::not_ready || cause_.to.operation != 0 || call.id < first_.issued_by ||
        trace::effect_of(call) != trace::call_effect::queries)
      return false;
    const trace::host_access& access = recording_.host_accesses->at(cause_.to.host_access);
    if (call.thread != access.thread || call.id > access.after) return false;
    return call.captured == 0 ? call.stream == first_.stream : order_.is_before(first_.id, call.captured);
  }

  /// Whether the event that the call names is not known, or was recorded behind the first side, or not at all.
  bool may_cover_first(const trace::host_call& wait) const {
    const trace::operation* record = nullptr;
    for (const trace::operation& operation : recording_.operations) {
      if (operation.issued_by >= wait.id) break;
      const bool is_record = operation.kind == trace::operation_kind::event_record;
      if (wait.event != 0 && is_record && operation.event == wait.event) record = &operation;
    }
    return record == nullptr || order_.is_before(first_.id, record->id);
  }

  void look_at_stream_wait(const trace::host_call& call) {
    if (call.operation == 0) return;
    const trace::operation& wait = recording_.operation_at(call.operation);
    if (wait.kind != trace::operation_kind::event_wait) return;
    const trace::operation& second = recording_.operation_at(cause_.to.operation);
    const bool is_in_stream = wait.stream == second.stream;
    if (wait.captured == 0) {
      const trace::operation_id next = record_for_first(wait);
      if (is_in_stream && wait.id < second.id && may_be_meant(wait) && !is_of_earlier_round(call, next))
        offer(useless_wait_kind::never_recorded, call, next);
      return;
    }
    const bool covers_first =
        order_.is_before(first_.id, wait.captured) || recording_.operation_at(wait.captured).id == first_.id;
    if (covers_first) {
      if (!is_in_stream && wait.id < second.id)
        offer(useless_wait_kind::in_another_stream, call, wait.captured);
      // What else covers the first side, by the default stream or other waits, was hardly meant for it.
      const bool is_for_first = recording_.operation_at(wait.captured).stream == first_.stream;
      if (is_in_stream && is_for_first && wait.id > second.id)
        offer(useless_wait_kind::too_late, call, wait.captured);
      if (is_in_stream && wait.id < second.id)
        offer(useless_wait_kind::recorded_unordered, call, wait.captured);
    } else if (is_in_stream && wait.id < second.id) {
      const trace::operation_id next = record_for_first(wait);
      if (next != 0 && is_of_earlier_round(call, next)) return;
      if (next != 0)
        offer(useless_wait_kind::recorded_later, call, next);
      else
        look_at_record(call, wait.captured, wait.id > first_.id && !serves(wait.captured, second));
    } else if (wait.stream == first_.stream && first_.id < wait.id && wait.id < second.id &&
               recording_.operation_at(wait.captured).stream == second.stream) {
      const bool is_needed = orders_next_work(wait);
      offer(is_needed ? useless_wait_kind::of_other_way : useless_wait_kind::wrong_way, call, wait.captured);
    }
  }

  /// Whether a wait for an event without a record can be for the first side: what was queued before it was made for something else,
  /// unless its event is recorded next behind the first side, or never.
  bool may_be_meant(const trace::operation& wait) const {
    if (wait.id > first_.id) return true;
    const trace::operation* const next = next_record(wait);
    return next == nullptr || order_.is_before(first_.id, next->id);
  }

  /// Whether the wait was made for the round before that of the second side: between that record and the second side, its line makes
  /// another stream wait, and that of the second side only behind it.
  bool is_of_earlier_round(const trace::host_call& wait, trace::operation_id record) const {
    if (record == 0) return false;
    const trace::call_id recorded = recording_.operation_at(record).issued_by;
    const trace::call_id second = recording_.operation_at(cause_.to.operation).issued_by;
    bool is_for_another_before = false;
    for (trace::call_id id = recorded + 1; id <= recording_.calls.size(); ++id) {
      const trace::host_call& call = recording_.call_at(id);
      if (call.function != wait.function || call.thread != wait.thread || call.where != wait.where) continue;
      if (call.stream == wait.stream) return is_for_another_before && id > second;
      is_for_another_before |= id < second;
    }
    return false;
  }

  /// The first record behind the wait of the event that it waits for; nullptr when there is none.
  const trace::operation* next_record(const trace::operation& wait) const {
    const auto next = std::find_if(recording_.operations.begin() + wait.id, recording_.operations.end(),
                                   [&](const trace::operation& record) {
                                     return record.kind == trace::operation_kind::event_record &&
                                            record.event == wait.event;
                                   });
    return next == recording_.operations.end() ? nullptr : &*next;
  }

  /// The next record behind the wait of its event, where that is behind the first side in its stream, and before the second: the
  /// wait was to come behind it. Else 0.
  trace::operation_id record_for_first(const trace::operation& wait) const {
    const trace::operation* const next = next_record(wait);
    const bool is_for_first = next != nullptr && next->id < cause_.to.operation &&
                              next->stream == first_.stream && order_.is_before(first_.id, next->id);
    return is_for_first ? next->id : 0;
  }

  static bool has_accesses(const trace::operation& work) { return work.accesses && !work.accesses->empty(); }

  /// The last operation with accesses ahead of the record in its stream; nullptr when there is none.
  const trace::operation* last_work_before(trace::operation_id record) const {
    const trace::stream_id stream = recording_.operation_at(record).stream;
    for (trace::operation_id id = record - 1; id > 0; --id) {
      const trace::operation& work = recording_.operation_at(id);
      if (work.stream == stream && has_accesses(work)) return &work;
    }
    return nullptr;
  }

  /// Whether the operation needs what was last done ahead of the record in its stream: then the wait is there for that.
  bool serves(trace::operation_id record, const trace::operation& second) const {
    const trace::operation* const work = last_work_before(record);
    return work != nullptr && share_data(*work, second);
  }

  void look_at_host_wait(const trace::host_call& call) {
    const trace::host_access& access = recording_.host_accesses->at(cause_.to.host_access);
    if (call.thread != access.thread) return;
    const trace::call_effect effect = trace::effect_of(call);
    if (call.id < first_.issued_by) {
      if (effect == trace::call_effect::synchronizes && is_right_before_first(call))
        offer(useless_wait_kind::too_early, call, call.captured);
      return;
    }
    const bool is_in_time = call.id <= access.after;
    if (is_in_time && effect == trace::call_effect::waits_for_event) look_at_wait_of_a_stream(call);
    if (effect != trace::call_effect::synchronizes) return;
    const trace::wait_target awaited = trace::traits_of(call.function).waits_for;
    if (awaited == trace::wait_target::stream && call.stream != 0) {
      const bool is_for_another = call.stream != first_.stream && is_in_time;
      if (is_for_another && !serves_next_reads(recording_, call, cause_.to.host_access))
        offer(useless_wait_kind::for_another_stream, call, 0);
      if (call.stream == first_.stream && !is_in_time) offer(useless_wait_kind::too_late, call, 0);
    } else if (awaited == trace::wait_target::device) {
      if (!is_in_time) offer(useless_wait_kind::too_late, call, 0);
      if (is_in_time && call.device != first_.device) offer(useless_wait_kind::for_another_device, call, 0);
    } else if (awaited == trace::wait_target::event) {
      if (call.captured == 0) {
        if (is_in_time) offer(useless_wait_kind::never_recorded, call, 0);
      } else if (order_.is_before(first_.id, call.captured)) {
        if (!is_in_time) offer(useless_wait_kind::too_late, call, call.captured);
      } else if (is_in_time && !serves_next_reads(recording_, call, cause_.to.host_access)) {
        look_at_record(call, call.captured, false);
      }
    }
  }

  /// A stream waits for an event behind the first side, and the host for nothing; unless the wait is there for the stream.
  void look_at_wait_of_a_stream(const trace::host_call& call) {
    const trace::operation_id record =
        call.operation == 0 ? 0 : recording_.operation_at(call.operation).captured;
    const bool is_for_first = record != 0 && recording_.operation_at(record).stream == first_.stream &&
                              order_.is_before(first_.id, record);
    if (is_for_first && !orders_next_work(recording_.operation_at(call.operation)))
      offer(useless_wait_kind::only_of_a_stream, call, record);
  }

  /// Whether what the stream does next needs what was done ahead of the record, and nothing behind that in the record's stream.
  bool orders_next_work(const trace::operation& wait) const {
    const auto next = std::find_if(
        recording_.operations.begin() + wait.id, recording_.operations.end(),
        [&](const trace::operation& work) { return work.stream == wait.stream && has_accesses(work); });
    if (next == recording_.operations.end()) return false;
    const trace::stream_id stream = recording_.operation_at(wait.captured).stream;
    for (trace::operation_id id = next->id - 1; id > 0; --id) {
      const trace::operation& work = recording_.operation_at(id);
      if (work.stream == stream && share_data(work, *next)) return id < wait.captured;
    }
    return false;
  }

  /// Whether the wait is for what was in the first side's stream, and its thread queued nothing between it and the first side.
  bool is_right_before_first(const trace::host_call& wait) const {
    const trace::stream_id awaited =
        wait.captured == 0 ? wait.stream : recording_.operation_at(wait.captured).stream;
    const bool is_for_device = trace::traits_of(wait.function).waits_for == trace::wait_target::device;
    if (!is_for_device && awaited != first_.stream) return false;
    if (recording_.call_at(first_.issued_by).thread != wait.thread) return false;
    return std::none_of(
        recording_.calls.begin() + wait.id, recording_.calls.begin() + (first_.issued_by - 1),
        [&](const trace::host_call& call) { return call.thread == wait.thread && call.operation != 0; });
  }

  /// Whether the thread of the second side makes no other call between that and the wait.
  bool is_right_behind_second(const trace::host_call& wait) const {
    const trace::host_access& access = recording_.host_accesses->at(cause_.to.host_access);
    return cause_.to.operation == 0 &&
           std::none_of(recording_.calls.begin() + access.after, recording_.calls.begin() + (wait.id - 1),
                        [&](const trace::host_call& call) { return call.thread == wait.thread; });
  }

  /// A wait in the right place whose event does not cover the first side.
  void look_at_record(const trace::host_call& wait, trace::operation_id record, bool may_be_for_first) {
    const trace::operation& recorded = recording_.operation_at(record);
    if (recorded.stream == first_.stream) {
      offer(useless_wait_kind::recorded_too_early, wait, record);
    } else if (recorded.id > first_.id || may_be_for_first) {
      offer(useless_wait_kind::for_another_stream, wait, record);
    }
  }

  /// Keeps the likeliest kind (in the order in which they are declared), and of one kind the nearest to the
  /// second side. Of waits of one line, such as for each of several events, the one for the first side's stream.
  void offer(useless_wait_kind kind, const trace::host_call& wait, trace::operation_id record) {
    if (likeliest_) {
      const useless_wait_kind known = likeliest_->kind;
      const bool is_of_line = recording_.call_at(likeliest_->wait).where.is_same_line(wait.where);
      const auto are = [&](useless_wait_kind one, useless_wait_kind other) {
        return known == one && kind == other;
      };
      if (are(useless_wait_kind::too_early, useless_wait_kind::too_late) && is_right_behind_second(wait)) {
        likeliest_ = useless_wait{kind, wait.id, record};
        return;
      }
      const bool is_of_first =
          is_of_line && are(useless_wait_kind::for_another_stream, useless_wait_kind::recorded_too_early);
      const bool is_of_other =
          is_of_line && are(useless_wait_kind::recorded_too_early, useless_wait_kind::for_another_stream);
      if (is_of_other || (known < kind && !is_of_first)) return;
      if (known == kind && kind == useless_wait_kind::too_late) return;
    }
    likeliest_ = useless_wait{kind, wait.id, record};
  }

  const trace::recording& recording_;
  const ordering& order_;
  const race_cause& cause_;
  const trace::operation& first_;
  std::optional<useless_wait> likeliest_;
};

}  // namespace

std::string_view word_of(race_kind kind) {
  switch (kind) {
    case race_kind::unordered:
      return "unordered_accesses";
    case race_kind::result_read_early:
      return "result_read_early";
    case race_kind::source_overwritten:
      return "source_overwritten";
  }
  throw std::logic_error("a kind of race without a word");
}

std::vector<race_cause> causes_of(const trace::recording& recording, const ordering& order,
                                  const std::vector<race>& races) {
  cause_search search(recording, order);
  for (const race& race : races) search.add(race);
  return search.take();
}

bool runs_on_host(const trace::recording& recording, const race_side& side) {
  return side.operation == 0 ||
         recording.operation_at(side.operation).kind == trace::operation_kind::host_function;
}

bool are_in_one_graph(const trace::recording& recording, const race_side& first, const race_side& second) {
  if (first.operation == 0 || second.operation == 0) return false;
  const trace::operation_id launch = recording.operation_at(first.operation).graph_launch;
  return launch != 0 && launch == recording.operation_at(second.operation).graph_launch;
}

bool serves_next_reads(const trace::recording& recording, const trace::host_call& wait, std::size_t end) {
  const trace::stream_id stream =
      wait.captured == 0 ? wait.stream : recording.operation_at(wait.captured).stream;
  const auto next = std::find_if(
      recording.calls.begin() + wait.id, recording.calls.end(), [&](const trace::host_call& call) {
        return call.thread == wait.thread && trace::effect_of(call) == trace::call_effect::synchronizes;
      });
  const auto is_written_there = [&](const trace::access& read) {
    return std::any_of(
        recording.operations.begin(), recording.operations.end(), [&](const trace::operation& work) {
          return work.stream == stream && work.issued_by < wait.id && work.accesses &&
                 std::any_of(work.accesses->begin(), work.accesses->end(), [&](const trace::access& write) {
                   return write.mode != trace::access_mode::read && write.allocation == read.allocation &&
                          write.bytes.overlaps(read.bytes);
                 });
        });
  };
  const std::vector<trace::host_access>& accesses = *recording.host_accesses;
  return std::any_of(accesses.begin(), accesses.begin() + static_cast<std::ptrdiff_t>(end),
                     [&](const trace::host_access& one) {
                       return one.thread == wait.thread && one.after >= wait.id &&
                              (next == recording.calls.end() || one.after < next->id) &&
                              one.access.mode != trace::access_mode::write &&
                              recording.leads_to_line(one.where) && is_written_there(one.access);
                     });
}

std::optional<useless_wait> find_useless_wait(const trace::recording& recording, const ordering& order,
                                              const race_cause& cause, const std::optional<part>& function) {
  if (cause.from.operation == 0 || are_in_one_graph(recording, cause.from, cause.to)) return std::nullopt;
  return useless_wait_search(recording, order, cause).run(function);
}

}  // namespace analysis

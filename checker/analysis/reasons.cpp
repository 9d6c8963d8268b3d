#include "analysis/reasons.h"

#include <algorithm>
#include <map>
#include <utility>

#include "analysis/copy_devices.h"
#include "trace/call_promise.h"

namespace analysis {
namespace {

using trace::constraint;
using trace::constraint_kind;
using trace::nanoseconds;
using trace::operation_id;
using trace::operation_kind;

using engine_of_device = std::pair<std::uint32_t, engine>;

/// The last of some operations to end, as far as they were issued.
struct latest {
  operation_id operation = 0;
  nanoseconds end{0};
  void take(const trace::operation& candidate) {
    if (operation == 0 || candidate.end >= end) *this = {candidate.id, candidate.end};
  }
};

}  // namespace

std::optional<engine> engine_of(const trace::recording& recording, const trace::operation& operation) {
  switch (operation.kind) {
    case operation_kind::kernel:
      return engine::kernels;
    case operation_kind::memset:
      return engine::inside_device;
    case operation_kind::copy:
    case operation_kind::prefetch:
      if (!operation.source || !operation.destination) return std::nullopt;
      switch (trace::direction_of(operation)) {
        case trace::copy_direction::host_to_device:
          return engine::copies_to_device;
        case trace::copy_direction::device_to_host:
          return engine::copies_to_host;
        case trace::copy_direction::device_to_device:
          return devices_between(recording, operation) ? engine::between_devices : engine::inside_device;
        case trace::copy_direction::host_to_host:
          return std::nullopt;
      }
      return std::nullopt;
    case operation_kind::event_record:
    case operation_kind::event_wait:
    case operation_kind::host_function:
    case operation_kind::graph_launch:
    case operation_kind::allocate:
    case operation_kind::release:
    case operation_kind::attach:
      return std::nullopt;
  }
  return std::nullopt;
}

reasons::reasons(const part& part) : part_(part), recording_(*part.recording), by_end_(part.operations) {
  std::stable_sort(by_end_.begin(), by_end_.end(), [&](operation_id one, operation_id two) {
    return recording_.operation_at(one).end < recording_.operation_at(two).end;
  });
  for (const trace::host_call& call : recording_.calls) calls_of_[call.thread].push_back(call.id);
  std::map<trace::stream_id, operation_id> last;
  for (const operation_id id : part_.operations)
    before_in_stream_.push_back(std::exchange(last[recording_.operation_at(id).stream], id));
  infer();
  find_roots();
}

void reasons::find_roots() {
  for (const operation_id id : part_.operations) {
    const std::optional<reason> why = reason_of(id);
    const bool is_along_its_way = why && (why->constraint.kind == constraint_kind::stream_order ||
                                          why->constraint.kind == constraint_kind::graph_edge);
    const bool goes_on = is_along_its_way && part_.operations.front() <= why->constraint.operation &&
                         why->constraint.operation < id;
    roots_.push_back(goes_on ? roots_[why->constraint.operation - part_.operations.front()] : id);
  }
}

bool reasons::is_in_part(operation_id id) const {
  return !part_.operations.empty() && part_.operations.front() <= id && id <= part_.operations.back();
}

/// Reasons of the operations whose constraints were not recorded.
void reasons::infer() {
  std::map<trace::stream_id, latest> in_stream;
  std::map<std::uint32_t, latest> in_legacy, in_blocking;  // by device
  std::map<engine_of_device, std::vector<operation_id>> on_engine;
  for (const operation_id id : by_end_) {
    const trace::operation& operation = recording_.operation_at(id);
    if (const std::optional<engine> where = engine_of(recording_, operation))
      on_engine[{operation.device, *where}].push_back(id);
  }
  for (const operation_id id : part_.operations) {
    const trace::operation& operation = recording_.operation_at(id);
    const trace::stream& stream = recording_.stream_at(operation.stream);
    const bool is_legacy = stream.kind == trace::stream_kind::legacy_default;
    const bool is_blocking = stream.blocking == trace::stream_blocking::blocking;
    if (!operation.waited_for) {
      std::vector<constraint> candidates;
      const auto add = [&](constraint_kind kind, const latest& before) {
        if (before.operation != 0) candidates.push_back({kind, before.operation, 0, before.end});
      };
      const nanoseconds issued = operation.issued.count() != 0 || operation.issued_by == 0
                                     ? operation.issued
                                     : recording_.call_at(operation.issued_by).start;
      candidates.push_back({constraint_kind::host_issue, 0, operation.issued_by, issued});
      add(constraint_kind::stream_order, in_stream[operation.stream]);
      if (operation.captured != 0 && is_in_part(operation.captured))
        add(constraint_kind::event, {operation.captured, recording_.operation_at(operation.captured).end});
      if (is_legacy) add(constraint_kind::legacy_default, in_blocking[operation.device]);
      if (is_blocking && !is_legacy) add(constraint_kind::legacy_default, in_legacy[operation.device]);
      const std::optional<engine> where = engine_of(recording_, operation);
      if (where == engine::copies_to_device || where == engine::copies_to_host) {
        const std::vector<operation_id>& ends = on_engine[{operation.device, *where}];
        const auto after = std::upper_bound(
            ends.begin(), ends.end(), operation.start,
            [&](nanoseconds time, operation_id id) { return time < recording_.operation_at(id).end; });
        if (after != ends.begin() && *std::prev(after) != id)
          add(constraint_kind::engine_busy,
              {*std::prev(after), recording_.operation_at(*std::prev(after)).end});
      }
      std::erase_if(candidates,
                    [&](const constraint& constraint) { return constraint.until > operation.start; });
      std::stable_sort(candidates.begin(), candidates.end(),
                       [](const constraint& one, const constraint& two) { return one.until > two.until; });
      if (!candidates.empty()) {
        const nanoseconds next = candidates.size() > 1 ? candidates[1].until : part_.begin;
        inferred_[id] = {candidates.front(), candidates.front().until - next, true};
      }
    }
    in_stream[operation.stream].take(operation);
    if (is_legacy) {
      in_legacy[operation.device].take(operation);
    } else if (is_blocking) {
      in_blocking[operation.device].take(operation);
    }
  }
}

/// When the work before it in its stream had ended, of that in the part.
nanoseconds reasons::end_before(operation_id id) const {
  const operation_id before = before_in_stream_[id - part_.operations.front()];
  return before == 0 ? part_.begin : recording_.operation_at(before).end;
}

std::optional<reason> reasons::reason_of(operation_id id) const {
  const trace::operation& operation = recording_.operation_at(id);
  if (!operation.waited_for) {
    const auto found = inferred_.find(id);
    return found == inferred_.end() ? std::nullopt : std::optional(found->second);
  }
  if (operation.waited_for->empty()) return std::nullopt;
  const std::vector<constraint>& all = *operation.waited_for;
  // An operation starts when its engine takes it, which is later than the release of the queue's head.
  nanoseconds next = all.size() > 1 ? all[1].until : part_.begin;
  if (all.front().kind == constraint_kind::host_issue) next = std::max(next, end_before(id));
  return reason{all.front(), all.front().until - std::max(next, part_.begin), false};
}

link reasons::link_of(operation_id id) const {
  link result{id, reason_of(id), 0};
  if (result.why && result.why->constraint.kind == constraint_kind::host_issue) {
    const trace::operation& late = recording_.operation_at(id);
    result.host_was_in = host_was_in(late, result.why->constraint.until - result.why->cost);
  }
  return result;
}

link reasons::root_of(operation_id id) const {
  const link link = link_of(roots_.at(id - part_.operations.front()));
  const bool leads_nowhere =
      !link.why || link.why->constraint.kind == constraint_kind::stream_order ||
      link.why->constraint.kind == constraint_kind::graph_edge ||
      (link.why->constraint.kind == constraint_kind::host_issue && link.host_was_in == 0);
  return leads_nowhere ? link_of(id) : link;
}

/// The call that took longest of what the thread did after it had issued something else, in the time in which
/// the operation waited for nothing but the host; 0 before anything was issued.
trace::call_id reasons::host_was_in(const trace::operation& late, nanoseconds since) const {
  if (late.issued_by == 0) return 0;
  const trace::call_id first = recording_.operation_at(part_.operations.front()).issued_by;
  const trace::host_call& issuing = recording_.call_at(late.issued_by);
  const std::vector<trace::call_id>& calls = calls_of_.at(issuing.thread);
  trace::call_id longest = 0;
  nanoseconds longest_time{0};
  const trace::host_call* loop_end = nullptr;  // of a loop that asks
  nanoseconds loop_time{0};
  for (auto position = std::lower_bound(calls.begin(), calls.end(), issuing.id); position != calls.begin();) {
    --position;
    const trace::host_call& call = recording_.call_at(*position);
    if (call.id < first || call.end <= since) break;
    const bool only_issues =
        call.operation != 0 && call.allocation == 0 && !trace::host_waits_in(recording_, call);
    // What is queued behind work, such as the record of its event, is no sign that the host had gone on to something else.
    const bool is_of_event =
        call.operation != 0 &&
        (recording_.operation_at(call.operation).kind == trace::operation_kind::event_record ||
         recording_.operation_at(call.operation).kind == trace::operation_kind::event_wait);
    if (is_of_event) continue;
    if (only_issues) break;
    const bool is_of_loop = loop_end != nullptr && trace::effect_of(call) == trace::call_effect::queries &&
                            call.function == loop_end->function && call.where.is_same_line(loop_end->where);
    if (!is_of_loop) {
      loop_end = &call;
      loop_time = nanoseconds(0);
    }
    loop_time += call.end - std::max(call.start, since);
    if (loop_time > longest_time) {
      longest_time = loop_time;
      longest = loop_end->id;
    }
  }
  return longest;
}

/// Of an operation that the host issued late: names the call that took longest from that time on.
void reasons::look_from(nanoseconds time, link& late) const {
  if (!late.why || late.why->constraint.kind != constraint_kind::host_issue) return;
  const nanoseconds since = std::max(late.why->constraint.until - late.why->cost, time);
  const trace::call_id longest = host_was_in(recording_.operation_at(late.operation), since);
  if (longest != 0) late.host_was_in = longest;
}

/// The operation whose end let the call return; 0: it returned for another reason.
operation_id reasons::waited_for_in(const trace::host_call& call) const {
  const trace::call_promise kind = trace::promise_of(recording_, call);
  if (kind == trace::call_promise::event) return is_in_part(call.captured) ? call.captured : 0;
  const bool is_for_its_copy = kind == trace::call_promise::own_operation ||
                               kind == trace::call_promise::source_staged || call.staging.count() > 0;
  if (is_for_its_copy) return is_in_part(call.operation) ? call.operation : 0;
  const bool is_one_stream = kind == trace::call_promise::stream && call.stream != 0 &&
                             recording_.stream_at(call.stream).kind != trace::stream_kind::legacy_default;
  auto position = std::upper_bound(
      by_end_.begin(), by_end_.end(), call.end,
      [&](nanoseconds time, operation_id id) { return time < recording_.operation_at(id).end; });
  while (position != by_end_.begin()) {
    --position;
    const trace::operation& ended = recording_.operation_at(*position);
    if (ended.end < call.start) return 0;
    if (ended.issued_by > call.id ||
        (ended.issued_by == call.id && kind == trace::call_promise::nothing && !ended.waited_for))
      continue;
    if (!is_one_stream || ended.stream == call.stream) return *position;
  }
  return 0;
}

operation_id reasons::waited_for_before(const trace::operation& issued) const {
  if (issued.issued_by == 0) return 0;
  const trace::call_id first = recording_.operation_at(part_.operations.front()).issued_by;
  const std::vector<trace::call_id>& calls = calls_of_.at(recording_.call_at(issued.issued_by).thread);
  for (auto position = std::lower_bound(calls.begin(), calls.end(), issued.issued_by);
       position != calls.begin();) {
    const trace::host_call& call = recording_.call_at(*--position);
    if (call.id < first) return 0;
    if (!trace::host_waits_in(recording_, call)) continue;
    if (const operation_id found = waited_for_in(call); found != 0) return found;
  }
  return 0;
}

std::vector<link> reasons::critical_path() const {
  std::vector<link> path;
  if (by_end_.empty()) return path;
  operation_id id = by_end_.back();
  while (id != 0) {
    path.push_back(link_of(id));
    const link& now = path.back();
    if (!now.why) break;
    operation_id next = now.why->constraint.operation;
    if (now.why->constraint.kind == constraint_kind::host_issue) {
      next = now.host_was_in == 0 ? 0 : waited_for_in(recording_.call_at(now.host_was_in));
      if (next == 0) next = waited_for_before(recording_.operation_at(id));
    }
    // What is waited for ended no later than the wait did, so the way ends; equal times could still turn it
    // round.
    const bool goes_back =
        next != 0 && is_in_part(next) && next != id &&
        recording_.operation_at(next).start <= recording_.operation_at(id).start &&
        (recording_.operation_at(next).start < recording_.operation_at(id).start || next < id);
    if (goes_back) look_from(recording_.operation_at(next).end, path.back());
    id = goes_back ? next : 0;
  }
  return path;
}

std::vector<idle_gap> reasons::idle_gaps() const {
  std::vector<idle_gap> gaps;
  std::map<engine_of_device, std::vector<operation_id>> order;
  for (const operation_id id : part_.operations) {
    const trace::operation& operation = recording_.operation_at(id);
    if (const std::optional<engine> where = engine_of(recording_, operation))
      order[{operation.device, *where}].push_back(id);
  }
  for (auto& [where, here] : order) {
    std::stable_sort(here.begin(), here.end(), [&](operation_id one, operation_id two) {
      return recording_.operation_at(one).start < recording_.operation_at(two).start;
    });
    nanoseconds busy_until{0};
    for (const operation_id id : here) {
      const trace::operation& operation = recording_.operation_at(id);
      if (id != here.front() && operation.start > busy_until)
        gaps.push_back({where.second, busy_until, operation.start, id, {}});
      busy_until = std::max(busy_until, operation.end);
    }
  }
  std::stable_sort(gaps.begin(), gaps.end(), [](const idle_gap& one, const idle_gap& two) {
    return one.end - one.begin > two.end - two.begin;
  });
  for (idle_gap& gap : gaps) {
    gap.root = root_of(gap.ended_by);
    look_from(gap.begin, gap.root);
  }
  return gaps;
}

}  // namespace analysis

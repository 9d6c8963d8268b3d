#include "explain/detail/cases.h"

#include <algorithm>
#include <utility>

#include "analysis/places.h"
#include "trace/call_promise.h"

namespace explain {

using trace::constraint_kind;
using trace::nanoseconds;
using trace::operation_id;
using trace::operation_kind;

cases::cases(const analysis::part& part, const std::vector<operation_id>& operations,
             const analysis::dependencies& needed, const analysis::reasons& reasons,
             const device::profile* gpu, const examined_part* examined)
    : part_(part),
      recording_(*part.recording),
      operations_(operations),
      needed_(needed),
      reasons_(reasons),
      gpu_(gpu),
      examined_(examined) {
  find();
}

/// The operations before which nothing ran that the device was given: they end a pause.
void cases::find_ends_of_pauses() {
  std::vector<operation_id> works;
  for (const operation_id id : part_.operations) {
    if (analysis::is_device_work(recording_.operation_at(id).kind)) works.push_back(id);
  }
  std::sort(works.begin(), works.end(), [&](operation_id one, operation_id other) {
    return recording_.operation_at(one).start < recording_.operation_at(other).start;
  });
  nanoseconds busy_until{-1};
  for (const operation_id id : works) {
    const trace::operation& work = recording_.operation_at(id);
    if (busy_until < work.start) ends_of_pauses_.insert(id);
    busy_until = std::max(busy_until, work.end);
  }
}

void cases::find() {
  find_ends_of_pauses();
  for (const operation_id id : operations_) {
    analysis::link link = reasons_.link_of(id);
    if (!link.why) continue;
    if (const operation_id work = work_behind_markers(link); work != 0) link.why->constraint.operation = work;
    are_inferred_ |= link.why->is_inferred;
    const std::optional<cause> why = cause_of(link);
    if (!why || is_external(link)) continue;
    example& known = examples_[*why];
    known.held_up += std::max(link.why->cost, nanoseconds(0));
    ++known.times;
    const int clarity = clarity_of(link);
    if (std::pair(clarity, link.why->cost) > std::pair(known.clarity, known.longest)) {
      known = {known.held_up,    clarity,    link.why->cost, id, link.why->constraint.operation,
               link.host_was_in, known.times};
    }
  }
}

/// Events take no time: of work behind them, the work before them in its stream, where only that held them up. 0: none.
operation_id cases::work_behind_markers(const analysis::link& link) const {
  const auto is_marker = [&](operation_id id) {
    return id != 0 && analysis::is_marker(recording_.operation_at(id).kind);
  };
  if (link.why->constraint.kind != constraint_kind::stream_order || is_marker(link.operation)) return 0;
  operation_id earlier = link.why->constraint.operation;
  while (is_marker(earlier) && earlier >= part_.operations.front()) {
    const std::optional<analysis::reason> why = reasons_.reason_of(earlier);
    if (!why || why->constraint.kind != constraint_kind::stream_order) return 0;
    earlier = why->constraint.operation;
  }
  return is_marker(earlier) ? 0 : earlier;
}

/// How well an example shows the cause: best when the user's code issued the late operation, then, where the host issued it late, when
/// the device had nothing to do until then, then when the two could have overlapped.
int cases::clarity_of(const analysis::link& link) const {
  const operation_id other = link.why->constraint.operation;
  const std::optional<analysis::engine> where =
      analysis::engine_of(recording_, recording_.operation_at(link.operation));
  const bool could_overlap = other == 0 || where == analysis::engine::kernels ||
                             where != analysis::engine_of(recording_, recording_.operation_at(other));
  const bool costs_time =
      link.why->constraint.kind != constraint_kind::host_issue || ends_of_pauses_.contains(link.operation);
  return (is_issued_by_given_code(link.operation) ? 0 : 4) + (costs_time ? 2 : 0) + (could_overlap ? 1 : 0);
}

bool cases::is_issued_by_given_code(operation_id id) const {
  return recording_.is_external(analysis::place_of_operation(recording_, id));
}

/// True when only code of others could issue the operations differently.
bool cases::is_external(const analysis::link& link) const {
  const operation_id other = link.why->constraint.operation;
  return is_issued_by_given_code(link.operation) && (other == 0 || is_issued_by_given_code(other));
}

/// The cause of one wait; nothing when the bytes need it.
std::optional<cause> cases::cause_of(const analysis::link& link) const {
  const trace::operation& late = recording_.operation_at(link.operation);
  const trace::constraint& constraint = link.why->constraint;
  switch (constraint.kind) {
    case constraint_kind::host_issue:
      return link.host_was_in == 0 ? std::nullopt : cause_of_call(recording_.call_at(link.host_was_in));
    case constraint_kind::stream_order:
      if (constraint.operation == 0) return std::nullopt;
      if (is_needed(link.operation, constraint.operation))
        return overwrites(link.operation, constraint.operation) ? std::optional(cause::shared_buffer)
                                                                : std::nullopt;
      if (is_needed(link.operation, work_before_release(constraint.operation))) return std::nullopt;
      if (recording_.operation_at(constraint.operation).kind == operation_kind::host_function)
        return cause::host_function;
      if (recording_.stream_at(late.stream).kind == trace::stream_kind::legacy_default)
        return cause::default_stream;
      return analysis::is_marker(late.kind) ||
                     analysis::is_marker(recording_.operation_at(constraint.operation).kind)
                 ? std::nullopt
                 : std::optional(cause::one_stream);
    case constraint_kind::legacy_default:
      return cause::default_stream;
    case constraint_kind::event: {
      const operation_id first = part_.operations.front();
      return examined_ == nullptr || late.id < first ? std::nullopt : examined_->wrong_wait[late.id - first];
    }
    case constraint_kind::engine_busy:
      if (constraint.operation != 0 &&
          recording_.operation_at(constraint.operation).kind == operation_kind::host_function)
        return cause::host_function;
      return is_kept_behind(late, constraint.operation) ? std::optional(cause::issue_order) : std::nullopt;
    case constraint_kind::work_queue:
      return gpu_ != nullptr && gpu_->work_queues > 1 ? cause::shared_queue : cause::issue_order;
    case constraint_kind::withheld_signal:
      return cause::issue_order;
    case constraint_kind::no_room:
      return cause::no_room;
    case constraint_kind::staging:
      return cause::pageable_memory;
    case constraint_kind::implicit_synchronization:
      return cause::memory_management;
    case constraint_kind::graph_edge: {
      const bool is_node = late.graph_launch != 0;
      return is_node && !is_needed(link.operation, constraint.operation) ? std::optional(cause::one_stream)
                                                                         : std::nullopt;
    }
    case constraint_kind::completion:  // of calls
      break;
  }
  return std::nullopt;
}

/// Whether all copies run in the order of their issue, and the earlier one still waited for other work when the late one was there.
bool cases::is_kept_behind(const trace::operation& late, operation_id other) const {
  if (gpu_ == nullptr || gpu_->copy_queues != 1 || other == 0 || other > late.id) return false;
  const std::optional<analysis::reason> why = reasons_.reason_of(other);
  return why && why->constraint.kind == constraint_kind::stream_order &&
         recording_.operation_at(other).start > late.issued;
}

std::optional<cause> cases::cause_of_call(const trace::host_call& call) const {
  if (const std::optional<cause> why = waits_because_of(recording_, call)) return why;
  if (call.allocation != 0) return cause::memory_management;
  const bool is_work_of_the_host = call.operation == 0 && !explain::is_external(recording_, call);
  return is_work_of_the_host ? std::optional(cause::host_busy) : std::nullopt;
}

/// Where the touched bytes are not known: data go from copies to the device through kernels to copies to the host, so
/// an earlier step reads nothing of a later one. Host functions are not on that way.
bool cases::is_hardly_needed(operation_id later, operation_id earlier) const {
  if (recording_.operation_at(earlier).kind == operation_kind::host_function) return true;
  const std::optional<analysis::engine> now = analysis::engine_of(recording_, recording_.operation_at(later)),
                                        before =
                                            analysis::engine_of(recording_, recording_.operation_at(earlier));
  const auto step = [](analysis::engine engine) {
    return engine == analysis::engine::copies_to_device ? 0
           : engine == analysis::engine::copies_to_host ? 2
                                                        : 1;
  };
  return now && before && step(*now) < step(*before);
}

bool cases::is_needed(operation_id later, operation_id earlier) const {
  if (!needed_.are_known) return !is_hardly_needed(later, earlier);
  const std::vector<analysis::dependency>& all = needed_.of_operation[later - part_.operations.front()];
  return std::any_of(all.begin(), all.end(),
                     [&](const analysis::dependency& dependency) { return dependency.earlier == earlier; });
}

/// A release in stream order takes no time: what was waited for is the operation before it in its stream.
operation_id cases::work_before_release(operation_id release) const {
  const trace::stream_id stream = recording_.operation_at(release).stream;
  operation_id earlier = release;
  for (operation_id id = release; id >= part_.operations.front(); --id) {
    const trace::operation& operation = recording_.operation_at(id);
    if (operation.stream != stream) continue;
    earlier = id;
    if (operation.kind != operation_kind::release) break;
  }
  return earlier;
}

/// True when it needs the earlier one only because it overwrites what that uses.
bool cases::overwrites(operation_id later, operation_id earlier) const {
  if (!needed_.are_known) return false;
  const std::vector<analysis::dependency>& all = needed_.of_operation[later - part_.operations.front()];
  return std::any_of(all.begin(), all.end(), [&](const analysis::dependency& dependency) {
    return dependency.earlier == earlier && !dependency.is_flow;
  });
}

std::vector<cause_cost> cases::by_time_held_up() const {
  std::vector<cause_cost> result;
  for (const auto& [cause, example] : examples_) {
    if (example.held_up.count() == 0) continue;
    cause_cost& added = result.emplace_back();
    added.cause = cause;
    added.cost = example.held_up;
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const cause_cost& one, const cause_cost& two) { return one.cost > two.cost; });
  return result;
}

bool cases::has(cause cause) const {
  const auto found = examples_.find(cause);
  return found != examples_.end() && found->second.held_up.count() > 0;
}

void cases::describe(cause_cost& cost) const {
  cost.is_needless = needed_.are_known;
  if (const auto found = examples_.find(cost.cause); found != examples_.end()) {
    cost.late = found->second.late;
    cost.behind = found->second.behind;
    cost.call = found->second.call;
    cost.times = found->second.times;
  }
  if (cost.cause == cause::shared_buffer) {
    find_overwriting(cost);
  } else if (cost.late == 0) {
    find_member(cost);
  }
  // A busy host may be in code that the user did not write; the late operation is the user's.
  const bool is_shown_by_call = cost.call != 0 && (cost.cause != cause::host_busy || cost.late == 0);
  if (is_shown_by_call) {
    cost.where = own_place_at(recording_.call_at(cost.call));
  } else if (cost.late != 0) {
    cost.where = analysis::place_of_operation(recording_, own_of(place_of(cost), cost));
  }
  if (recording_.is_external(cost.where)) cost.where = {};
  find_later_need(cost);
}

/// Where the host needs what it waited for too early, in the call named or else in another one of its line, and what it may need
/// without that anybody can see it.
void cases::find_later_need(cause_cost& cost) const {
  const bool is_of_waits = cost.cause == cause::synchronization || cost.cause == cause::synchronous_copy;
  if (examined_ == nullptr || !is_of_waits) return;
  for (std::uint32_t step = 0; step < examined_->recorded.steps.size(); ++step) {
    const trace::host_call& call = recording_.call_at(examined_->recorded.steps[step].call);
    const std::vector<later_wait>& later = examined_->is_needed_later[step];
    const bool is_it = call.id == cost.call;
    if (is_it && needed_.are_known) cost.unread = unread_copy_of(examined_->recorded.steps[step]);
    const bool is_of_line = cost.where.is_known() && call.where.is_same_line(cost.where);
    if (later.empty() || examined_->is_needed[step] || !(is_it || is_of_line)) continue;
    if (!is_it && (cost.needed_at.is_known() || cost.needed_only != 0)) continue;
    const bool is_at_once = later.front().step == step;
    cost.needed_at = is_at_once ? trace::location{} : later.front().where;
    cost.needed_only = is_at_once ? examined_->recorded.operations[later.front().operation].recorded : 0;
    if (is_it) return;
  }
}

/// Of what comes last in the streams waited for. 0: none.
operation_id cases::unread_copy_of(const program_step& wait) const {
  const operation_id first = part_.operations.front();
  for (const operation_number tail : wait.waits) {
    operation_id last = examined_->recorded.operations[tail].recorded;
    const trace::stream_id stream = recording_.operation_at(last).stream;
    while (last > first && (recording_.operation_at(last).stream != stream ||
                            analysis::is_marker(recording_.operation_at(last).kind)))
      --last;
    const trace::operation& work = recording_.operation_at(last);
    const bool is_result =
        work.stream == stream && analysis::engine_of(recording_, work) == analysis::engine::copies_to_host;
    if (is_result && !needed_.is_read[last - first]) return last;
  }
  return 0;
}

/// The line of the call, or of the user's call before it when the user did not write the code.
trace::location cases::own_place_at(const trace::host_call& call) const {
  const auto is_own = [&](const trace::host_call& earlier) {
    return earlier.thread == call.thread && recording_.is_own(earlier.where);
  };
  const auto before = std::find_if(recording_.calls.rend() - call.id,
                                   recording_.calls.rend() - (part_.calls.front() - 1), is_own);
  return before == recording_.calls.rend() - (part_.calls.front() - 1) ? trace::location{} : before->where;
}

/// Of the clearest operation and the two that a cause names, the first that the user's code issued, else the clearest.
operation_id cases::own_of(operation_id clearest, const cause_cost& cost) const {
  for (const operation_id id : {clearest, cost.late, cost.behind}) {
    if (id != 0 && !is_issued_by_given_code(id)) return id;
  }
  return clearest;
}

/// The operation whose line the user has to change.
operation_id cases::place_of(const cause_cost& cost) const {
  if (cost.behind == 0) return cost.late;
  switch (cost.cause) {
    case explain::cause::default_stream: {
      const trace::stream& of_late = recording_.stream_at(recording_.operation_at(cost.late).stream);
      return of_late.kind == trace::stream_kind::legacy_default ? cost.late : cost.behind;
    }
    case explain::cause::host_function:
    case explain::cause::event_recorded_again:
    case explain::cause::event_recorded_late:
    case explain::cause::no_room:
      return cost.behind;
    default:
      return cost.late;
  }
}

/// The first operation that overwrites what another uses: its wait may be an event or the host.
void cases::find_overwriting(cause_cost& cost) const {
  cost.late = cost.behind = 0;
  cost.call = 0;
  cost.times = 0;
  for (const operation_id id : operations_) {
    const std::vector<analysis::dependency>& needs = needed_.of_operation[id - part_.operations.front()];
    const auto found =
        std::find_if(needs.rbegin(), needs.rend(), [&](const analysis::dependency& dependency) {
          return !dependency.is_flow &&
                 analysis::is_device_work(recording_.operation_at(dependency.earlier).kind);
        });
    if (found == needs.rend()) continue;
    ++cost.times;
    if (cost.late != 0) continue;
    cost.late = id;
    cost.behind = found->earlier;
  }
}

/// For a cause without a wait of its own: the longest call of the line whose calls took longest in all, with the first work that its
/// thread issued after it; or one of its operations.
void cases::find_member(cause_cost& cost) const {
  const nanoseconds begin = analysis::begin_of_work(part_);
  nanoseconds last_issue{0};  // what the host does later holds nothing up
  for (const operation_id id : part_.operations)
    last_issue = std::max(last_issue, recording_.operation_at(id).issued);
  struct calls_of_line {
    nanoseconds in_all{0};
    trace::call_id longest = 0;
  };
  std::map<std::pair<std::uint32_t, std::uint32_t>, calls_of_line> lines;
  nanoseconds longest{0};
  for (const trace::call_id id : part_.calls) {
    const trace::host_call& call = recording_.call_at(id);
    if (call.end <= begin || call.start >= last_issue || cause_of_call(call) != cost.cause) continue;
    calls_of_line& line = lines[{call.where.file, call.where.line}];
    line.in_all += length(call);
    if (line.longest == 0 || length(call) > length(recording_.call_at(line.longest))) line.longest = id;
    if (line.in_all <= longest) continue;
    longest = line.in_all;
    cost.call = line.longest;
  }
  const auto is_issued_later = [&](const trace::operation& operation) {
    return operation.issued_by > cost.call &&
           recording_.call_at(operation.issued_by).thread == recording_.call_at(cost.call).thread;
  };
  for (const operation_id id : part_.operations) {
    const trace::operation& operation = recording_.operation_at(id);
    const bool is_member = belongs_to(operation, cost.cause);
    if (is_member) ++cost.times;
    if (cost.call != 0 ? !analysis::is_device_work(operation.kind) || !is_issued_later(operation)
                       : !is_member)
      continue;
    const bool is_longer = cost.cause == cause::one_piece && cost.late != 0 &&
                           length(operation) > length(recording_.operation_at(cost.late));
    if (cost.late == 0 || is_longer) cost.late = id;
  }
}

bool cases::belongs_to(const trace::operation& operation, explain::cause cause) const {
  switch (cause) {
    case explain::cause::pageable_memory:
      return trace::copies_pageable_memory(operation);
    case explain::cause::small_chunks:
    case explain::cause::one_piece:
      return analysis::engine_of(recording_, operation).has_value();
    case explain::cause::default_stream:
      return recording_.stream_at(operation.stream).kind == trace::stream_kind::legacy_default;
    case explain::cause::host_function:
      return operation.kind == operation_kind::host_function;
    case explain::cause::synchronous_copy:
      return operation.issued_by != 0 &&
             waits_because_of(recording_, recording_.call_at(operation.issued_by)) == cause;
    default:
      return false;
  }
}

}  // namespace explain

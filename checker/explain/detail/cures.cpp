#include "explain/detail/cures.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "device/graph_branches.h"
#include "explain/detail/redivision.h"
#include "trace/call_promise.h"

namespace explain {
namespace {

using trace::nanoseconds;
using trace::operation_kind;
using trace::stream_id;

/// A cure may add so many streams, or as many as the program has: the work queues of current GPUs serve them without
/// sharing.
constexpr std::size_t min_pool_size = 8;

/// Takes causes out of a program.
class transformation {
 public:
  transformation(const examined_part& examined, causes cured);

  /// The program without those causes, in each way in which they can be taken out; never empty.
  std::vector<variant> variants() {
    if (!cured_.empty()) {
      cure_host();
      move_to_other_streams();
      if (has(cause::one_stream)) loosen_graphs();
      drop_markers();
      if (takes_order_away()) wait_for_what_is_needed();
      for (program_step& step : changed_.steps) {
        replace_moved(step.waits);
        replace_moved(step.needs);
      }
      if (has(cause::shared_queue))
        changed_.connections = static_cast<std::uint32_t>(examined_.gpu.max_work_queues);
    }
    std::vector<variant> result;
    for (redivided_program& way :
         redivide(changed_, examined_.recording, examined_.chunks, examined_.inputs, cured_))
      result.push_back(
          {std::move(way.program), has(cause::no_room) ? &examined_.roomy_gpu : &examined_.gpu, way.how});
    return result;
  }
  variant without_waits_at(const trace::host_call& line) {
    for (std::uint32_t number = 0; number < changed_.steps.size(); ++number) {
      const trace::host_call& call = examined_.recording.call_at(changed_.steps[number].call);
      if (call.where.is_same_line(line.where) && name_of(call) == name_of(line) &&
          !examined_.is_needed[number])
        wait_later(number);
    }
    wait_for_what_the_host_needs();
    wait_for_what_is_needed();
    return {std::move(changed_), &examined_.gpu, {}};
  }

 private:
  bool has(cause cause) const { return cured_.count(cause) != 0; }
  bool takes_order_away() const {
    return std::any_of(cured_.begin(), cured_.end(), [](cause cause) {
      return cause != cause::no_room && cause != cause::shared_queue && cause != cause::host_busy;
    });
  }

  // The host.
  void cure_host() {
    for (std::uint32_t number = 0; number < changed_.steps.size(); ++number) {
      program_step& step = changed_.steps[number];
      const trace::host_call& call = examined_.recording.call_at(step.call);
      const std::optional<cause> why = waits_because_of(examined_.recording, call);
      if (has(cause::pageable_memory)) pin(step);
      const bool manages_memory = why == cause::memory_management || (!why && call.allocation != 0);
      if (manages_memory && has(cause::memory_management)) {
        stop_waiting(step);
        step.cost = step.return_at_once = nanoseconds(0);
        step.holds_back_old_gpus = false;
      } else if (why && *why != cause::pageable_memory && has(*why) && !examined_.is_needed[number] &&
                 examined_.needed.are_known) {
        wait_later(number);
      } else if (!why && step.issues.empty() && !manages_memory && has(cause::host_busy) &&
                 !is_external(examined_.recording, call)) {
        step.cost = step.return_at_once = nanoseconds(0);
      }
      const bool can_come_at_once = step.hand_overs.empty() && !examined_.recording.is_external(call.where);
      if (has(cause::host_busy) && can_come_at_once) step.pause = nanoseconds(0);
    }
    wait_for_what_the_host_needs();
  }
  /// That call does not wait; what host statements need of it is waited for where they need it.
  void wait_later(std::uint32_t number) {
    stop_waiting(changed_.steps[number]);
    const std::vector<later_wait>& later = examined_.is_needed_later[number];
    later_waits_.insert(later_waits_.end(), later.begin(), later.end());
  }
  void wait_for_what_the_host_needs() {
    for (const later_wait& wait : later_waits_) changed_.steps[wait.step].waits.push_back(wait.operation);
  }
  void stop_waiting(program_step& step) {
    step.waits.clear();
    step.needs.clear();
  }
  /// As if the memory of the copies were pinned: nothing is staged, and asynchronous copies return at once.
  void pin(program_step& step) {
    for (const operation_number number : step.issues) {
      program_operation& operation = changed_.operations[number];
      if (operation.request.kind != operation_kind::copy ||
          operation.request.route == device::copy_route::host_to_host) {
        continue;
      }
      const trace::operation& original = examined_.recording.operation_at(operation.recorded);
      if (!trace::copies_pageable_memory(original)) continue;
      operation.request.host_bandwidth = 0;
      operation.request.staged_bytes = 0;
      const trace::host_call& call = examined_.recording.call_at(step.call);
      const bool is_synchronous = waits_because_of(examined_.recording, call) == cause::synchronous_copy;
      stop_waiting(step);
      if (is_synchronous) step.waits = {number};
      step.staging = nanoseconds(0);
      step.waits_until_staged = false;
    }
  }

  // Streams and events.
  /// Each operation that moves goes behind the one whose result it reads, when that is the last of its stream;
  /// else into a stream of its own. The events and host functions before it in its stream still hold it up:
  /// they are causes of their own.
  void move_to_other_streams() {
    if (!has(cause::default_stream) && !has(cause::one_stream) && !has(cause::host_function)) return;
    std::unordered_map<stream_id, operation_number> last_in;
    for (operation_number number = 0; number < changed_.operations.size(); ++number) {
      program_operation& operation = changed_.operations[number];
      if (operation.launch != no_operation) {
        operation.request.stream = changed_.operations[operation.launch].request.stream;
        continue;
      }
      kept_order& kept = kept_order_[operation.request.stream];
      if (!moves(operation)) {
        if (!analysis::is_marker(operation.request.kind)) last_in[operation.request.stream] = number;
        continue;
      }
      streams_before_[stream_before_[number]].has_moved = true;
      if (analysis::is_marker(operation.request.kind)) {
        operation.is_dropped = true;
        const std::optional<cause> wrong = examined_.wrong_wait[number];
        if (operation.captured != no_operation && !(wrong && has(*wrong)))
          kept.events[stream_before_[operation.captured]] = operation.captured;
        continue;
      }
      if (operation.request.kind == operation_kind::host_function) {
        if (has(cause::host_function)) {
          operation.request.holds_kernels = false;
        } else {  // it stays, and holds up what is behind it as before
          if (kept.last != no_operation) operation.after.push_back(kept.last);
          kept.function = number;
          continue;
        }
      }
      for (const auto& [recorder, captured] : kept.events) {
        const std::vector<operation_number> all = all_before(captured);
        operation.after.insert(operation.after.end(), all.begin(), all.end());
      }
      if (kept.function != no_operation) operation.after.push_back(kept.function);
      kept.last = number;
      const std::optional<stream_id> behind = stream_behind_input(number, last_in);
      operation.request.stream =
          behind ? *behind : stream_from_pool(examined_.recording.stream_at(operation.request.stream));
      if (operation.request.kind != operation_kind::release) last_in[operation.request.stream] = number;
    }
  }
  bool moves(const program_operation& operation) const {
    const bool is_legacy =
        examined_.recording.stream_at(operation.request.stream).kind == trace::stream_kind::legacy_default;
    if (operation.request.kind == operation_kind::host_function && has(cause::host_function)) return true;
    return has(is_legacy ? cause::default_stream : cause::one_stream);
  }
  /// The stream in which one whose result the operation reads is the last, on the same device.
  std::optional<stream_id> stream_behind_input(
      operation_number number, const std::unordered_map<stream_id, operation_number>& last_in) const {
    const program_operation& operation = changed_.operations[number];
    if (operation.request.kind == operation_kind::host_function) return std::nullopt;
    const std::uint32_t device = changed_.streams[operation.request.stream - 1].device;
    std::optional<stream_id> chosen;
    for (const analysis::dependency& dependency : examined_.inputs[number]) {
      const trace::stream& stream =
          changed_.streams[changed_.operations[dependency.earlier].request.stream - 1];
      const auto last = last_in.find(stream.id);
      const bool is_last = last != last_in.end() && last->second == dependency.earlier;
      const bool is_legacy = stream.kind == trace::stream_kind::legacy_default;
      if (dependency.is_flow && is_last && !is_legacy && stream.device == device) chosen = stream.id;
    }
    return chosen;
  }
  /// As if what one stream captured had been captured from several: nodes follow only those whose bytes they need.
  void loosen_graphs() {
    device::graph_branches branches;
    for (operation_number number = 0; number < changed_.operations.size(); ++number) {
      program_operation& node = changed_.operations[number];
      if (node.launch == no_operation || !examined_.is_plain_graph[node.launch]) continue;
      if (number == node.launch + 1) branches = {};
      node.edges.clear();
      std::vector<std::size_t> nodes_before;
      for (const analysis::dependency& dependency : examined_.needed.of_operation[number]) {
        const auto needed =
            static_cast<operation_number>(dependency.earlier - examined_.part.operations.front());
        if (changed_.operations[needed].launch != node.launch) continue;
        node.edges.push_back(needed);
        nodes_before.push_back(needed - node.launch - 1);
      }
      node.request.branch = branches.add(nodes_before);
    }
  }
  stream_id stream_from_pool(const trace::stream& like) {
    const pool_key key(like.device, static_cast<int>(like.blocking), like.priority);
    std::vector<stream_id>& pool = pools_[key];
    std::size_t& next = next_in_pool_[key];
    if (next == pool_size_) next = 0;
    if (next == pool.size()) {
      trace::stream added = like;
      added.id = static_cast<stream_id>(changed_.streams.size() + 1);
      added.kind = trace::stream_kind::created;
      if (like.kind == trace::stream_kind::legacy_default)
        added.blocking = trace::stream_blocking::non_blocking;
      changed_.streams.push_back(added);
      pool.push_back(added.id);
    }
    return pool[next++];
  }
  /// Waits for events that moved away, and waits that take too much, are replaced by what is needed.
  void drop_markers() {
    for (operation_number number = 0; number < changed_.operations.size(); ++number) {
      program_operation& operation = changed_.operations[number];
      if (operation.captured == no_operation) continue;
      const std::optional<cause> wrong = examined_.wrong_wait[number];
      if (wrong && has(*wrong)) operation.is_dropped = true;
      if (operation.is_dropped || !changed_.operations[operation.captured].is_dropped) continue;
      operation.after = all_before(operation.captured);
      operation.captured = no_operation;
    }
  }
  /// Of what was issued into the stream of `tail` up to it: the last in each stream where that is now.
  std::vector<operation_number> all_before(operation_number tail) const {
    const stream_history& history = streams_before_.at(stream_before_[tail]);
    if (!history.has_moved) return {tail};
    std::unordered_set<stream_id> found;
    std::vector<operation_number> result;
    auto position = std::upper_bound(history.operations.begin(), history.operations.end(), tail);
    while (position != history.operations.begin() && found.size() <= pool_size_) {
      --position;
      const program_operation& operation = changed_.operations[*position];
      if (!operation.is_dropped && found.insert(operation.request.stream).second) result.push_back(*position);
    }
    std::sort(result.begin(), result.end());
    return result;
  }
  void replace_moved(std::vector<operation_number>& waited_for) const {
    if (waited_for.empty()) return;
    std::vector<operation_number> result;
    for (const operation_number number : waited_for) {
      const std::vector<operation_number> now = all_before(number);
      result.insert(result.end(), now.begin(), now.end());
    }
    std::sort(result.begin(), result.end());
    result.erase(std::unique(result.begin(), result.end()), result.end());
    waited_for = std::move(result);
  }
  /// Order that bytes need, and that the cures may have taken away, becomes a wait between streams.
  void wait_for_what_is_needed() {
    for (operation_number number = 0; number < changed_.operations.size(); ++number) {
      program_operation& operation = changed_.operations[number];
      std::map<stream_id, operation_number> last;
      for (const analysis::dependency& dependency : examined_.inputs[number]) {
        const stream_id stream = changed_.operations[dependency.earlier].request.stream;
        if (stream != operation.request.stream && needs_order(dependency, cured_))
          last[stream] = dependency.earlier;
      }
      for (const auto& [stream, number_of_last] : last) operation.after.push_back(number_of_last);
    }
  }

  const examined_part& examined_;
  const causes cured_;
  program changed_;
  std::vector<later_wait> later_waits_;
  std::vector<trace::stream_id> stream_before_;  // by number
  struct stream_history {
    std::vector<operation_number> operations;  // issued into it, as recorded
    bool has_moved = false;                    // some of them
  };
  std::unordered_map<trace::stream_id, stream_history> streams_before_;
  /// What still holds up operations that leave a stream.
  struct kept_order {
    std::map<trace::stream_id, operation_number> events;  // by recording stream: the last record waited for
    operation_number function = no_operation;             // the last host function
    operation_number last = no_operation;                 // the last operation that left
  };
  std::unordered_map<trace::stream_id, kept_order> kept_order_;
  using pool_key = std::tuple<std::uint32_t, int, int>;  // device, blocking and priority
  std::map<pool_key, std::vector<trace::stream_id>> pools_;
  std::size_t pool_size_ = 0;
  std::map<pool_key, std::size_t> next_in_pool_;
};

transformation::transformation(const examined_part& examined, causes cured)
    : examined_(examined), cured_(std::move(cured)), changed_(examined.recorded) {
  for (operation_number number = 0; number < changed_.operations.size(); ++number) {
    stream_before_.push_back(changed_.operations[number].request.stream);
    if (changed_.operations[number].launch == no_operation)
      streams_before_[stream_before_.back()].operations.push_back(number);
  }
  pool_size_ = std::max(min_pool_size, streams_before_.size());
}

// The host.

// Streams and events.

}  // namespace

std::vector<variant> without(const examined_part& examined, const causes& cured) {
  return transformation(examined, cured).variants();
}

variant without_waits_at(const examined_part& examined, const trace::host_call& line) {
  return transformation(examined, {}).without_waits_at(line);
}

}  // namespace explain

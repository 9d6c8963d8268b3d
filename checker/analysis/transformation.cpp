#include "analysis/transformation.h"

#include <algorithm>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "analysis/call_kind.h"
#include "device/graph_branches.h"

namespace analysis {
namespace {

using trace::nanoseconds;
using trace::operation_kind;
using trace::stream_id;

bool is_marker(const program_operation& operation) {
  return operation.what.kind == operation_kind::event_record ||
         operation.what.kind == operation_kind::event_wait;
}

/// Streams that a cure may add, or as many as the program has: the work queues of current GPUs serve so many
/// without sharing.
constexpr std::size_t least_pool = 8;
/// The largest number of pieces that a cure cuts work into, and of chunks that it joins.
constexpr std::uint32_t most_pieces = 16;
constexpr std::size_t most_joined = 1024;

void append(std::vector<trace::block_time>& to, const std::vector<trace::block_time>& more) {
  for (const trace::block_time& each : more) {
    if (!to.empty() && to.back().duration == each.duration) {
      to.back().blocks += each.blocks;
    } else {
      to.push_back(each);
    }
  }
}

/// The blocks [begin, end) of a kernel.
std::vector<trace::block_time> slice(const std::vector<trace::block_time>& of, std::uint64_t begin,
                                     std::uint64_t end) {
  std::vector<trace::block_time> result;
  std::uint64_t at = 0;
  for (const trace::block_time& each : of) {
    const std::uint64_t from = std::max(begin, at), to = std::min(end, at + each.blocks);
    if (from < to) result.push_back({to - from, each.duration});
    at += each.blocks;
  }
  return result;
}

}  // namespace

transformation::transformation(const cures& of, causes cured)
    : of_(of), cured_(std::move(cured)), changed_(of.recorded_) {
  for (operation_number number = 0; number < changed_.operations.size(); ++number) {
    stream_before_.push_back(changed_.operations[number].what.stream);
    if (changed_.operations[number].launch == no_operation)
      streams_before_[stream_before_.back()].operations.push_back(number);
  }
  pool_size_ = std::max(least_pool, streams_before_.size());
}

bool transformation::takes_order_away() const {
  return std::any_of(cured_.begin(), cured_.end(), [](cause each) {
    return each != cause::no_room && each != cause::shared_queue && each != cause::host_busy;
  });
}

std::vector<variant> transformation::variants() {
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
      changed_.connections = static_cast<std::uint32_t>(of_.gpu_.work_queues_most);
  }
  std::vector<cut_program> programs;
  programs.push_back({changed_, {}});
  if (has(cause::small_chunks)) {
    for (cut_program& each : merged()) programs.push_back(std::move(each));
  }
  if (has(cause::one_piece)) {
    for (cut_program& each : cut()) programs.push_back(std::move(each));
  }
  if (has(cause::issue_order)) {
    for (std::size_t i = 0, count = programs.size(); i < count; ++i) {
      for (cut_program& ordered : reordered(programs[i])) programs.push_back(std::move(ordered));
    }
  }
  std::vector<variant> result;
  for (cut_program& each : programs)
    result.push_back({std::move(each.what), has(cause::no_room) ? &of_.roomy_ : &of_.gpu_, each.how});
  return result;
}

variant transformation::without_waits_at(const trace::host_call& line) {
  for (std::uint32_t number = 0; number < changed_.steps.size(); ++number) {
    const trace::host_call& call = of_.seen_.call_at(changed_.steps[number].call);
    if (call.where == line.where && call.name == line.name && !of_.is_needed(number))
      stop_waiting(changed_.steps[number]);
  }
  wait_for_what_is_needed();
  return {std::move(changed_), &of_.gpu_, {}};
}

// The host.

void transformation::stop_waiting(program_step& step) {
  step.waits.clear();
  step.needs.clear();
}

/// As if the memory of the copies were pinned: nothing is staged, and asynchronous copies return at once.
void transformation::pin(program_step& step) {
  for (const operation_number each : step.issues) {
    program_operation& operation = changed_.operations[each];
    if (operation.what.kind != operation_kind::copy ||
        operation.what.route == device::copy_route::host_to_host) {
      continue;
    }
    const trace::operation& seen = of_.seen_.operation_at(operation.recorded);
    if (seen.source != trace::memory_kind::pageable && seen.destination != trace::memory_kind::pageable)
      continue;
    operation.what.host_bandwidth = 0;
    operation.what.staged_bytes = 0;
    const trace::host_call& call = of_.seen_.call_at(step.call);
    const bool is_synchronous = cures::waits_because_of(of_.seen_, call) == cause::synchronous_copy;
    stop_waiting(step);
    if (is_synchronous) step.waits = {each};
    step.staging = nanoseconds(0);
    step.waits_until_staged = false;
  }
}

void transformation::cure_host() {
  for (std::uint32_t number = 0; number < changed_.steps.size(); ++number) {
    program_step& step = changed_.steps[number];
    const trace::host_call& call = of_.seen_.call_at(step.call);
    const std::optional<cause> why = cures::waits_because_of(of_.seen_, call);
    if (has(cause::pageable_memory)) pin(step);
    const bool manages_memory = why == cause::memory_management || (!why && call.allocation != 0);
    if (manages_memory && has(cause::memory_management)) {
      stop_waiting(step);
      step.cost = step.return_at_once = nanoseconds(0);
      step.holds_back_old_gpus = false;
    } else if (why && *why != cause::pageable_memory && has(*why) && !of_.is_needed(number) &&
               of_.needed_.are_known) {
      stop_waiting(step);
    } else if (!why && step.issues.empty() && !manages_memory && has(cause::host_busy) &&
               !cures::is_given(of_.seen_, call)) {
      step.cost = step.return_at_once = nanoseconds(0);
    }
    const bool can_come_at_once = step.hand_overs.empty() && !of_.seen_.is_given(call.where);
    if (has(cause::host_busy) && can_come_at_once) step.pause = nanoseconds(0);
  }
}

// Streams and events.

bool transformation::moves(const program_operation& operation) const {
  const bool is_legacy =
      of_.seen_.stream_at(operation.what.stream).kind == trace::stream_kind::legacy_default;
  if (operation.what.kind == operation_kind::host_function && has(cause::host_function)) return true;
  return has(is_legacy ? cause::default_stream : cause::one_stream);
}

stream_id transformation::stream_from_pool(const trace::stream& like) {
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

/// Each operation that moves goes behind the one whose result it reads, when that is the last of its stream;
/// else into a stream of its own. The events and host functions before it in its stream still hold it up:
/// they are causes of their own.
void transformation::move_to_other_streams() {
  if (!has(cause::default_stream) && !has(cause::one_stream) && !has(cause::host_function)) return;
  std::unordered_map<stream_id, operation_number> last_in;
  for (operation_number number = 0; number < changed_.operations.size(); ++number) {
    program_operation& operation = changed_.operations[number];
    if (operation.launch != no_operation) {
      operation.what.stream = changed_.operations[operation.launch].what.stream;
      continue;
    }
    kept_order& kept = kept_order_[operation.what.stream];
    if (!moves(operation)) {
      if (!is_marker(operation)) last_in[operation.what.stream] = number;
      continue;
    }
    streams_before_[stream_before_[number]].has_moved = true;
    if (is_marker(operation)) {
      operation.is_dropped = true;
      const std::optional<cause> wrong = of_.event_wait_[number];
      if (operation.captured != no_operation && !(wrong && has(*wrong)))
        kept.events[stream_before_[operation.captured]] = operation.captured;
      continue;
    }
    if (operation.what.kind == operation_kind::host_function) {
      if (has(cause::host_function)) {
        operation.what.holds_kernels = false;
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
    const std::uint32_t device = changed_.streams[operation.what.stream - 1].device;
    std::optional<stream_id> chosen;
    for (const dependency& each : of_.inputs_[number]) {
      const stream_id stream = changed_.operations[each.on].what.stream;
      const bool is_legacy = changed_.streams[stream - 1].kind == trace::stream_kind::legacy_default;
      const bool is_last = last_in.count(stream) != 0 && last_in[stream] == each.on;
      const bool is_here = changed_.streams[stream - 1].device == device;
      if (each.is_flow && !is_legacy && is_here && is_last &&
          operation.what.kind != operation_kind::host_function)
        chosen = stream;
    }
    operation.what.stream = chosen ? *chosen : stream_from_pool(of_.seen_.stream_at(operation.what.stream));
    if (operation.what.kind != operation_kind::release) last_in[operation.what.stream] = number;
  }
}

/// As if what one stream captured had been captured from several: nodes follow only those whose bytes they
/// need.
void transformation::loosen_graphs() {
  device::graph_branches branches;
  for (operation_number number = 0; number < changed_.operations.size(); ++number) {
    program_operation& node = changed_.operations[number];
    if (node.launch == no_operation || !of_.is_plain_graph_[node.launch]) continue;
    if (number == node.launch + 1) branches = {};
    node.edges.clear();
    std::vector<std::size_t> nodes_before;
    for (const dependency& each : of_.needed_.of_operation[number]) {
      const auto on = static_cast<operation_number>(each.on - of_.part_.operations.front());
      if (changed_.operations[on].launch != node.launch) continue;
      node.edges.push_back(on);
      nodes_before.push_back(on - node.launch - 1);
    }
    node.what.branch = branches.add(nodes_before);
  }
}

/// Waits for events that moved away, and waits that take too much, are replaced by what is needed.
void transformation::drop_markers() {
  for (operation_number number = 0; number < changed_.operations.size(); ++number) {
    program_operation& operation = changed_.operations[number];
    if (operation.captured == no_operation) continue;
    const std::optional<cause> wrong = of_.event_wait_[number];
    if (wrong && has(*wrong)) operation.is_dropped = true;
    if (operation.is_dropped || !changed_.operations[operation.captured].is_dropped) continue;
    operation.after = all_before(operation.captured);
    operation.captured = no_operation;
  }
}

/// Of what was issued into the stream of `tail` up to it: the last in each stream where that is now.
std::vector<operation_number> transformation::all_before(operation_number tail) const {
  const stream_history& history = streams_before_.at(stream_before_[tail]);
  if (!history.has_moved) return {tail};
  std::unordered_set<stream_id> found;
  std::vector<operation_number> result;
  auto at = std::upper_bound(history.operations.begin(), history.operations.end(), tail);
  while (at != history.operations.begin() && found.size() <= pool_size_) {
    --at;
    const program_operation& operation = changed_.operations[*at];
    if (!operation.is_dropped && found.insert(operation.what.stream).second) result.push_back(*at);
  }
  std::sort(result.begin(), result.end());
  return result;
}

void transformation::replace_moved(std::vector<operation_number>& waited_for) const {
  if (waited_for.empty()) return;
  std::vector<operation_number> result;
  for (const operation_number each : waited_for) {
    const std::vector<operation_number> now = all_before(each);
    result.insert(result.end(), now.begin(), now.end());
  }
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  waited_for = std::move(result);
}

/// Order that bytes need, and that the cures may have taken away, becomes a wait between streams.
void transformation::wait_for_what_is_needed() {
  for (operation_number number = 0; number < changed_.operations.size(); ++number) {
    program_operation& operation = changed_.operations[number];
    std::map<stream_id, operation_number> last;
    for (const dependency& each : of_.inputs_[number]) {
      const stream_id stream = changed_.operations[each.on].what.stream;
      if (stream != operation.what.stream && is_needed(each)) last[stream] = each.on;
    }
    for (const auto& [stream, each] : last) operation.after.push_back(each);
  }
}

// How the work is cut.

namespace {

/// Chains that do the same to other bytes.
using signature = std::vector<std::tuple<int, std::string, int>>;

}  // namespace

std::vector<transformation::cut_program> transformation::merged() const {
  std::vector<cut_program> result;
  for (std::size_t size = 2; size <= most_joined && size * 2 <= of_.chains_.size(); size *= 2)
    result.push_back({merged_by(size), {.joined = size}});
  return result;
}

/// Every `size` chunks become one: their bytes and blocks add up, and what each cost the host is paid once.
program transformation::merged_by(std::size_t size) const {
  program result = changed_;
  std::map<signature, std::vector<std::size_t>> alike;
  for (std::size_t chain = 0; chain < of_.chains_.size(); ++chain) {
    if (!of_.is_chunk(chain)) continue;
    signature what;
    for (const operation_number each : of_.chains_[chain]) {
      const program_operation& operation = changed_.operations[each];
      what.emplace_back(static_cast<int>(operation.what.kind),
                        of_.seen_.operation_at(operation.recorded).name,
                        static_cast<int>(operation.what.route));
    }
    alike[what].push_back(chain);
  }
  std::vector<operation_number> lead(result.operations.size());
  for (operation_number number = 0; number < lead.size(); ++number) lead[number] = number;
  for (const auto& [what, chains] : alike) {
    for (std::size_t first = 0; first < chains.size(); first += size) {
      for (std::size_t level = 0; level < what.size(); ++level) {
        const operation_number leader = of_.chains_[chains[first]][level];
        program_operation& joined = result.operations[leader];
        joined.what.stream = changed_.operations[of_.chains_[chains[first / size]][level]].what.stream;
        for (std::size_t other = first + 1; other < std::min(first + size, chains.size()); ++other) {
          const operation_number number = of_.chains_[chains[other]][level];
          program_operation& absorbed = result.operations[number];
          joined.what.bytes += absorbed.what.bytes;
          joined.what.staged_bytes += absorbed.what.staged_bytes;
          joined.what.shape.blocks += absorbed.what.shape.blocks;
          append(joined.blocks, absorbed.blocks);
          joined.after.insert(joined.after.end(), absorbed.after.begin(), absorbed.after.end());
          absorbed.is_dropped = true;
          lead[number] = leader;
        }
      }
    }
  }
  const auto to_leaders = [&](std::vector<operation_number>& numbers) {
    for (operation_number& each : numbers) each = lead[each];
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  };
  for (operation_number number = 0; number < lead.size(); ++number) {
    program_operation& operation = result.operations[number];
    to_leaders(operation.after);
    std::erase_if(operation.after, [&](operation_number each) {
      return each >= number || result.operations[each].what.stream == operation.what.stream;
    });
    if (operation.captured != no_operation) operation.captured = lead[operation.captured];
  }
  for (program_step& step : result.steps) {
    const bool is_gone =
        !step.issues.empty() && std::all_of(step.issues.begin(), step.issues.end(),
                                            [&](operation_number each) { return lead[each] != each; });
    to_leaders(step.waits);
    to_leaders(step.needs);
    if (!is_gone) continue;
    step.issues.clear();
    step.needs.clear();
    step.waits.clear();
    step.waits_until_staged = false;
    step.cost = step.staging = step.return_at_once = nanoseconds(0);
  }
  return result;
}

std::vector<transformation::cut_program> transformation::cut() const {
  std::vector<cut_program> result;
  for (std::uint32_t pieces = 2; pieces <= most_pieces; pieces *= 2)
    result.push_back({cut_into(pieces), {.pieces = pieces}});
  return result;
}

/// Every chunk becomes `pieces` chunks that go through the GPU one behind the other.
program transformation::cut_into(std::uint32_t pieces) const {
  program result = changed_;
  std::map<operation_number, std::vector<operation_number>> pieces_of;
  for (const std::vector<operation_number>& chain : of_.chains_) {
    if (chain.size() < 2 || !of_.is_chain_cuttable(chain)) continue;
    const stream_id before = changed_.operations[chain.front()].what.stream;
    const bool stays = changed_.streams[before - 1].kind == trace::stream_kind::legacy_default;
    std::vector<stream_id> streams;
    for (std::uint32_t piece = 0; piece < pieces; ++piece) {
      if (stays || piece == 0) {
        streams.push_back(before);
      } else if (piece < least_pool) {
        trace::stream added = changed_.streams[before - 1];
        added.id = static_cast<stream_id>(result.streams.size() + 1);
        added.kind = trace::stream_kind::created;
        result.streams.push_back(added);
        streams.push_back(added.id);
      } else {
        streams.push_back(streams[piece % least_pool]);
      }
    }
    for (const operation_number each : chain) {
      const program_operation whole = changed_.operations[each];
      std::vector<operation_number>& cut = pieces_of[each];
      for (std::uint32_t piece = 0; piece < pieces; ++piece) {
        program_operation part = whole;
        part.what.stream = streams[piece];
        const auto share = [&](std::uint64_t of) { return of * (piece + 1) / pieces - of * piece / pieces; };
        part.what.bytes = share(whole.what.bytes);
        part.what.staged_bytes = share(whole.what.staged_bytes);
        if (whole.is_loop) {
          for (trace::block_time& block : part.blocks) block.duration /= pieces;
        } else {
          part.what.shape.blocks = share(whole.what.shape.blocks);
          part.blocks = slice(whole.blocks, whole.what.shape.blocks * piece / pieces,
                              whole.what.shape.blocks * (piece + 1) / pieces);
        }
        part.is_dropped = whole.what.kind == operation_kind::kernel && part.what.shape.blocks == 0;
        if (piece == 0) {
          result.operations[each] = part;
          cut.push_back(each);
        } else {
          cut.push_back(static_cast<operation_number>(result.operations.size()));
          result.operations.push_back(part);
        }
      }
    }
  }
  const auto expand = [&](std::vector<operation_number>& numbers) {
    std::vector<operation_number> all;
    for (const operation_number each : numbers) {
      const auto cut = pieces_of.find(each);
      if (cut == pieces_of.end()) {
        all.push_back(each);
      } else {
        all.insert(all.end(), cut->second.begin(), cut->second.end());
      }
    }
    numbers = std::move(all);
  };
  for (const auto& [number, cut] : pieces_of) {
    for (std::size_t piece = 0; piece < cut.size(); ++piece) {
      for (operation_number& each : result.operations[cut[piece]].after) {
        const auto other = pieces_of.find(each);
        if (other != pieces_of.end()) each = other->second[piece];
      }
    }
  }
  for (operation_number number = 0; number < changed_.operations.size(); ++number) {
    if (pieces_of.count(number) == 0) expand(result.operations[number].after);
  }
  // The pieces of a chunk are issued one after another, each with all its operations, at the place of its
  // first.
  std::vector<program_step> steps;
  std::unordered_map<operation_number, program_step> step_of;
  for (const program_step& step : changed_.steps) {
    if (step.issues.size() == 1) step_of[step.issues.front()] = step;
  }
  for (const program_step& step : changed_.steps) {
    program_step kept = step;
    expand(kept.waits);
    expand(kept.needs);
    const bool is_cut = step.issues.size() == 1 && pieces_of.count(step.issues.front()) != 0;
    if (!is_cut) {
      steps.push_back(std::move(kept));
      continue;
    }
    const std::vector<operation_number>& chain = of_.chains_[of_.chain_of_[step.issues.front()]];
    const bool waits = std::any_of(chain.begin(), chain.end(), [&](operation_number each) {
      const program_step& issuing = step_of[each];
      const bool may_wait_later = each == chain.back() && has(cause::synchronous_copy);
      return !issuing.needs.empty() || issuing.waits_until_staged ||
             (!issuing.waits.empty() && !may_wait_later);
    });
    if (waits) {  // as it was: the host waits for one operation before it issues the next
      const std::vector<operation_number>& own = pieces_of[step.issues.front()];
      for (const operation_number piece : own) {
        program_step each = kept;
        each.issues = {piece};
        std::erase_if(each.waits, [&](operation_number waited_for) {
          return waited_for != piece && std::find(own.begin(), own.end(), waited_for) != own.end();
        });
        steps.push_back(std::move(each));
      }
      continue;
    }
    if (step.issues.front() != chain.front()) continue;
    for (std::uint32_t piece = 0; piece < pieces; ++piece) {
      for (const operation_number each : chain) {
        program_step issuing = step_of[each];
        issuing.issues = {pieces_of[each][piece]};
        if (each == chain.back() && piece + 1 == pieces) {
          expand(issuing.waits);
        } else {
          issuing.waits.clear();
        }
        steps.push_back(std::move(issuing));
      }
    }
  }
  result.steps = std::move(steps);
  // Hand-overs by other threads name steps by number; programs with them are not cut.
  const bool has_hand_overs =
      std::any_of(changed_.steps.begin(), changed_.steps.end(), [](const program_step& each) {
        return std::any_of(each.hand_overs.begin(), each.hand_overs.end(),
                           [](const hand_over& one) { return one.function == no_operation; });
      });
  return has_hand_overs ? changed_ : result;
}

// In which order it is issued.

/// All steps of a chunk before the next chunk, and all chunks' first steps before their second.
std::vector<transformation::cut_program> transformation::reordered(const cut_program& from) const {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> by_chunk, by_step;
  for (std::size_t number = 0; number < of_.chain_of_.size(); ++number) {
    by_chunk.emplace_back(of_.chain_of_[number], 0);
    by_step.emplace_back(of_.level_of_[number], of_.chain_of_[number]);
  }
  std::vector<cut_program> result;
  // Pieces that a cut added have no chunk of their own: such a program is taken as it was cut.
  if (from.what.operations.size() != of_.chain_of_.size()) return result;
  for (const issue_order order : {issue_order::chunk_by_chunk, issue_order::step_by_step}) {
    const bool is_by_chunk = order == issue_order::chunk_by_chunk;
    std::optional<program> ordered = ordered_by(from.what, is_by_chunk ? by_chunk : by_step);
    if (!ordered) continue;
    result.push_back({std::move(*ordered), from.how});
    result.back().how.order = order;
  }
  return result;
}

std::optional<program> transformation::ordered_by(
    const program& what, const std::vector<std::pair<std::uint32_t, std::uint32_t>>& keys) const {
  program result = what;
  const auto is_wait = [](const program_step& step) {
    return !step.waits.empty() || !step.needs.empty() || step.waits_until_staged || !step.hand_overs.empty();
  };
  for (std::size_t begin = 0; begin < what.steps.size();) {
    std::size_t end = begin;
    std::vector<std::size_t> places;
    while (end < what.steps.size() && what.steps[end].thread == what.steps[begin].thread &&
           !is_wait(what.steps[end])) {
      if (!what.steps[end].issues.empty()) places.push_back(end);
      ++end;
    }
    std::vector<std::size_t> order = places;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t one, std::size_t two) {
      return keys[what.steps[one].issues.front()] < keys[what.steps[two].issues.front()];
    });
    for (std::size_t i = 0; i < places.size(); ++i) result.steps[places[i]] = what.steps[order[i]];
    begin = std::max(end, begin + 1);
  }
  std::vector<bool> is_issued(what.operations.size());
  for (const program_step& step : result.steps) {
    for (const operation_number each : step.issues) {
      const program_operation& operation = result.operations[each];
      const auto is_too_late = [&](operation_number earlier) {
        return !is_issued[earlier] && !result.operations[earlier].is_dropped;
      };
      const bool is_broken =
          (operation.captured != no_operation && is_too_late(operation.captured)) ||
          std::any_of(operation.edges.begin(), operation.edges.end(), is_too_late) ||
          std::any_of(of_.inputs_[each].begin(), of_.inputs_[each].end(),
                      [&](const dependency& input) { return is_needed(input) && is_too_late(input.on); });
      if (is_broken && !operation.is_dropped) return std::nullopt;
      is_issued[each] = true;
    }
  }
  return result;
}

}  // namespace analysis

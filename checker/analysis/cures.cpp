#include "analysis/cures.h"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <unordered_map>

#include "analysis/call_kind.h"
#include "analysis/transformation.h"

namespace analysis {
namespace {

using trace::operation_kind;

bool is_marker(operation_kind kind) {
  return kind == operation_kind::event_record || kind == operation_kind::event_wait;
}

bool is_pageable(const trace::operation& copy) {
  return copy.kind == operation_kind::copy &&
         (copy.source == trace::memory_kind::pageable || copy.destination == trace::memory_kind::pageable);
}

}  // namespace

std::string_view word_of(cause what) {
  switch (what) {
    case cause::default_stream:
      return "default_stream";
    case cause::one_stream:
      return "one_stream";
    case cause::synchronization:
      return "synchronization";
    case cause::synchronous_copy:
      return "synchronous_copy";
    case cause::pageable_memory:
      return "pageable_memory";
    case cause::memory_management:
      return "memory_management";
    case cause::host_function:
      return "host_function";
    case cause::event_recorded_again:
      return "event_recorded_again";
    case cause::event_recorded_late:
      return "event_recorded_late";
    case cause::needless_wait:
      return "needless_wait";
    case cause::shared_buffer:
      return "shared_buffer";
    case cause::issue_order:
      return "issue_order";
    case cause::shared_queue:
      return "shared_queue";
    case cause::no_room:
      return "no_room";
    case cause::small_chunks:
      return "small_chunks";
    case cause::one_piece:
      return "one_piece";
    case cause::host_busy:
      return "host_busy";
  }
  throw std::logic_error("a cause without a word");
}

std::optional<cause> cures::waits_because_of(const trace::recording& seen, const trace::host_call& call) {
  if (blocks_for_the_device(seen, call)) return cause::memory_management;
  switch (kind_of(seen, call)) {
    case call_kind::waits_for_stream:
    case call_kind::waits_for_event:
    case call_kind::waits_for_device:
      return cause::synchronization;
    case call_kind::waits_for_its_operation:
    case call_kind::stages_its_source:
      return cause::synchronous_copy;
    case call_kind::orders_nothing:
      break;
  }
  const bool copies = call.operation != 0 && is_pageable(seen.operation_at(call.operation));
  return copies ? std::optional(cause::pageable_memory) : std::nullopt;
}

bool cures::is_given(const trace::recording& seen, const trace::host_call& call) {
  if (!seen.is_given(call.where)) return false;
  const auto next = std::find_if(seen.calls.begin() + call.id, seen.calls.end(), [&](const auto& each) {
    return each.thread == call.thread && each.operation != 0;
  });
  return next != seen.calls.end() && seen.is_given(next->where);
}

cures::cures(const part& of, const dependencies& needed, const device::profile& gpu)
    : part_(of), seen_(*of.seen), needed_(needed), gpu_(gpu), roomy_(gpu), recorded_(program_of(of, gpu)) {
  // Threads are what a multiprocessor really works on; the other limits only say how a kernel has to be cut.
  roomy_.blocks_per_multiprocessor = roomy_.threads_per_multiprocessor;
  roomy_.shared_memory_per_multiprocessor = roomy_.shared_memory_per_block * roomy_.blocks_per_multiprocessor;
  inputs_.resize(recorded_.operations.size());
  if (!recorded_.operations.empty()) {
    const trace::operation_id first = part_.operations.front();
    for (std::size_t number = 0; number < inputs_.size(); ++number) {
      const operation_number unit = unit_of(static_cast<operation_number>(number));
      for (const dependency& each : needed.of_operation[number]) {
        const operation_number on = unit_of(each.on - first);
        if (on != unit) inputs_[unit].push_back({on, each.is_flow});
      }
    }
    for (std::vector<dependency>& each : inputs_) {  // those of a launch come from several nodes
      std::sort(each.begin(), each.end(),
                [](const dependency& one, const dependency& two) { return one.on < two.on; });
    }
  }
  find_needed_waits();
  find_plain_graphs();
  find_chains();
  judge_events();
  find_applying();
}

/// For each need of the host: the last wait before it that covers the operation. When none does by itself,
/// the last wait of all before it, which then must have got its order from elsewhere.
void cures::find_needed_waits() {
  is_needed_.resize(recorded_.steps.size());
  struct wait {
    trace::call_id call = 0;
    std::uint32_t step = 0;
    operation_number tail = 0;
  };
  std::unordered_map<trace::stream_id, std::vector<wait>> waits;  // by the stream waited for, ascending
  std::vector<wait> all;
  for (std::uint32_t step = 0; step < recorded_.steps.size(); ++step) {
    const program_step& each = recorded_.steps[step];
    const std::optional<cause> why = waits_because_of(seen_, seen_.call_at(each.call));
    if (each.waits.empty() && each.needs.empty() && !each.waits_until_staged) continue;
    if (why == cause::memory_management || why == cause::pageable_memory) continue;
    for (const operation_number tail : each.waits)
      waits[recorded_.operations[tail].what.stream].push_back({each.call, step, tail});
    if (each.waits_until_staged && !each.issues.empty()) {
      waits[recorded_.operations[each.issues.back()].what.stream].push_back(
          {each.call, step, each.issues.back()});
    }
    all.push_back({each.call, step, 0});
  }
  const auto latest = [](const std::vector<wait>& among, trace::call_id at) -> const wait* {
    const auto after =
        std::upper_bound(among.begin(), among.end(), at,
                         [](trace::call_id call, const wait& each) { return call < each.call; });
    return after == among.begin() ? nullptr : &*std::prev(after);
  };
  const trace::operation_id first = part_.operations.empty() ? 1 : part_.operations.front();
  for (const host_need& need : needed_.of_host) {
    const operation_number number = unit_of(need.operation - first);
    const auto of_stream = waits.find(recorded_.operations[number].what.stream);
    const wait* found = of_stream == waits.end() ? nullptr : latest(of_stream->second, need.after);
    if (found == nullptr || found->tail < number) found = latest(all, need.after);
    if (found != nullptr) is_needed_[found->step] = true;
  }
}

/// Which copies and memsets bring something that one other operation reads, and read nothing of others.
std::vector<bool> cures::find_only_inputs() const {
  std::vector<int> readers(recorded_.operations.size());
  std::vector<bool> reads(recorded_.operations.size());
  for (operation_number number = 0; number < recorded_.operations.size(); ++number) {
    for (const dependency& each : inputs_[number]) {
      if (!each.is_flow) continue;
      ++readers[each.on];
      reads[number] = true;
    }
  }
  std::vector<bool> result(recorded_.operations.size());
  for (operation_number number = 0; number < recorded_.operations.size(); ++number) {
    const operation_kind kind = recorded_.operations[number].what.kind;
    const bool brings = kind == operation_kind::copy || kind == operation_kind::memset;
    result[number] = brings && readers[number] == 1 && !reads[number];
  }
  return result;
}

/// A second input of an operation goes with the chain in which that is.
void cures::join_chain(operation_number input, std::uint32_t chain) {
  std::vector<operation_number>& members = chains_[chain];
  chains_[chain_of_[input]].clear();
  chain_of_[input] = chain;
  members.insert(std::lower_bound(members.begin(), members.end(), input), input);
  for (std::size_t place = 0; place < members.size(); ++place)
    level_of_[members[place]] = static_cast<std::uint32_t>(place);
}

void cures::find_chains() {
  chain_of_.resize(recorded_.operations.size());
  level_of_.resize(recorded_.operations.size());
  const std::vector<bool> is_only_input = find_only_inputs();
  std::unordered_map<trace::stream_id, operation_number> last_in;  // not a marker
  for (operation_number number = 0; number < recorded_.operations.size(); ++number) {
    const program_operation& operation = recorded_.operations[number];
    if (operation.launch != no_operation) {
      chain_of_[number] = chain_of_[operation.launch];
      level_of_[number] = level_of_[operation.launch];
      continue;
    }
    if (is_marker(operation.what.kind)) {
      const auto last = last_in.find(operation.what.stream);
      chain_of_[number] = last == last_in.end() ? 0 : chain_of_[last->second];
      level_of_[number] = last == last_in.end() ? 0 : level_of_[last->second];
      continue;
    }
    std::optional<std::uint32_t> chain;
    for (const dependency& each : inputs_[number]) {
      if (!each.is_flow || chains_[chain_of_[each.on]].back() != each.on) continue;
      if (!chain || chains_[chain_of_[each.on]].size() >= chains_[*chain].size()) chain = chain_of_[each.on];
    }
    if (!chain) {
      chain = static_cast<std::uint32_t>(chains_.size());
      chains_.emplace_back();
    }
    for (const dependency& each : inputs_[number]) {
      if (each.is_flow && is_only_input[each.on] && chain_of_[each.on] != *chain) join_chain(each.on, *chain);
    }
    chain_of_[number] = *chain;
    level_of_[number] = static_cast<std::uint32_t>(chains_[*chain].size());
    if (operation.what.kind == operation_kind::release && !chains_[*chain].empty()) continue;
    chains_[*chain].push_back(number);
    last_in[operation.what.stream] = number;
  }
  // A wait goes with the operation that waits.
  std::unordered_map<trace::stream_id, operation_number> next_in;
  for (operation_number number = static_cast<operation_number>(recorded_.operations.size()); number-- > 0;) {
    const program_operation& operation = recorded_.operations[number];
    if (operation.launch != no_operation) continue;
    if (operation.what.kind == operation_kind::event_wait) {
      const auto next = next_in.find(operation.what.stream);
      if (next == next_in.end()) continue;
      chain_of_[number] = chain_of_[next->second];
      level_of_[number] = level_of_[next->second];
    } else if (!is_marker(operation.what.kind)) {
      next_in[operation.what.stream] = number;
    }
  }
}

/// Which waits for events take more than the work behind them needs.
void cures::judge_events() {
  event_wait_.resize(recorded_.operations.size());
  if (!needed_.are_known) return;
  std::map<trace::event_id, std::vector<operation_number>> records;
  std::unordered_map<trace::stream_id, std::vector<operation_number>> in_stream;
  for (operation_number number = 0; number < recorded_.operations.size(); ++number) {
    const program_operation& operation = recorded_.operations[number];
    if (operation.launch != no_operation) continue;
    in_stream[operation.what.stream].push_back(number);
    if (operation.what.kind == operation_kind::event_record)
      records[seen_.operation_at(operation.recorded).event].push_back(number);
  }
  for (const auto& [stream, numbers] : in_stream) {
    for (std::size_t at = 0; at < numbers.size(); ++at) {
      const program_operation& wait = recorded_.operations[numbers[at]];
      if (wait.what.kind != operation_kind::event_wait || wait.captured == no_operation) continue;
      const trace::stream_id recorder = recorded_.operations[wait.captured].what.stream;
      if (recorder == stream) continue;
      std::unordered_map<trace::stream_id, operation_number> last_needed_in;
      bool brings_result = false;
      bool has_work = false;
      for (std::size_t later = at + 1; later < numbers.size(); ++later) {
        const operation_kind kind = recorded_.operations[numbers[later]].what.kind;
        if (kind == operation_kind::event_wait && has_work) break;
        if (is_marker(kind)) continue;
        has_work = true;
        for (const dependency& each : inputs_[numbers[later]]) {
          if (each.on >= wait.captured) continue;
          brings_result = brings_result || each.is_flow;
          operation_number& last = last_needed_in[recorded_.operations[each.on].what.stream];
          last = std::max(last, each.on);
        }
      }
      if (!has_work) continue;
      std::optional<operation_number> last_needed;
      if (const auto there = last_needed_in.find(recorder); there != last_needed_in.end())
        last_needed = there->second;
      const std::vector<operation_number>& there = in_stream.at(recorder);
      const auto captured = std::lower_bound(there.begin(), there.end(), wait.captured);
      bool takes_more = false;
      for (auto back = captured; back != there.begin() && !takes_more;) {
        --back;
        if (last_needed && *back <= *last_needed) break;
        takes_more = !is_marker(recorded_.operations[*back].what.kind);
      }
      if (!takes_more) {
        if (last_needed && !brings_result) event_wait_[numbers[at]] = cause::shared_buffer;
        continue;
      }
      const std::vector<operation_number>& of_event = records[seen_.operation_at(wait.recorded).event];
      const bool was_recorded_before =
          std::any_of(of_event.begin(), of_event.end(), [&](operation_number record) {
            if (record >= wait.captured) return false;
            const auto needed = last_needed_in.find(recorded_.operations[record].what.stream);
            return needed != last_needed_in.end() && record > needed->second;
          });
      event_wait_[numbers[at]] = was_recorded_before ? cause::event_recorded_again
                                 : last_needed       ? cause::event_recorded_late
                                                     : cause::needless_wait;
    }
  }
}

void cures::find_plain_graphs() {
  is_plain_graph_.resize(recorded_.operations.size(), true);
  for (const program_operation& each : recorded_.operations) {
    if (each.launch != no_operation && !is_device_work(each.what.kind)) is_plain_graph_[each.launch] = false;
  }
}

bool cures::has_needless_edge(operation_number node) const {
  const program_operation& waits = recorded_.operations[node];
  const std::vector<dependency>& needs = needed_.of_operation[node];
  return is_plain_graph_[waits.launch] &&
         std::any_of(waits.edges.begin(), waits.edges.end(), [&](operation_number before) {
           const trace::operation_id on = recorded_.operations[before].recorded;
           return std::none_of(needs.begin(), needs.end(),
                               [&](const dependency& each) { return each.on == on; });
         });
}

bool cures::is_chain_cuttable(const std::vector<operation_number>& chain) const {
  return !chain.empty() && std::all_of(chain.begin(), chain.end(), [&](operation_number each) {
    const operation_kind kind = recorded_.operations[each].what.kind;
    return kind == operation_kind::copy || kind == operation_kind::kernel || kind == operation_kind::memset;
  });
}

bool cures::is_in_pieces(const std::vector<operation_number>& chain) const {
  std::set<device::copy_route> before_a_kernel, copied;
  for (const operation_number each : chain) {
    const program_operation& operation = recorded_.operations[each];
    if (operation.what.kind == operation_kind::kernel) before_a_kernel = copied;
    if (operation.what.kind != operation_kind::copy) continue;
    if (before_a_kernel.count(operation.what.route) != 0) return true;
    copied.insert(operation.what.route);
  }
  return false;
}

bool cures::do_the_same(std::size_t one, std::size_t other) const {
  return std::equal(chains_[one].begin(), chains_[one].end(), chains_[other].begin(), chains_[other].end(),
                    [&](operation_number left, operation_number right) {
                      const program_operation& mine = recorded_.operations[left];
                      const program_operation& its = recorded_.operations[right];
                      return mine.what.kind == its.what.kind && mine.what.route == its.what.route &&
                             seen_.operation_at(mine.recorded).name == seen_.operation_at(its.recorded).name;
                    });
}

bool cures::is_chunk(std::size_t chain) const {
  if (!is_chain_cuttable(chains_[chain])) return false;
  return std::none_of(chains_[chain].begin(), chains_[chain].end(), [&](operation_number each) {
    return std::any_of(inputs_[each].begin(), inputs_[each].end(), [&](const dependency& input) {
      return input.is_flow && chain_of_[input.on] != chain && do_the_same(chain, chain_of_[input.on]);
    });
  });
}

void cures::find_applying() {
  for (std::uint32_t step = 0; step < recorded_.steps.size(); ++step) {
    const program_step& each = recorded_.steps[step];
    const trace::host_call& call = seen_.call_at(each.call);
    const std::optional<cause> why = waits_because_of(seen_, call);
    if (why == cause::memory_management || each.holds_back_old_gpus) {
      applying_.insert(cause::memory_management);
    } else if (why && *why != cause::pageable_memory && !is_needed_[step] && needed_.are_known) {
      applying_.insert(*why);
    } else if (!why && each.issues.empty() && call.end > call.start && !is_given(seen_, call)) {
      applying_.insert(call.allocation != 0 ? cause::memory_management : cause::host_busy);
    }
    if (each.pause.count() > 0 && !seen_.is_given(call.where)) applying_.insert(cause::host_busy);
  }
  std::map<trace::stream_id, std::set<std::uint32_t>> chains_in;
  for (operation_number number = 0; number < recorded_.operations.size(); ++number) {
    const trace::operation& operation = seen_.operation_at(recorded_.operations[number].recorded);
    if (is_pageable(operation)) applying_.insert(cause::pageable_memory);
    if (event_wait_[number]) applying_.insert(*event_wait_[number]);
    for (const trace::constraint& each : operation.waited_for.value_or(std::vector<trace::constraint>())) {
      if (each.kind == trace::constraint_kind::no_room) applying_.insert(cause::no_room);
      if (each.kind == trace::constraint_kind::work_queue && gpu_.work_queues > 1)
        applying_.insert(cause::shared_queue);
    }
    if (is_marker(operation.kind) || !needed_.are_known) continue;
    if (operation.graph_launch != 0) {
      if (has_needless_edge(number)) applying_.insert(cause::one_stream);
      continue;
    }
    const trace::stream_kind kind = seen_.stream_at(operation.stream).kind;
    if (kind == trace::stream_kind::legacy_default) applying_.insert(cause::default_stream);
    if (operation.kind == operation_kind::host_function) applying_.insert(cause::host_function);
    const bool overwrites = std::any_of(
        inputs_[number].begin(), inputs_[number].end(),
        [&](const auto& each) { return !each.is_flow && chain_of_[each.on] != chain_of_[number]; });
    if (overwrites) applying_.insert(cause::shared_buffer);
    std::set<std::uint32_t>& chains = chains_in[operation.stream];
    if (chains.size() < 2) chains.insert(chain_of_[number]);
    if (chains.size() > 1 && kind != trace::stream_kind::legacy_default) applying_.insert(cause::one_stream);
  }
  if (!needed_.are_known) return;
  const std::size_t cuttable = static_cast<std::size_t>(std::count_if(
      chains_.begin(), chains_.end(), [&](const auto& chain) { return is_chain_cuttable(chain); }));
  constexpr std::size_t several = 4;
  std::size_t chunks = 0;
  for (std::size_t chain = 0; chain < chains_.size(); ++chain) chunks += is_chunk(chain) ? 1 : 0;
  if (chunks >= 2 * several) applying_.insert(cause::small_chunks);
  const bool has_long_chain = std::any_of(chains_.begin(), chains_.end(), [&](const auto& chain) {
    return chain.size() >= 2 && is_chain_cuttable(chain) && !is_in_pieces(chain);
  });
  if (has_long_chain && cuttable < several) applying_.insert(cause::one_piece);
  if (gpu_.work_queues == 1 && recorded_.operations.size() > 2) applying_.insert(cause::issue_order);
}

variant cures::without_waits_at(const trace::host_call& line) const {
  return transformation(*this, {}).without_waits_at(line);
}

std::vector<variant> cures::without(const causes& cured) const {
  return transformation(*this, cured).variants();
}

}  // namespace analysis

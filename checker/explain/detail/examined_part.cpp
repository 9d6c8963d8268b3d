#include "explain/detail/examined_part.h"

#include <algorithm>
#include <unordered_map>

#include "explain/detail/device_order.h"
#include "trace/call_promise.h"

namespace explain {
namespace {

using trace::operation_kind;

/// Finds waits for events that take more than the work behind them needs.
class event_judge {
 public:
  event_judge(const program& program, const trace::recording& recording,
              const std::vector<std::vector<analysis::dependency>>& inputs)
      : program_(program), recording_(recording), inputs_(inputs) {
    for (operation_number number = 0; number < program.operations.size(); ++number) {
      const program_operation& operation = program.operations[number];
      if (operation.launch != no_operation) continue;
      in_stream_[operation.request.stream].push_back(number);
      if (operation.request.kind == operation_kind::event_record)
        records_[event_of(operation)].push_back(number);
    }
  }

  /// By operation: the defect of its wait, or nothing.
  std::vector<std::optional<cause>> verdicts() const {
    std::vector<std::optional<cause>> result(program_.operations.size());
    for (const auto& [stream, numbers] : in_stream_) {
      for (auto position = numbers.begin(); position != numbers.end(); ++position) {
        const program_operation& wait = program_.operations[*position];
        if (wait.request.kind != operation_kind::event_wait || wait.captured == no_operation) continue;
        if (!is_of_program(event_of(wait))) continue;
        if (stream_of(wait.captured) != stream)
          result[*position] = verdict_on(wait, needed_behind(wait, std::next(position), numbers.end()));
      }
    }
    return result;
  }

 private:
  using place = std::vector<operation_number>::const_iterator;

  /// What the work behind a wait needs of what was issued before the record that it takes.
  struct needed_work {
    std::unordered_map<trace::stream_id, operation_number> last_in;  // by stream
    bool brings_result = false;                                      // something is read
    bool is_for_anything = false;                                    // there is work behind the wait
  };

  trace::event_id event_of(const program_operation& marker) const {
    return recording_.operation_at(marker.recorded).event;
  }
  /// A copy between devices makes events of its own.
  bool is_of_program(trace::event_id event) const {
    const trace::call_id made_by = recording_.event_at(event).created_by;
    return made_by == 0 || trace::effect_of(recording_.call_at(made_by)) == trace::call_effect::creates_event;
  }
  trace::stream_id stream_of(operation_number number) const {
    return program_.operations[number].request.stream;
  }

  /// The work behind a wait goes up to the next wait.
  needed_work needed_behind(const program_operation& wait, place begin, place end) const {
    needed_work result;
    for (place later = begin; later != end; ++later) {
      const operation_kind kind = program_.operations[*later].request.kind;
      if (kind == operation_kind::event_wait && result.is_for_anything) break;
      if (analysis::is_marker(kind)) continue;
      result.is_for_anything = true;
      for (const analysis::dependency& dependency : inputs_[*later]) {
        if (dependency.earlier >= wait.captured) continue;
        result.brings_result = result.brings_result || dependency.is_flow;
        operation_number& last = result.last_in[stream_of(dependency.earlier)];
        last = std::max(last, dependency.earlier);
      }
    }
    return result;
  }

  std::optional<cause> verdict_on(const program_operation& wait, const needed_work& needed) const {
    if (!needed.is_for_anything) return std::nullopt;
    std::optional<operation_number> last_needed;
    if (const auto there = needed.last_in.find(stream_of(wait.captured)); there != needed.last_in.end())
      last_needed = there->second;
    if (!takes_more_than(last_needed, wait.captured)) {
      const bool only_frees_a_buffer = last_needed && !needed.brings_result;
      return only_frees_a_buffer ? std::optional(cause::shared_buffer) : std::nullopt;
    }
    if (was_recorded_before(wait, needed)) return cause::event_recorded_again;
    return last_needed ? cause::event_recorded_late : cause::needless_wait;
  }

  /// Whether there is work in the stream of that record before it, and behind what is needed.
  bool takes_more_than(std::optional<operation_number> last_needed, operation_number record) const {
    const std::vector<operation_number>& there = in_stream_.at(stream_of(record));
    for (place back = std::lower_bound(there.begin(), there.end(), record); back != there.begin();) {
      --back;
      if (last_needed && *back <= *last_needed) return false;
      if (!analysis::is_marker(program_.operations[*back].request.kind)) return true;
    }
    return false;
  }

  /// Whether an earlier record of the same event came behind what is needed.
  bool was_recorded_before(const program_operation& wait, const needed_work& needed) const {
    const auto records = records_.find(event_of(wait));
    return records != records_.end() &&
           std::any_of(records->second.begin(), records->second.end(), [&](operation_number record) {
             if (record >= wait.captured) return false;
             const auto last = needed.last_in.find(stream_of(record));
             return last != needed.last_in.end() && record > last->second;
           });
  }

  const program& program_;
  const trace::recording& recording_;
  const std::vector<std::vector<analysis::dependency>>& inputs_;
  std::unordered_map<trace::event_id, std::vector<operation_number>> records_;
  std::unordered_map<trace::stream_id, std::vector<operation_number>> in_stream_;
};

}  // namespace

std::optional<cause> waits_because_of(const trace::recording& recording, const trace::host_call& call) {
  if (trace::waits_for_idle_device(recording, call)) return cause::memory_management;
  switch (trace::promise_of(recording, call)) {
    case trace::call_promise::stream:
    case trace::call_promise::event:
    case trace::call_promise::device:
      return cause::synchronization;
    case trace::call_promise::own_operation:
    case trace::call_promise::source_staged:
      return cause::synchronous_copy;
    case trace::call_promise::nothing:
      break;
  }
  const bool copies =
      call.operation != 0 && trace::copies_pageable_memory(recording.operation_at(call.operation));
  return copies ? std::optional(cause::pageable_memory) : std::nullopt;
}

bool is_external(const trace::recording& recording, const trace::host_call& call) {
  if (!recording.is_external(call.where)) return false;
  const auto next =
      std::find_if(recording.calls.begin() + call.id, recording.calls.end(),
                   [&](const auto& later) { return later.thread == call.thread && later.operation != 0; });
  return next != recording.calls.end() && recording.is_external(next->where);
}

examined_part::examined_part(const analysis::part& part, const analysis::dependencies& needed,
                             const device::profile& gpu)
    : part(part),
      recording(*part.recording),
      needed(needed),
      gpu(gpu),
      roomy_gpu(gpu),
      recorded(program_of(part, gpu)),
      inputs(inputs_of_units()),
      chunks(recorded, recording, inputs) {
  // Threads are what a multiprocessor really works on; the other limits only say how a kernel has to be cut.
  roomy_gpu.blocks_per_multiprocessor = roomy_gpu.threads_per_multiprocessor;
  roomy_gpu.shared_memory_per_multiprocessor =
      roomy_gpu.shared_memory_per_block * roomy_gpu.blocks_per_multiprocessor;
  roomy_gpu.reserved_shared_memory = 0;
  roomy_gpu.keeps_carveout = false;
  find_needed_waits();
  find_plain_graphs();
  wrong_wait.resize(recorded.operations.size());
  if (needed.are_known) wrong_wait = event_judge(recorded, recording, inputs).verdicts();
  find_applying_to_host();
  find_applying_to_operations();
  if (needed.are_known) find_applying_to_chunks();
}

std::vector<std::vector<analysis::dependency>> examined_part::inputs_of_units() const {
  std::vector<std::vector<analysis::dependency>> result(recorded.operations.size());
  for (operation_number number = 0; number < inputs.size(); ++number) {
    const operation_number unit = unit_of(number);
    for (const analysis::dependency& dependency : needed.of_operation[number]) {
      const operation_number number = unit_of(dependency.earlier - part.operations.front());
      if (number != unit) result[unit].push_back({number, dependency.is_flow});
    }
  }
  for (std::vector<analysis::dependency>& dependencies :
       result) {  // those of a launch come from several nodes
    std::sort(dependencies.begin(), dependencies.end(),
              [](const analysis::dependency& one, const analysis::dependency& two) {
                return one.earlier < two.earlier;
              });
  }
  return result;
}

/// The last step of the same thread up to that call, when the thread issues work between the wait and it: there the host could
/// wait as well. Who asks again and again does something else meanwhile, and that is not known.
std::optional<std::uint32_t> examined_part::later_step_for(std::uint32_t wait, trace::call_id before) const {
  const program_step& from = recorded.steps[wait];
  if (trace::effect_of(recording.call_at(from.call)) == trace::call_effect::queries) return std::nullopt;
  if (before == 0 || recording.call_at(before).thread != from.thread) return std::nullopt;
  const std::vector<std::uint32_t>& of_thread = steps_of_.at(from.thread);
  const auto behind = std::upper_bound(
      of_thread.begin(), of_thread.end(), before,
      [&](trace::call_id call, std::uint32_t step) { return call < recorded.steps[step].call; });
  if (behind == of_thread.begin()) return std::nullopt;
  const std::uint32_t last = *std::prev(behind);
  return issued_[last] > issued_[wait] ? std::optional(last) : std::nullopt;
}

/// Whether all that the call waits for on the device is needed at once. What host functions and graphs bring counts as that, and so does
/// what any call but a wait of the host waits for.
bool examined_part::waits_only_for(std::uint32_t step, const std::vector<later_wait>& needed_at_once) const {
  const program_step& waiting = recorded.steps[step];
  const trace::host_call& call = recording.call_at(waiting.call);
  if (waits_because_of(recording, call) != cause::synchronization || !waiting.needs.empty() ||
      trace::effect_of(call) == trace::call_effect::queries) {
    return true;
  }
  return std::all_of(waiting.waits.begin(), waiting.waits.end(), [&](operation_number tail) {
    const trace::stream_id stream = recorded.operations[tail].request.stream;
    for (operation_number number = tail + 1; number-- > 0;) {
      const program_operation& last = recorded.operations[number];
      if (last.request.stream != stream || analysis::is_marker(last.request.kind)) continue;
      const bool is_needed_one =
          std::any_of(needed_at_once.begin(), needed_at_once.end(),
                      [&](const later_wait& need) { return need.operation == number; });
      return is_needed_one || !analysis::is_device_work(last.request.kind) || last.launch != no_operation ||
             recording.operation_at(last.recorded).end <= call.start;
    }
    return true;
  });
}

/// For each need of the host: the last wait before it that covers the operation. When none does by itself,
/// the last wait of all before it, which then must have got its order from elsewhere.
void examined_part::find_needed_waits() {
  is_needed.resize(recorded.steps.size());
  is_needed_later.resize(recorded.steps.size());
  for (std::uint32_t step = 0; step < recorded.steps.size(); ++step) {
    std::vector<std::uint32_t>& of_thread = steps_of_[recorded.steps[step].thread];
    const std::size_t before = of_thread.empty() ? 0 : issued_[of_thread.back()];
    issued_.push_back(before + recorded.steps[step].issues.size());
    of_thread.push_back(step);
  }
  orders_streams.resize(recorded.steps.size());
  struct wait {
    trace::call_id call = 0;
    std::uint32_t step = 0;
    operation_number tail = 0;
  };
  std::unordered_map<trace::stream_id, std::vector<wait>> waits;  // by the stream waited for, ascending
  std::vector<wait> all;
  for (std::uint32_t step = 0; step < recorded.steps.size(); ++step) {
    const program_step& issuing = recorded.steps[step];
    const std::optional<cause> why = waits_because_of(recording, recording.call_at(issuing.call));
    if (issuing.waits.empty() && issuing.needs.empty() && !issuing.waits_until_staged) continue;
    if (why == cause::memory_management || why == cause::pageable_memory) continue;
    for (const operation_number tail : issuing.waits)
      waits[recorded.operations[tail].request.stream].push_back({issuing.call, step, tail});
    if (issuing.waits_until_staged && !issuing.issues.empty()) {
      waits[recorded.operations[issuing.issues.back()].request.stream].push_back(
          {issuing.call, step, issuing.issues.back()});
    }
    all.push_back({issuing.call, step, 0});
    if (recording.call_at(issuing.call).error_code != 0) is_needed[step] = true;
  }
  // Asks of several threads may end in another order than they began.
  const auto sort = [](std::vector<wait>& among) {
    std::stable_sort(among.begin(), among.end(),
                     [](const wait& former, const wait& later) { return former.call < later.call; });
  };
  sort(all);
  for (auto& [stream, among] : waits) sort(among);
  const auto latest = [](const std::vector<wait>& among, trace::call_id id) {
    return std::upper_bound(among.begin(), among.end(), id,
                            [](trace::call_id call, const wait& candidate) { return call < candidate.call; });
  };
  // The last wait in those calls and before that covers the operation.
  const auto latest_for = [&](operation_number number, trace::call_id id) -> const wait* {
    const std::vector<wait>& among = waits[recorded.operations[number].request.stream];
    for (auto after = latest(among, id); after != among.begin();) {
      --after;
      if (after->tail >= number) return &*after;
      if (after->call < recording.operation_at(recorded.operations[number].recorded).issued_by) break;
    }
    return nullptr;
  };
  const trace::operation_id first = part.operations.empty() ? 1 : part.operations.front();
  std::vector<std::vector<later_wait>> needed_at_once(recorded.steps.size());  // by step that waits for it
  for (const analysis::host_need& need : needed.of_host) {
    const operation_number number = unit_of(need.operation - first);
    const wait* found = latest_for(number, need.after);
    if (found == nullptr) {
      if (latest(all, need.after) != all.begin()) is_needed[std::prev(latest(all, need.after))->step] = true;
    } else if (const std::optional<std::uint32_t> later = later_step_for(found->step, need.after)) {
      is_needed_later[found->step].push_back({*later, number, need.where});
    } else {
      needed_at_once[found->step].push_back({found->step, number, need.where});
    }
  }
  for (std::uint32_t step = 0; step < needed_at_once.size(); ++step) {
    const std::vector<later_wait>& needs = needed_at_once[step];
    if (needs.empty()) continue;
    if (waits_only_for(step, needs)) {
      is_needed[step] = true;
    } else {
      is_needed_later[step].insert(is_needed_later[step].begin(), needs.begin(), needs.end());
    }
  }
  for (operation_number number = 0; number < recorded.operations.size(); ++number) {
    if (!recording.operation_at(recorded.operations[number].recorded).prints) continue;
    const operation_number unit = unit_of(number);
    const std::vector<wait>& candidates = waits[recorded.operations[unit].request.stream];
    const auto shown = std::find_if(candidates.begin(), candidates.end(),
                                    [&](const wait& candidate) { return candidate.tail >= unit; });
    if (shown != candidates.end()) is_needed[shown->step] = true;
  }
  const device_order order(recorded);
  for (operation_number number = 0; number < inputs.size(); ++number) {
    const trace::call_id issued_by = recording.operation_at(recorded.operations[number].recorded).issued_by;
    for (const analysis::dependency& input : inputs[number]) {
      if (input.earlier > number || order.is_before(input.earlier, number)) continue;
      if (const wait* const found = latest_for(input.earlier, issued_by)) orders_streams[found->step] = true;
    }
  }
}

void examined_part::find_plain_graphs() {
  is_plain_graph.resize(recorded.operations.size(), true);
  for (const program_operation& operation : recorded.operations) {
    if (operation.launch != no_operation && !analysis::is_device_work(operation.request.kind))
      is_plain_graph[operation.launch] = false;
  }
}

bool examined_part::has_needless_edge(operation_number node) const {
  const program_operation& waits = recorded.operations[node];
  const std::vector<analysis::dependency>& needs = needed.of_operation[node];
  return is_plain_graph[waits.launch] &&
         std::any_of(waits.edges.begin(), waits.edges.end(), [&](operation_number before) {
           const trace::operation_id id = recorded.operations[before].recorded;
           return std::none_of(needs.begin(), needs.end(), [&](const analysis::dependency& dependency) {
             return dependency.earlier == id;
           });
         });
}

void examined_part::find_applying_to_host() {
  for (std::uint32_t step = 0; step < recorded.steps.size(); ++step) {
    const program_step& issuing = recorded.steps[step];
    const trace::host_call& call = recording.call_at(issuing.call);
    const std::optional<cause> why = waits_because_of(recording, call);
    if (why == cause::memory_management || issuing.holds_back_old_gpus) {
      applying.insert(cause::memory_management);
    } else if (why && *why != cause::pageable_memory && !is_needed[step] && needed.are_known) {
      applying.insert(*why);
    } else if (!why && issuing.issues.empty() && call.end > call.start && !is_external(recording, call)) {
      applying.insert(call.allocation != 0 ? cause::memory_management : cause::host_busy);
    }
    if (issuing.pause.count() > 0 && !recording.is_external(call.where)) applying.insert(cause::host_busy);
  }
}

void examined_part::find_applying_to_operations() {
  std::unordered_map<trace::stream_id, std::set<std::uint32_t>> chains_in;
  for (operation_number number = 0; number < recorded.operations.size(); ++number) {
    const trace::operation& operation = recording.operation_at(recorded.operations[number].recorded);
    if (trace::copies_pageable_memory(operation)) applying.insert(cause::pageable_memory);
    if (wrong_wait[number]) applying.insert(*wrong_wait[number]);
    for (const trace::constraint& constraint :
         operation.waited_for.value_or(std::vector<trace::constraint>())) {
      if (constraint.kind == trace::constraint_kind::no_room) applying.insert(cause::no_room);
      if (constraint.kind == trace::constraint_kind::work_queue && gpu.work_queues > 1)
        applying.insert(cause::shared_queue);
    }
    if (analysis::is_marker(operation.kind) || !needed.are_known) continue;
    if (operation.graph_launch != 0) {
      if (has_needless_edge(number)) applying.insert(cause::one_stream);
      continue;
    }
    const trace::stream_kind kind = recording.stream_at(operation.stream).kind;
    if (kind == trace::stream_kind::legacy_default) applying.insert(cause::default_stream);
    if (operation.kind == operation_kind::host_function) applying.insert(cause::host_function);
    const bool overwrites = std::any_of(inputs[number].begin(), inputs[number].end(), [&](const auto& input) {
      return !input.is_flow && chunks.chain_of(input.earlier) != chunks.chain_of(number);
    });
    if (overwrites) applying.insert(cause::shared_buffer);
    std::set<std::uint32_t>& chains = chains_in[operation.stream];
    if (chains.size() < 2) chains.insert(chunks.chain_of(number));
    if (chains.size() > 1 && kind != trace::stream_kind::legacy_default) applying.insert(cause::one_stream);
  }
}

void examined_part::find_applying_to_chunks() {
  constexpr std::size_t several = 4;
  std::size_t cuttable = 0;
  std::size_t to_join = 0;
  bool has_long_chain = false;
  std::vector<double> fixed_ns(recorded.operations.size());
  for (const program_step& step : recorded.steps) {
    for (const operation_number number : step.issues) {
      const bool is_kernel = recorded.operations[number].request.kind == operation_kind::kernel;
      fixed_ns[number] = static_cast<double>((step.cost + step.return_at_once).count()) +
                         (is_kernel ? gpu.kernel_gap : gpu.copy_gap);
    }
  }
  // What each operation costs beside its work is a tenth of the work or more.
  const auto is_short = [&](const std::vector<operation_number>& chain) {
    double fixed = 0, work = 0;
    for (const operation_number number : chain) {
      fixed += fixed_ns[number];
      work +=
          static_cast<double>(length(recording.operation_at(recorded.operations[number].recorded)).count());
    }
    return fixed * 10 >= work;
  };
  for (std::size_t number = 0; number < chunks.chains().size(); ++number) {
    const std::vector<operation_number>& chain = chunks.chains()[number];
    if (!chunks.is_cuttable(chain)) continue;
    ++cuttable;
    if (chunks.is_chunk(number) && is_short(chain)) ++to_join;
    if (chain.size() >= 2 && !chunks.is_in_pieces(chain)) has_long_chain = true;
  }
  if (to_join >= 2 * several) applying.insert(cause::small_chunks);
  if (has_long_chain && cuttable < several) applying.insert(cause::one_piece);
  if (gpu.work_queues == 1 && recorded.operations.size() > 2) applying.insert(cause::issue_order);
}

}  // namespace explain

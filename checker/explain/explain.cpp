#include "explain/explain.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "analysis/overlap.h"
#include "explain/detail/cases.h"
#include "explain/detail/shares.h"

namespace explain {
namespace {

using trace::nanoseconds;
using trace::operation_id;
using trace::operation_kind;

/// Beyond this the replay does not know the GPU well enough.
constexpr double trusted_error = 0.05;

class explainer {
 public:
  explainer(const analysis::part& part, const device::profile* gpu)
      : part_(part),
        recording_(*part.recording),
        gpu_(gpu),
        reasons_(part),
        needed_(analysis::dependencies_of(part)) {}

  explanation explain() {
    result_.operations = result_.explained_operations = part_.operations.size();
    result_.begin = analysis::begin_of_work(part_);
    result_.took = analysis::duration_of_work(part_);
    result_.attainable = result_.took;
    if (part_.operations.empty()) return std::move(result_);
    measure_engines();
    result_.critical_path = reasons_.critical_path();
    result_.idle_gaps = reasons_.idle_gaps();
    std::optional<examined_part> examined;
    if (gpu_ != nullptr) examined.emplace(part_, needed_, *gpu_);
    const cases cases(part_, part_.operations, needed_, reasons_, gpu_, examined ? &*examined : nullptr);
    result_.has_inferred_reasons = cases.are_inferred();
    if (examined && can_be_replayed(*examined)) {
      replay_causes(*examined);
    } else {
      find_host_waits(nullptr);
      result_.causes = cases.by_time_held_up();
    }
    for (cause_cost& cost : result_.causes) cases.describe(cost);
    return std::move(result_);
  }

 private:
  std::vector<operation_id> operations_on(analysis::engine engine) const {
    std::vector<operation_id> result;
    for (const operation_id id : part_.operations) {
      if (analysis::engine_of(recording_, recording_.operation_at(id)) == engine) result.push_back(id);
    }
    return result;
  }

  void measure_engines() {
    std::array<std::vector<operation_id>, analysis::engine_count> operations_of;
    for (int number = 0; number < analysis::engine_count; ++number) {
      operations_of[number] = operations_on(static_cast<analysis::engine>(number));
      result_.busy[number] = analysis::overlap(recording_, operations_of[number], {}).first_busy;
    }
    for (int one = 0; one < analysis::engine_count; ++one) {
      for (int two = one + 1; two < analysis::engine_count; ++two) {
        if (result_.busy[one].count() == 0 || result_.busy[two].count() == 0) continue;
        const analysis::overlap_facts facts =
            analysis::overlap(recording_, operations_of[one], operations_of[two]);
        result_.pairs.push_back({static_cast<analysis::engine>(one), static_cast<analysis::engine>(two),
                                 facts.both_busy, facts.fraction(), 0});
      }
    }
  }

  // What the causes cost.

  bool can_be_replayed(const examined_part& examined) {
    const nanoseconds again = replay(examined.recorded, *gpu_).duration;
    const double took = static_cast<double>(std::max<std::int64_t>(1, result_.took.count()));
    result_.replay_error = std::abs(static_cast<double>((again - result_.took).count())) / took;
    result_.is_replayed = result_.replay_error <= trusted_error;
    return result_.is_replayed;
  }

  void replay_causes(const examined_part& examined) {
    find_host_waits(&examined);
    shared_costs costs = share_costs(examined, result_.took);
    attainable_overlap(costs.times, costs.fastest);
    result_.attainable = costs.best;
    result_.floor = std::min(costs.best, lower_bound_of(costs.fastest.program));
    result_.causes = std::move(costs.causes);
    result_.unexplained = result_.took - result_.floor;
    for (const cause_cost& cost : result_.causes) result_.unexplained -= cost.cost;
    constexpr std::size_t max_lines = 8;
    for (std::size_t i = 0; i < std::min(max_lines, result_.host_waits.size()); ++i)
      find_saving(examined, result_.host_waits[i]);
  }

  void attainable_overlap(const replay_times& times, const variant& fastest) {
    trace::recording cured;
    std::array<std::vector<operation_id>, analysis::engine_count> operations_of;
    for (operation_number number = 0; number < fastest.program.operations.size(); ++number) {
      const program_operation& operation = fastest.program.operations[number];
      cured.operations.push_back({.id = number + 1, .start = times.start[number], .end = times.end[number]});
      const std::optional<analysis::engine> where =
          analysis::engine_of(recording_, recording_.operation_at(operation.recorded));
      if (where && !operation.is_dropped) operations_of[static_cast<int>(*where)].push_back(number + 1);
    }
    for (engine_pair& pair : result_.pairs)
      pair.attainable_fraction = analysis::overlap(cured, operations_of[static_cast<int>(pair.first)],
                                                   operations_of[static_cast<int>(pair.second)])
                                     .fraction();
  }

  /// The busiest engine of the cured program, with nothing beside it, or its longest chain of results.
  nanoseconds lower_bound_of(const program& cured) const {
    std::map<std::uint32_t, std::array<double, analysis::engine_count>> work_of;  // by device
    for (const program_operation& operation : cured.operations) {
      if (operation.is_dropped) continue;
      const trace::operation& recorded = recording_.operation_at(operation.recorded);
      const std::optional<analysis::engine> where = analysis::engine_of(recording_, recorded);
      std::array<double, analysis::engine_count>& work = work_of[recorded.device];
      if (where == analysis::engine::kernels) {
        double block_time = 0;
        for (const trace::block_time& blocks : operation.blocks)
          block_time += static_cast<double>(blocks.blocks) * static_cast<double>(blocks.duration.count());
        const int blocks =
            gpu_->threads_per_multiprocessor / occupied_threads(*gpu_, operation.request.shape);
        work[static_cast<int>(*where)] += block_time / (blocks * gpu_->multiprocessors);
      } else if (where) {
        const auto route = operation.request.kind == operation_kind::memset
                               ? device::copy_route::device_to_device
                               : operation.request.route;
        const bool is_one_engine = where == analysis::engine::copies_to_host && gpu_->copy_engines < 2;
        work[static_cast<int>(is_one_engine ? analysis::engine::copies_to_device : *where)] +=
            cured.slower_copies * (operation.request.kind == operation_kind::memset
                                       ? static_cast<double>(operation.request.bytes) / gpu_->memset_bandwidth
                                       : device::transfer_ns(*gpu_, route, operation.request.bytes,
                                                             operation.request.host_bandwidth));
      }
    }
    double longest = longest_chain(cured);
    for (const auto& [device, work] : work_of)
      longest = std::max(longest, *std::max_element(work.begin(), work.end()));
    return device::from_ns(longest);
  }

  /// The longest chain of results, each operation without company. 0 when the work was cut: its pieces have
  /// no such chain.
  double longest_chain(const program& cured) const {
    if (cured.operations.size() != part_.operations.size()) return 0;
    std::vector<double> end(cured.operations.size());
    const operation_id first = part_.operations.front();
    for (std::size_t number = 0; number < end.size(); ++number) {
      const program_operation& operation = cured.operations[number];
      if (operation.is_dropped || !analysis::is_device_work(operation.request.kind)) continue;
      for (const analysis::dependency& dependency : needed_.of_operation[number])
        end[number] = std::max(end[number], dependency.is_flow ? end[dependency.earlier - first] : 0.0);
      nanoseconds longest_block{0};
      for (const trace::block_time& block : operation.blocks)
        longest_block = std::max(longest_block, block.duration);
      end[number] += static_cast<double>(longest_block.count());
      if (operation.request.kind == operation_kind::copy)
        end[number] +=
            cured.slower_copies * device::transfer_ns(*gpu_, operation.request.route, operation.request.bytes,
                                                      operation.request.host_bandwidth);
    }
    return end.empty() ? 0 : *std::max_element(end.begin(), end.end());
  }

  void find_host_waits(const examined_part* examined) {
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::string>, host_wait> by_line;
    std::set<trace::call_id> needed, later, partly, ordering;
    if (examined != nullptr) {
      const std::vector<program_step>& steps = examined->recorded.steps;
      for (std::uint32_t step = 0; step < steps.size(); ++step) {
        if (examined->is_needed[step])
          needed.insert(steps[step].call);
        else if (const auto& later_waits = examined->is_needed_later[step]; !later_waits.empty())
          (later_waits.front().step == step ? partly : later).insert(steps[step].call);
        else if (examined->orders_streams[step])
          ordering.insert(steps[step].call);
      }
    }
    for (const trace::call_id id : part_.calls) {
      const trace::host_call& call = recording_.call_at(id);
      const bool is_beside_work = call.start >= result_.begin && call.start < result_.begin + result_.took;
      // An ask that is asked again is a part of the wait that ends with yes.
      const bool is_asked_again =
          trace::effect_of(call) == trace::call_effect::queries && trace::host_waits_in(recording_, call);
      if (!is_beside_work || (!is_asked_again && !waits_because_of(recording_, call))) continue;
      host_wait& wait = by_line[{call.where.file, call.where.line, std::string(name_of(call))}];
      if (is_asked_again) {
        wait.waited += length(call);
        continue;
      }
      if (wait.times == 0 || length(call) > length(recording_.call_at(wait.call))) wait.call = id;
      ++wait.times;
      wait.waited += length(call);
      wait.needed += needed.count(id);
      wait.later += later.count(id);
      wait.partly += partly.count(id);
      wait.orders += ordering.count(id);
    }
    for (const auto& [line, wait] : by_line) {
      if (wait.times > 0) result_.host_waits.push_back(wait);
    }
    std::stable_sort(result_.host_waits.begin(), result_.host_waits.end(),
                     [](const host_wait& one, const host_wait& two) { return one.waited > two.waited; });
  }

  /// What the part would gain without the waits of that line that nothing on the host needs.
  void find_saving(const examined_part& examined, host_wait& wait) {
    const trace::host_call& call = recording_.call_at(wait.call);
    if (!needed_.are_known || wait.needed == wait.times ||
        waits_because_of(recording_, call) == cause::pageable_memory) {
      return;
    }
    const variant changed = without_waits_at(examined, recording_.call_at(wait.call));
    wait.saves = std::max(nanoseconds(0), result_.took - replay(changed.program, *changed.gpu).duration);
  }

  const analysis::part& part_;
  const trace::recording& recording_;
  const device::profile* gpu_;
  analysis::reasons reasons_;
  analysis::dependencies needed_;
  explanation result_;
};

/// As many of the first operations as are explained, and the calls up to the last of them.
analysis::part explained(analysis::part part) {
  if (part.operations.size() <= max_explained_operations) return part;
  part.operations.resize(max_explained_operations);
  const trace::call_id last = part.recording->operation_at(part.operations.back()).issued_by;
  std::erase_if(part.calls, [&](trace::call_id id) { return id > last; });
  return part;
}

/// Those of the operations that are in the part, and what they follow in their stream or graph or by an event, back to one
/// that waited for something else. Ascending.
std::vector<operation_id> with_what_they_follow(const std::vector<operation_id>& operations,
                                                const analysis::part& part,
                                                const analysis::reasons& reasons) {
  const auto is_in_part = [&](operation_id id) {
    return std::binary_search(part.operations.begin(), part.operations.end(), id);
  };
  std::set<operation_id> result;
  for (operation_id id : operations) {
    while (is_in_part(id) && result.insert(id).second) {
      const std::optional<analysis::reason> why = reasons.reason_of(id);
      const bool follows = why && (why->constraint.kind == trace::constraint_kind::stream_order ||
                                   why->constraint.kind == trace::constraint_kind::graph_edge ||
                                   why->constraint.kind == trace::constraint_kind::event);
      if (!follows) break;
      id = why->constraint.operation;
    }
  }
  return {result.begin(), result.end()};
}

}  // namespace

explanation explanation_of(const analysis::part& part, const device::profile* gpu) {
  const analysis::part first = explained(part);
  explanation result = explainer(first, gpu).explain();
  result.operations = part.operations.size();
  return result;
}

std::vector<cause_cost> causes_that_delayed(const std::vector<operation_id>& operations,
                                            const analysis::part& part, const device::profile* gpu,
                                            const explanation& why) {
  const analysis::part first = explained(part);
  if (first.operations.empty()) return {};
  const analysis::reasons reasons(first);
  const analysis::dependencies needed = analysis::dependencies_of(first);
  std::optional<examined_part> examined;
  if (gpu != nullptr) examined.emplace(first, needed, *gpu);
  const std::vector<operation_id> delayed = with_what_they_follow(operations, first, reasons);
  const cases cases(first, delayed, needed, reasons, gpu, examined ? &*examined : nullptr);
  std::vector<cause_cost> result;
  for (const cause_cost& cost : why.causes) {
    if (!cases.has(cost.cause)) continue;
    cases.describe(result.emplace_back(cost));
  }
  return result;
}

}  // namespace explain

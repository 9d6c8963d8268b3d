#include "explain/detail/division.h"

#include <algorithm>
#include <iterator>

#include "explain/detail/cutting.h"
#include "explain/detail/joining.h"

namespace explain {
namespace {

/// The largest number of pieces that a cure cuts work into, and of chunks that it joins.
constexpr std::uint32_t most_pieces = 16;
constexpr std::size_t most_joined = 1024;

/// Hand-overs by other threads name steps by number.
bool has_numbered_steps(const program& what) {
  return std::any_of(what.steps.begin(), what.steps.end(), [](const program_step& each) {
    return std::any_of(each.hand_overs.begin(), each.hand_overs.end(),
                       [](const hand_over& one) { return one.function == no_operation; });
  });
}

}  // namespace

division::division(const program& whole, const trace::recording& seen, const chunks& of,
                   const std::vector<std::vector<analysis::dependency>>& inputs, const causes& cured)
    : whole_(whole), seen_(seen), chunks_(of), inputs_(inputs), cured_(cured) {}

std::vector<divided_program> division::programs() const {
  std::vector<divided_program> result = {{whole_, {}}};
  if (has(cause::small_chunks)) add_joined(result);
  if (has(cause::one_piece)) add_cut(result);
  if (has(cause::issue_order)) {
    std::vector<divided_program> reordered;
    for (const divided_program& each : result) add_reordered(each, reordered);
    std::move(reordered.begin(), reordered.end(), std::back_inserter(result));
  }
  return result;
}

void division::add_joined(std::vector<divided_program>& to) const {
  const std::vector<alike_chunks> groups = alike_chunks_of(whole_, seen_, chunks_);
  for (std::size_t size = 2; size <= most_joined && size * 2 <= chunks_.chains().size(); size *= 2)
    to.push_back({join_chunks(whole_, chunks_, groups, size), {.joined = size}});
}

void division::add_cut(std::vector<divided_program>& to) const {
  if (has_numbered_steps(whole_)) return;
  for (std::uint32_t pieces = 2; pieces <= most_pieces; pieces *= 2) {
    to.push_back({cut_chunks(whole_, chunks_, pieces, has(cause::synchronous_copy)), {.pieces = pieces}});
  }
}

/// All steps of a chunk before the next chunk, and all chunks' first steps before their second.
void division::add_reordered(const divided_program& from, std::vector<divided_program>& to) const {
  // Pieces that a cut added have no chunk of their own: such a program is taken as it was cut.
  if (from.what.operations.size() != whole_.operations.size()) return;
  for (const issue_order order : {issue_order::chunk_by_chunk, issue_order::step_by_step}) {
    keys by;
    for (operation_number number = 0; number < whole_.operations.size(); ++number) {
      if (order == issue_order::chunk_by_chunk) {
        by.emplace_back(chunks_.chain_of(number), 0);
      } else {
        by.emplace_back(chunks_.level_of(number), chunks_.chain_of(number));
      }
    }
    divided_program ordered = {sorted(from.what, by), from.how};
    if (!keeps_needed_order(ordered.what)) continue;
    ordered.how.order = order;
    to.push_back(std::move(ordered));
  }
}

/// Sorts what each thread issues between two of its waits.
program division::sorted(const program& what, const keys& by) const {
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
      return by[what.steps[one].issues.front()] < by[what.steps[two].issues.front()];
    });
    for (std::size_t i = 0; i < places.size(); ++i) result.steps[places[i]] = what.steps[order[i]];
    begin = std::max(end, begin + 1);
  }
  return result;
}

bool division::keeps_needed_order(const program& what) const {
  std::vector<bool> is_issued(what.operations.size());
  const auto is_too_late = [&](operation_number earlier) {
    return !is_issued[earlier] && !what.operations[earlier].is_dropped;
  };
  for (const program_step& step : what.steps) {
    for (const operation_number each : step.issues) {
      const program_operation& operation = what.operations[each];
      const bool is_broken = (operation.captured != no_operation && is_too_late(operation.captured)) ||
                             std::any_of(operation.edges.begin(), operation.edges.end(), is_too_late) ||
                             std::any_of(inputs_[each].begin(), inputs_[each].end(), [&](const auto& input) {
                               return needs_order(input, cured_) && is_too_late(input.on);
                             });
      if (is_broken && !operation.is_dropped) return false;
      is_issued[each] = true;
    }
  }
  return true;
}

}  // namespace explain

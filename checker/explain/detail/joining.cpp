#include "explain/detail/joining.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

namespace explain {
namespace {

/// Names each operation once, ascending.
void sort_out(std::vector<operation_number>& numbers) {
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
}

void append(std::vector<trace::block_time>& to, const std::vector<trace::block_time>& more) {
  for (const trace::block_time& each : more) {
    if (!to.empty() && to.back().duration == each.duration) {
      to.back().blocks += each.blocks;
    } else {
      to.push_back(each);
    }
  }
}

/// Does the work of join_chunks.
class joining {
 public:
  joining(const program& whole, const chunks& of, std::size_t size)
      : whole_(whole), chunks_(of), size_(size), result_(whole), lead_(whole.operations.size()) {
    for (operation_number number = 0; number < lead_.size(); ++number) lead_[number] = number;
  }

  program result(const std::vector<alike_chunks>& groups) {
    for (const alike_chunks& group : groups) {
      for (std::size_t first = 0; first < group.size(); first += size_) join(group, first);
    }
    wait_for_leaders();
    for (program_step& step : result_.steps) take_out_of(step);
    return std::move(result_);
  }

 private:
  void join(const alike_chunks& group, std::size_t first) {
    const std::vector<operation_number>& leaders = chunks_.chains()[group[first]];
    // The chunks that are left take the streams of the first ones in turn.
    const std::vector<operation_number>& heirs_of = chunks_.chains()[group[first / size_]];
    for (std::size_t level = 0; level < leaders.size(); ++level) {
      result_.operations[leaders[level]].what.stream = whole_.operations[heirs_of[level]].what.stream;
      for (std::size_t other = first + 1; other < std::min(first + size_, group.size()); ++other)
        absorb(chunks_.chains()[group[other]][level], leaders[level]);
    }
  }

  void absorb(operation_number number, operation_number leader) {
    program_operation& joined = result_.operations[leader];
    program_operation& absorbed = result_.operations[number];
    joined.what.bytes += absorbed.what.bytes;
    joined.what.staged_bytes += absorbed.what.staged_bytes;
    joined.what.shape.blocks += absorbed.what.shape.blocks;
    append(joined.blocks, absorbed.blocks);
    joined.after.insert(joined.after.end(), absorbed.after.begin(), absorbed.after.end());
    absorbed.is_dropped = true;
    lead_[number] = leader;
  }

  void replace_by_leaders(std::vector<operation_number>& numbers) const {
    for (operation_number& each : numbers) each = lead_[each];
    sort_out(numbers);
  }

  void wait_for_leaders() {
    for (operation_number number = 0; number < lead_.size(); ++number) {
      program_operation& operation = result_.operations[number];
      replace_by_leaders(operation.after);
      std::erase_if(operation.after, [&](operation_number each) {
        return each >= number || result_.operations[each].what.stream == operation.what.stream;
      });
      if (operation.captured != no_operation) operation.captured = lead_[operation.captured];
    }
  }

  void take_out_of(program_step& step) const {
    replace_by_leaders(step.waits);
    replace_by_leaders(step.needs);
    const bool is_gone =
        !step.issues.empty() && std::all_of(step.issues.begin(), step.issues.end(),
                                            [&](operation_number each) { return lead_[each] != each; });
    if (!is_gone) return;
    step.issues.clear();
    step.needs.clear();
    step.waits.clear();
    step.waits_until_staged = false;
    step.cost = step.staging = step.return_at_once = trace::nanoseconds(0);
  }

  const program& whole_;
  const chunks& chunks_;
  const std::size_t size_;
  program result_;
  std::vector<operation_number> lead_;  // by number: what stands for it
};

}  // namespace

std::vector<alike_chunks> alike_chunks_of(const program& what, const trace::recording& seen,
                                          const chunks& among) {
  std::map<std::vector<std::tuple<int, std::string, int>>, alike_chunks> by_work;
  for (std::size_t number = 0; number < among.chains().size(); ++number) {
    if (!among.is_chunk(number)) continue;
    std::vector<std::tuple<int, std::string, int>> work;
    for (const operation_number each : among.chains()[number]) {
      const program_operation& operation = what.operations[each];
      work.emplace_back(static_cast<int>(operation.what.kind), seen.operation_at(operation.recorded).name,
                        static_cast<int>(operation.what.route));
    }
    by_work[std::move(work)].push_back(number);
  }
  std::vector<alike_chunks> result;
  for (auto& [work, numbers] : by_work) result.push_back(std::move(numbers));
  return result;
}

program join_chunks(const program& whole, const chunks& of, const std::vector<alike_chunks>& groups,
                    std::size_t size) {
  return joining(whole, of, size).result(groups);
}

}  // namespace explain

#include "explain/detail/chunks.h"

#include <algorithm>
#include <optional>
#include <set>
#include <unordered_map>

namespace explain {

using trace::operation_kind;

chunks::chunks(const program& program, const trace::recording& recording,
               const std::vector<std::vector<analysis::dependency>>& inputs)
    : program_(program),
      recording_(recording),
      inputs_(inputs),
      chain_of_(program.operations.size()),
      level_of_(chain_of_) {
  find_chains();
  take_waits_along();
}

/// Which copies and memsets bring something that one other operation reads, and read nothing of others.
std::vector<bool> chunks::find_only_inputs() const {
  std::vector<int> readers(program_.operations.size());
  std::vector<bool> reads(program_.operations.size());
  for (operation_number number = 0; number < program_.operations.size(); ++number) {
    for (const analysis::dependency& dependency : inputs_[number]) {
      if (!dependency.is_flow) continue;
      ++readers[dependency.earlier];
      reads[number] = true;
    }
  }
  std::vector<bool> result(program_.operations.size());
  for (operation_number number = 0; number < program_.operations.size(); ++number) {
    const operation_kind kind = program_.operations[number].request.kind;
    const bool brings = kind == operation_kind::copy || kind == operation_kind::memset;
    result[number] = brings && readers[number] == 1 && !reads[number];
  }
  return result;
}

/// A second input of an operation goes with the chain in which that is.
void chunks::join_chain(operation_number input, std::uint32_t chain) {
  std::vector<operation_number>& members = chains_[chain];
  chains_[chain_of_[input]].clear();
  chain_of_[input] = chain;
  members.insert(std::lower_bound(members.begin(), members.end(), input), input);
  for (std::size_t place = 0; place < members.size(); ++place)
    level_of_[members[place]] = static_cast<std::uint32_t>(place);
}

void chunks::find_chains() {
  const std::vector<bool> is_only_input = find_only_inputs();
  std::unordered_map<trace::stream_id, operation_number> last_in;  // not a marker
  for (operation_number number = 0; number < program_.operations.size(); ++number) {
    const program_operation& operation = program_.operations[number];
    if (operation.launch != no_operation) {
      chain_of_[number] = chain_of_[operation.launch];
      level_of_[number] = level_of_[operation.launch];
      continue;
    }
    if (analysis::is_marker(operation.request.kind)) {
      const auto last = last_in.find(operation.request.stream);
      chain_of_[number] = last == last_in.end() ? 0 : chain_of_[last->second];
      level_of_[number] = last == last_in.end() ? 0 : level_of_[last->second];
      continue;
    }
    std::optional<std::uint32_t> chain;
    for (const analysis::dependency& dependency : inputs_[number]) {
      if (!dependency.is_flow || chains_[chain_of_[dependency.earlier]].back() != dependency.earlier)
        continue;
      if (!chain || chains_[chain_of_[dependency.earlier]].size() >= chains_[*chain].size())
        chain = chain_of_[dependency.earlier];
    }
    if (!chain) {
      chain = static_cast<std::uint32_t>(chains_.size());
      chains_.emplace_back();
    }
    for (const analysis::dependency& dependency : inputs_[number]) {
      if (dependency.is_flow && is_only_input[dependency.earlier] && chain_of_[dependency.earlier] != *chain)
        join_chain(dependency.earlier, *chain);
    }
    chain_of_[number] = *chain;
    level_of_[number] = static_cast<std::uint32_t>(chains_[*chain].size());
    if (operation.request.kind == operation_kind::release && !chains_[*chain].empty()) continue;
    chains_[*chain].push_back(number);
    last_in[operation.request.stream] = number;
  }
}

/// A wait goes with the operation that waits.
void chunks::take_waits_along() {
  std::unordered_map<trace::stream_id, operation_number> next_in;
  for (operation_number number = static_cast<operation_number>(program_.operations.size()); number-- > 0;) {
    const program_operation& operation = program_.operations[number];
    if (operation.launch != no_operation) continue;
    if (operation.request.kind == operation_kind::event_wait) {
      const auto next = next_in.find(operation.request.stream);
      if (next == next_in.end()) continue;
      chain_of_[number] = chain_of_[next->second];
      level_of_[number] = level_of_[next->second];
    } else if (!analysis::is_marker(operation.request.kind)) {
      next_in[operation.request.stream] = number;
    }
  }
}

bool chunks::is_cuttable(const std::vector<operation_number>& chain) const {
  return !chain.empty() && std::all_of(chain.begin(), chain.end(), [&](operation_number number) {
    const operation_kind kind = program_.operations[number].request.kind;
    return kind == operation_kind::copy || kind == operation_kind::kernel || kind == operation_kind::memset;
  });
}

bool chunks::is_in_pieces(const std::vector<operation_number>& chain) const {
  std::set<device::copy_route> before_a_kernel, copied;
  for (const operation_number number : chain) {
    const program_operation& operation = program_.operations[number];
    if (operation.request.kind == operation_kind::kernel) before_a_kernel = copied;
    if (operation.request.kind != operation_kind::copy) continue;
    if (before_a_kernel.count(operation.request.route) != 0) return true;
    copied.insert(operation.request.route);
  }
  return false;
}

bool chunks::do_the_same(std::size_t one, std::size_t other) const {
  return std::equal(
      chains_[one].begin(), chains_[one].end(), chains_[other].begin(), chains_[other].end(),
      [&](operation_number left, operation_number right) {
        const program_operation& mine = program_.operations[left];
        const program_operation& its = program_.operations[right];
        return mine.request.kind == its.request.kind && mine.request.route == its.request.route &&
               recording_.operation_at(mine.recorded).name == recording_.operation_at(its.recorded).name;
      });
}

bool chunks::is_chunk(std::size_t chain) const {
  if (!is_cuttable(chains_[chain])) return false;
  return std::none_of(chains_[chain].begin(), chains_[chain].end(), [&](operation_number number) {
    return std::any_of(inputs_[number].begin(), inputs_[number].end(),
                       [&](const analysis::dependency& input) {
                         return input.is_flow && chain_of_[input.earlier] != chain &&
                                do_the_same(chain, chain_of_[input.earlier]);
                       });
  });
}

}  // namespace explain

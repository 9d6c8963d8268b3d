#include "explain/detail/redivision.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace explain {
namespace {

/// The largest number of pieces that a cure cuts work into, and of chunks that it joins.
constexpr std::uint32_t max_pieces = 16;
constexpr std::size_t max_joined = 1024;

/// Hand-overs by other threads name steps by number.
bool has_numbered_steps(const program& program) {
  return std::any_of(program.steps.begin(), program.steps.end(), [](const program_step& step) {
    return std::any_of(step.hand_overs.begin(), step.hand_overs.end(),
                       [](const hand_over& one) { return one.function == no_operation; });
  });
}

// More, smaller chunks.

/// The pieces of a chunk share so many streams.
constexpr std::size_t max_streams = 8;

/// The blocks [begin, end) of a kernel.
std::vector<trace::block_time> slice(const std::vector<trace::block_time>& blocks, std::uint64_t begin,
                                     std::uint64_t end) {
  std::vector<trace::block_time> result;
  std::uint64_t first = 0;
  for (const trace::block_time& block : blocks) {
    const std::uint64_t from = std::max(begin, first), to = std::min(end, first + block.blocks);
    if (from < to) result.push_back({to - from, block.duration});
    first += block.blocks;
  }
  return result;
}

/// Makes the program in which every chunk is `pieces` chunks that go through the GPU one behind the other.
/// `may_wait_at_its_end`: a wait of the host in a chunk's last call need not keep the next piece back.
class cutting {
 public:
  cutting(const program& whole, const chunks& chunks, std::uint32_t pieces, bool may_wait_at_its_end)
      : whole_(whole),
        chunks_(chunks),
        pieces_(pieces),
        may_wait_at_its_end_(may_wait_at_its_end),
        result_(whole) {
    for (const program_step& step : whole.steps) {
      if (step.issues.size() == 1) step_of_[step.issues.front()] = &step;
    }
  }

  program result() {
    for (const std::vector<operation_number>& chain : chunks_.chains()) {
      if (chain.size() >= 2 && chunks_.is_cuttable(chain) && has_steps_of_its_own(chain)) cut(chain);
    }
    wait_for_pieces();
    result_.steps.clear();
    for (const program_step& step : whole_.steps) add_steps_for(step);
    return std::move(result_);
  }

 private:
  bool has_steps_of_its_own(const std::vector<operation_number>& chain) const {
    return std::all_of(chain.begin(), chain.end(),
                       [&](operation_number number) { return step_of_.count(number) != 0; });
  }

  void cut(const std::vector<operation_number>& chain) {
    const std::vector<trace::stream_id> streams =
        streams_from(whole_.operations[chain.front()].request.stream);
    for (const operation_number number : chain) {
      std::vector<operation_number>& cut = pieces_of_[number];
      for (std::uint32_t piece = 0; piece < pieces_; ++piece) {
        program_operation part = piece_of(whole_.operations[number], piece);
        part.request.stream = streams[piece];
        if (piece == 0) {
          result_.operations[number] = std::move(part);
          cut.push_back(number);
        } else {
          cut.push_back(static_cast<operation_number>(result_.operations.size()));
          result_.operations.push_back(std::move(part));
        }
      }
    }
  }

  /// One for each piece: new ones like that one, unless it is the legacy default stream, in which all stay.
  std::vector<trace::stream_id> streams_from(trace::stream_id first) {
    const trace::stream& like = whole_.streams[first - 1];
    std::vector<trace::stream_id> streams(pieces_, first);
    if (like.kind == trace::stream_kind::legacy_default) return streams;
    for (std::uint32_t piece = 1; piece < pieces_; ++piece) {
      if (piece >= max_streams) {
        streams[piece] = streams[piece % max_streams];
        continue;
      }
      trace::stream added = like;
      added.id = streams[piece] = static_cast<trace::stream_id>(result_.streams.size() + 1);
      added.kind = trace::stream_kind::created;
      result_.streams.push_back(std::move(added));
    }
    return streams;
  }

  program_operation piece_of(const program_operation& whole, std::uint32_t piece) const {
    program_operation part = whole;
    const auto end_of = [&](std::uint64_t of, std::uint64_t pieces) { return of * pieces / pieces_; };
    const auto share = [&](std::uint64_t of) { return end_of(of, piece + 1) - end_of(of, piece); };
    part.request.bytes = share(whole.request.bytes);
    part.request.staged_bytes = share(whole.request.staged_bytes);
    if (whole.is_loop) {
      for (trace::block_time& block : part.blocks) block.duration /= pieces_;
    } else {
      const std::uint64_t blocks = whole.request.shape.blocks;
      part.request.shape.blocks = share(blocks);
      part.blocks = slice(whole.blocks, end_of(blocks, piece), end_of(blocks, piece + 1));
    }
    part.is_dropped = whole.request.kind == trace::operation_kind::kernel && part.request.shape.blocks == 0;
    return part;
  }

  /// What waited for an operation waits for all its pieces.
  void replace_by_pieces(std::vector<operation_number>& numbers) const {
    std::vector<operation_number> all;
    for (const operation_number number : numbers) {
      const auto cut = pieces_of_.find(number);
      if (cut == pieces_of_.end()) {
        all.push_back(number);
      } else {
        all.insert(all.end(), cut->second.begin(), cut->second.end());
      }
    }
    numbers = std::move(all);
  }

  /// A piece needs only the same piece of what was cut as well.
  void wait_for_pieces() {
    for (operation_number number = 0; number < whole_.operations.size(); ++number) {
      const auto cut = pieces_of_.find(number);
      if (cut == pieces_of_.end()) {
        replace_by_pieces(result_.operations[number].after);
        continue;
      }
      for (std::size_t piece = 0; piece < pieces_; ++piece) {
        for (operation_number& number : result_.operations[cut->second[piece]].after) {
          const auto other = pieces_of_.find(number);
          if (other != pieces_of_.end()) number = other->second[piece];
        }
      }
    }
  }

  /// The pieces of a chunk are issued one after another, each with all its operations, at the place of its first.
  void add_steps_for(const program_step& step) {
    program_step kept = step;
    replace_by_pieces(kept.waits);
    replace_by_pieces(kept.needs);
    if (step.issues.size() != 1 || pieces_of_.count(step.issues.front()) == 0) {
      result_.steps.push_back(std::move(kept));
      return;
    }
    const operation_number issued = step.issues.front();
    const std::vector<operation_number>& chain = chunks_.chains()[chunks_.chain_of(issued)];
    if (is_waited_for_inside(chain)) {
      issue_pieces_of_one(kept, pieces_of_.at(issued));
    } else if (issued == chain.front()) {
      issue_pieces_of_all(chain);
    }
  }

  /// Whether the host waits for one operation before it issues the next.
  bool is_waited_for_inside(const std::vector<operation_number>& chain) const {
    return std::any_of(chain.begin(), chain.end(), [&](operation_number number) {
      const program_step& issuing = *step_of_.at(number);
      const bool may_wait_later = number == chain.back() && may_wait_at_its_end_;
      return !issuing.needs.empty() || issuing.waits_until_staged ||
             (!issuing.waits.empty() && !may_wait_later);
    });
  }

  void issue_pieces_of_one(const program_step& step, const std::vector<operation_number>& own) {
    for (const operation_number piece : own) {
      program_step& copy = result_.steps.emplace_back(step);
      copy.issues = {piece};
      std::erase_if(copy.waits, [&](operation_number waited_for) {
        return waited_for != piece && std::find(own.begin(), own.end(), waited_for) != own.end();
      });
    }
  }

  void issue_pieces_of_all(const std::vector<operation_number>& chain) {
    for (std::uint32_t piece = 0; piece < pieces_; ++piece) {
      for (const operation_number number : chain) {
        program_step& issuing = result_.steps.emplace_back(*step_of_.at(number));
        issuing.issues = {pieces_of_.at(number)[piece]};
        if (number == chain.back() && piece + 1 == pieces_) {
          replace_by_pieces(issuing.waits);
        } else {
          issuing.waits.clear();
        }
      }
    }
  }

  const program& whole_;
  const chunks& chunks_;
  const std::uint32_t pieces_;
  const bool may_wait_at_its_end_;
  program result_;
  std::unordered_map<operation_number, const program_step*> step_of_;  // of what its step issues alone
  std::unordered_map<operation_number, std::vector<operation_number>> pieces_of_;
};

// Fewer, larger chunks.

/// Chunks that do the same to other bytes, by their places among the chains.
using alike_chunks = std::vector<std::size_t>;

/// Names each operation once, ascending.
void sort_out(std::vector<operation_number>& numbers) {
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
}

void append(std::vector<trace::block_time>& to, const std::vector<trace::block_time>& more) {
  for (const trace::block_time& block : more) {
    if (!to.empty() && to.back().duration == block.duration) {
      to.back().blocks += block.blocks;
    } else {
      to.push_back(block);
    }
  }
}

/// Makes the program in which every `size` chunks of a group are one: their bytes and blocks add up, and what each
/// cost the host is paid once.
class joining {
 public:
  joining(const program& whole, const chunks& chunks, std::size_t size)
      : whole_(whole), chunks_(chunks), size_(size), result_(whole), lead_(whole.operations.size()) {
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
      result_.operations[leaders[level]].request.stream = whole_.operations[heirs_of[level]].request.stream;
      for (std::size_t other = first + 1; other < std::min(first + size_, group.size()); ++other)
        absorb(chunks_.chains()[group[other]][level], leaders[level]);
    }
  }

  void absorb(operation_number number, operation_number leader) {
    program_operation& joined = result_.operations[leader];
    program_operation& absorbed = result_.operations[number];
    joined.request.bytes += absorbed.request.bytes;
    joined.request.staged_bytes += absorbed.request.staged_bytes;
    joined.request.shape.blocks += absorbed.request.shape.blocks;
    append(joined.blocks, absorbed.blocks);
    joined.after.insert(joined.after.end(), absorbed.after.begin(), absorbed.after.end());
    absorbed.is_dropped = true;
    lead_[number] = leader;
  }

  void replace_by_leaders(std::vector<operation_number>& numbers) const {
    for (operation_number& number : numbers) number = lead_[number];
    sort_out(numbers);
  }

  void wait_for_leaders() {
    for (operation_number number = 0; number < lead_.size(); ++number) {
      program_operation& operation = result_.operations[number];
      replace_by_leaders(operation.after);
      std::erase_if(operation.after, [&](operation_number waited_for) {
        return waited_for >= number ||
               result_.operations[waited_for].request.stream == operation.request.stream;
      });
      if (operation.captured != no_operation) operation.captured = lead_[operation.captured];
    }
  }

  void take_out_of(program_step& step) const {
    replace_by_leaders(step.waits);
    replace_by_leaders(step.needs);
    const bool is_gone =
        !step.issues.empty() && std::all_of(step.issues.begin(), step.issues.end(),
                                            [&](operation_number number) { return lead_[number] != number; });
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

std::vector<alike_chunks> alike_chunks_of(const program& program, const trace::recording& recording,
                                          const chunks& among) {
  std::map<std::vector<std::tuple<int, std::string, int>>, alike_chunks> by_work;
  for (std::size_t number = 0; number < among.chains().size(); ++number) {
    if (!among.is_chunk(number)) continue;
    std::vector<std::tuple<int, std::string, int>> work;
    for (const operation_number member : among.chains()[number]) {
      const program_operation& operation = program.operations[member];
      work.emplace_back(static_cast<int>(operation.request.kind),
                        recording.operation_at(operation.recorded).name,
                        static_cast<int>(operation.request.route));
    }
    by_work[std::move(work)].push_back(number);
  }
  std::vector<alike_chunks> result;
  for (auto& [work, numbers] : by_work) result.push_back(std::move(numbers));
  return result;
}

/// Divides the work of a program in each way that takes causes out of it.
class redivision {
 public:
  /// All arguments must outlive it.
  redivision(const program& whole, const trace::recording& recording, const chunks& chunks,
             const std::vector<std::vector<analysis::dependency>>& inputs, const causes& cured);

  /// See redivide().
  std::vector<redivided_program> programs() const {
    std::vector<redivided_program> result = {{whole_, {}}};
    if (has(cause::small_chunks)) add_joined(result);
    if (has(cause::one_piece)) add_cut(result);
    if (has(cause::issue_order)) {
      std::vector<redivided_program> reordered;
      for (const redivided_program& way : result) add_reordered(way, reordered);
      std::move(reordered.begin(), reordered.end(), std::back_inserter(result));
    }
    return result;
  }

 private:
  bool has(cause cause) const { return cured_.count(cause) != 0; }
  void add_joined(std::vector<redivided_program>& to) const {
    const std::vector<alike_chunks> groups = alike_chunks_of(whole_, recording_, chunks_);
    for (std::size_t size = 2; size <= max_joined && size * 2 <= chunks_.chains().size(); size *= 2)
      to.push_back({joining(whole_, chunks_, size).result(groups), {.joined = size}});
  }
  void add_cut(std::vector<redivided_program>& to) const {
    if (has_numbered_steps(whole_)) return;
    for (std::uint32_t pieces = 2; pieces <= max_pieces; pieces *= 2) {
      to.push_back(
          {cutting(whole_, chunks_, pieces, has(cause::synchronous_copy)).result(), {.pieces = pieces}});
    }
  }
  /// All steps of a chunk before the next chunk, and all chunks' first steps before their second.
  void add_reordered(const redivided_program& from, std::vector<redivided_program>& to) const {
    // Pieces that a cut added have no chunk of their own: such a program is taken as it was cut.
    if (from.program.operations.size() != whole_.operations.size()) return;
    for (const issue_order order : {issue_order::chunk_by_chunk, issue_order::step_by_step}) {
      keys by;
      for (operation_number number = 0; number < whole_.operations.size(); ++number) {
        if (order == issue_order::chunk_by_chunk) {
          by.emplace_back(chunks_.chain_of(number), 0);
        } else {
          by.emplace_back(chunks_.level_of(number), chunks_.chain_of(number));
        }
      }
      redivided_program ordered = {sorted(from.program, by), from.how};
      if (!keeps_needed_order(ordered.program)) continue;
      ordered.how.order = order;
      to.push_back(std::move(ordered));
    }
  }
  /// What comes first has the smaller key: by number of the operation.
  using keys = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
  /// Sorts what each thread issues between two of its waits.
  program sorted(const program& divided, const keys& by) const {
    program result = divided;
    const auto is_wait = [](const program_step& step) {
      return !step.waits.empty() || !step.needs.empty() || step.waits_until_staged ||
             !step.hand_overs.empty();
    };
    for (std::size_t begin = 0; begin < divided.steps.size();) {
      std::size_t end = begin;
      std::vector<std::size_t> places;
      while (end < divided.steps.size() && divided.steps[end].thread == divided.steps[begin].thread &&
             !is_wait(divided.steps[end])) {
        if (!divided.steps[end].issues.empty()) places.push_back(end);
        ++end;
      }
      std::vector<std::size_t> order = places;
      std::stable_sort(order.begin(), order.end(), [&](std::size_t one, std::size_t two) {
        return by[divided.steps[one].issues.front()] < by[divided.steps[two].issues.front()];
      });
      for (std::size_t i = 0; i < places.size(); ++i) result.steps[places[i]] = divided.steps[order[i]];
      begin = std::max(end, begin + 1);
    }
    return result;
  }
  bool keeps_needed_order(const program& program) const {
    std::vector<bool> is_issued(program.operations.size());
    const auto is_too_late = [&](operation_number earlier) {
      return !is_issued[earlier] && !program.operations[earlier].is_dropped;
    };
    for (const program_step& step : program.steps) {
      for (const operation_number number : step.issues) {
        const program_operation& operation = program.operations[number];
        const bool is_broken =
            (operation.captured != no_operation && is_too_late(operation.captured)) ||
            std::any_of(operation.edges.begin(), operation.edges.end(), is_too_late) ||
            std::any_of(inputs_[number].begin(), inputs_[number].end(), [&](const auto& input) {
              return needs_order(input, cured_) && is_too_late(input.earlier);
            });
        if (is_broken && !operation.is_dropped) return false;
        is_issued[number] = true;
      }
    }
    return true;
  }

  const program& whole_;
  const trace::recording& recording_;
  const chunks& chunks_;
  const std::vector<std::vector<analysis::dependency>>& inputs_;
  const causes& cured_;
};

redivision::redivision(const program& whole, const trace::recording& recording, const chunks& chunks,
                       const std::vector<std::vector<analysis::dependency>>& inputs, const causes& cured)
    : whole_(whole), recording_(recording), chunks_(chunks), inputs_(inputs), cured_(cured) {}

}  // namespace

std::vector<redivided_program> redivide(const program& whole, const trace::recording& recording,
                                        const chunks& chunks,
                                        const std::vector<std::vector<analysis::dependency>>& inputs,
                                        const causes& cured) {
  return redivision(whole, recording, chunks, inputs, cured).programs();
}

}  // namespace explain

#include "explain/detail/cutting.h"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

namespace explain {
namespace {

using trace::operation_kind;
using trace::stream_id;

/// The pieces of a chunk share so many streams.
constexpr std::size_t most_streams = 8;

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

/// Does the work of cut_chunks.
class cutting {
 public:
  cutting(const program& whole, const chunks& of, std::uint32_t pieces, bool may_wait_at_its_end)
      : whole_(whole),
        chunks_(of),
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
                       [&](operation_number each) { return step_of_.count(each) != 0; });
  }

  void cut(const std::vector<operation_number>& chain) {
    const std::vector<stream_id> streams = streams_from(whole_.operations[chain.front()].what.stream);
    for (const operation_number each : chain) {
      std::vector<operation_number>& cut = pieces_of_[each];
      for (std::uint32_t piece = 0; piece < pieces_; ++piece) {
        program_operation part = piece_of(whole_.operations[each], piece);
        part.what.stream = streams[piece];
        if (piece == 0) {
          result_.operations[each] = std::move(part);
          cut.push_back(each);
        } else {
          cut.push_back(static_cast<operation_number>(result_.operations.size()));
          result_.operations.push_back(std::move(part));
        }
      }
    }
  }

  /// One for each piece: new ones like that one, unless it is the legacy default stream, in which all stay.
  std::vector<stream_id> streams_from(stream_id first) {
    const trace::stream& like = whole_.streams[first - 1];
    std::vector<stream_id> streams(pieces_, first);
    if (like.kind == trace::stream_kind::legacy_default) return streams;
    for (std::uint32_t piece = 1; piece < pieces_; ++piece) {
      if (piece >= most_streams) {
        streams[piece] = streams[piece % most_streams];
        continue;
      }
      trace::stream added = like;
      added.id = streams[piece] = static_cast<stream_id>(result_.streams.size() + 1);
      added.kind = trace::stream_kind::created;
      result_.streams.push_back(std::move(added));
    }
    return streams;
  }

  program_operation piece_of(const program_operation& whole, std::uint32_t piece) const {
    program_operation part = whole;
    const auto end_of = [&](std::uint64_t of, std::uint64_t pieces) { return of * pieces / pieces_; };
    const auto share = [&](std::uint64_t of) { return end_of(of, piece + 1) - end_of(of, piece); };
    part.what.bytes = share(whole.what.bytes);
    part.what.staged_bytes = share(whole.what.staged_bytes);
    if (whole.is_loop) {
      for (trace::block_time& block : part.blocks) block.duration /= pieces_;
    } else {
      const std::uint64_t blocks = whole.what.shape.blocks;
      part.what.shape.blocks = share(blocks);
      part.blocks = slice(whole.blocks, end_of(blocks, piece), end_of(blocks, piece + 1));
    }
    part.is_dropped = whole.what.kind == operation_kind::kernel && part.what.shape.blocks == 0;
    return part;
  }

  /// What waited for an operation waits for all its pieces.
  void replace_by_pieces(std::vector<operation_number>& numbers) const {
    std::vector<operation_number> all;
    for (const operation_number each : numbers) {
      const auto cut = pieces_of_.find(each);
      if (cut == pieces_of_.end()) {
        all.push_back(each);
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
        for (operation_number& each : result_.operations[cut->second[piece]].after) {
          const auto other = pieces_of_.find(each);
          if (other != pieces_of_.end()) each = other->second[piece];
        }
      }
    }
  }

  /// The pieces of a chunk are issued one after another, each with all its operations, at the place of its
  /// first.
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
    return std::any_of(chain.begin(), chain.end(), [&](operation_number each) {
      const program_step& issuing = *step_of_.at(each);
      const bool may_wait_later = each == chain.back() && may_wait_at_its_end_;
      return !issuing.needs.empty() || issuing.waits_until_staged ||
             (!issuing.waits.empty() && !may_wait_later);
    });
  }

  void issue_pieces_of_one(const program_step& step, const std::vector<operation_number>& own) {
    for (const operation_number piece : own) {
      program_step& each = result_.steps.emplace_back(step);
      each.issues = {piece};
      std::erase_if(each.waits, [&](operation_number waited_for) {
        return waited_for != piece && std::find(own.begin(), own.end(), waited_for) != own.end();
      });
    }
  }

  void issue_pieces_of_all(const std::vector<operation_number>& chain) {
    for (std::uint32_t piece = 0; piece < pieces_; ++piece) {
      for (const operation_number each : chain) {
        program_step& issuing = result_.steps.emplace_back(*step_of_.at(each));
        issuing.issues = {pieces_of_.at(each)[piece]};
        if (each == chain.back() && piece + 1 == pieces_) {
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

}  // namespace

program cut_chunks(const program& whole, const chunks& of, std::uint32_t pieces, bool may_wait_at_its_end) {
  return cutting(whole, of, pieces, may_wait_at_its_end).result();
}

}  // namespace explain

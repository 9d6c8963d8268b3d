// chunks.h: groups the operations of a program by the chunk of the work that they process.
//
// A chain is a sequence of operations that each read what the one before wrote, with their other inputs. Not here: how
// chunks are joined, cut and issued in another order (redivision.h).
//
//     const explain::chunks found(program, recording, inputs);
//     for (const auto& chain : found.chains()) use(found.is_cuttable(chain));
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/dependencies.h"
#include "explain/detail/program.h"
#include "trace/recording.h"

namespace explain {

/// The chains of a program.
class chunks {
 public:
  /// All must outlive it. `inputs`: by number of the operation, what it needs, by number too.
  chunks(const program& program, const trace::recording& recording,
         const std::vector<std::vector<analysis::dependency>>& inputs);
  chunks(const chunks&) = delete;
  chunks& operator=(const chunks&) = delete;

  /// All of them, each ascending; an empty one has joined another.
  const std::vector<std::vector<operation_number>>& chains() const { return chains_; }
  /// Index of the operation's chain. Markers and nodes belong to the chain of the operation next to them.
  std::uint32_t chain_of(operation_number number) const { return chain_of_[number]; }
  /// Index in that chain.
  std::uint32_t level_of(operation_number number) const { return level_of_[number]; }

  /// True when all work of the chain can be done in pieces.
  bool is_cuttable(const std::vector<operation_number>& chain) const;
  /// True when the chain already copies in pieces: it copies, computes, and copies in the same direction again.
  bool is_in_pieces(const std::vector<operation_number>& chain) const;
  /// True when the chain can be joined with others that do the same. One that reads their results is a later step, not
  /// another chunk.
  bool is_chunk(std::size_t chain) const;

 private:
  void find_chains();
  void take_waits_along();
  std::vector<bool> find_only_inputs() const;
  void join_chain(operation_number input, std::uint32_t chain);
  bool do_the_same(std::size_t one, std::size_t other) const;

  const program& program_;
  const trace::recording& recording_;
  const std::vector<std::vector<analysis::dependency>>& inputs_;
  std::vector<std::vector<operation_number>> chains_;
  std::vector<std::uint32_t> chain_of_;  // by number
  std::vector<std::uint32_t> level_of_;
};

}  // namespace explain

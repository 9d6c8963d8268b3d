// chunks.h: which operations of a program belong to one chunk of the work on its way through the GPU.
//
// A chain is operations that each read what the one before wrote, and the other inputs of these. Not here:
// how chunks are joined, cut and issued in another order (redivision.h).
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
  /// The place of the operation's chain among them. Markers and nodes go with the operation next to them.
  std::uint32_t chain_of(operation_number number) const { return chain_of_[number]; }
  /// Its place in that chain.
  std::uint32_t level_of(operation_number number) const { return level_of_[number]; }

  /// Whether the chain is nothing but work that can be done in pieces.
  bool is_cuttable(const std::vector<operation_number>& chain) const;
  /// Whether data come into the chain, or leave it, in pieces already: it copies, computes, and copies the
  /// same way again.
  bool is_in_pieces(const std::vector<operation_number>& chain) const;
  /// Whether the chain can become one with others that do the same. One that reads their results cannot: it
  /// is a later step and not another chunk.
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

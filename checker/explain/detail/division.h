// division.h: the same work, divided otherwise: chunks joined, cut into pieces, issued in another order. Only
// for transformation.cpp.
//
//     const explain::division work(changed, recording, chunks, inputs, {explain::cause::small_chunks});
//     for (explain::divided_program& each : work.programs()) replay(each.what, gpu);
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "explain/detail/chunks.h"
#include "explain/detail/cures.h"

namespace explain {

/// A program, and how its work was divided.
struct divided_program {
  program what;     ///< does the same as the one before
  way_to_cure how;  ///< which choice it is
};

/// Divides the work of a program in each way that takes causes out of it.
class division {
 public:
  /// All must outlive it. The chunks, and what their operations need, are those of the program as it was
  /// recorded.
  division(const program& whole, const trace::recording& seen, const chunks& of,
           const std::vector<std::vector<analysis::dependency>>& inputs, const causes& cured);

  /// The program as it is, and then in each other way; without those of the causes that are about dividing
  /// work, there is none.
  std::vector<divided_program> programs() const;

 private:
  bool has(cause what) const { return cured_.count(what) != 0; }
  void add_joined(std::vector<divided_program>& to) const;
  void add_cut(std::vector<divided_program>& to) const;
  void add_reordered(const divided_program& from, std::vector<divided_program>& to) const;
  /// What comes first has the smaller key: by number of the operation.
  using keys = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
  program sorted(const program& what, const keys& by) const;
  bool keeps_needed_order(const program& what) const;

  const program& whole_;
  const trace::recording& seen_;
  const chunks& chunks_;
  const std::vector<std::vector<analysis::dependency>>& inputs_;
  const causes& cured_;
};

}  // namespace explain

// clock_store.h: many versions of one long row of numbers, as trees that share the parts in which they agree.
//
// A changed version costs memory in proportion to the logarithm of the row's length, and reading one number takes as
// many steps. Not here: what the numbers mean (ordering.h).
//
//     clock_store store(entries, store_limit_bytes);
//     const auto later = store.changed(earlier, 17, 3);  // as `earlier`, with 3 at place 17
//     store.seal();                                      // `later` will not change any more
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace analysis {

/// All versions of one row of numbers.
class clock_store {
 public:
  /// A version. 0: each number is 0.
  using clock = std::uint32_t;

  explicit clock_store(std::size_t entries = 0, std::size_t limit_bytes = SIZE_MAX);

  std::uint32_t value(clock version, std::uint32_t entry) const {
    for (unsigned shift = shift_of_root_;; shift -= bits) {
      version = nodes_[version][(entry >> shift) & mask];
      if (shift == 0) return version;
    }
  }

  /// Calls visit(entry, value) for each entry that is not 0.
  template <typename Visit>
  void for_each(clock version, Visit visit) const {
    for_each_below(version, shift_of_root_, 0, visit);
  }

  /// The version with `value` in place of that entry. A version that is not sealed may be changed itself: do not use
  /// it any more.
  /// @throws too_large (limits.h) when the versions would take more memory than they may.
  clock changed(clock version, std::uint32_t entry, std::uint32_t value);

  /// All versions made so far stay as they are.
  void seal() { sealed_ = nodes_.size(); }

  std::size_t bytes() const { return nodes_.size() * sizeof(node); }

 private:
  static constexpr unsigned bits = 3;
  static constexpr std::uint32_t mask = (1u << bits) - 1;
  using node = std::array<std::uint32_t, 1u << bits>;  // numbers, or children; child 0: nothing but zeros

  template <typename Visit>
  void for_each_below(clock index, unsigned shift, std::uint32_t first_entry, Visit& visit) const {
    for (std::uint32_t slot = 0; slot <= mask; ++slot) {
      const std::uint32_t content = nodes_[index][slot];
      const std::uint32_t entry = first_entry + (slot << shift);
      if (content == 0) continue;
      if (shift == 0) {
        visit(entry, content);
      } else {
        for_each_below(content, shift - bits, entry, visit);
      }
    }
  }

  clock own(clock index);

  std::vector<node> nodes_;
  std::size_t sealed_ = 1;
  std::size_t max_nodes_;
  unsigned shift_of_root_ = 0;
};

}  // namespace analysis

// poll_counter.h: detects a loop that reads without progress: the same few addresses, or many over and over.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace kernels {

/// Of one thread.
class poll_counter {
 public:
  /// How many reads make a loop: in a row of the latest few addresses, and of whatever addresses.
  constexpr poll_counter(int max_of_few, int max_of_many)
      : max_of_few_(max_of_few), max_of_many_(max_of_many) {}

  /// Counts a read; says whether it is one of a loop. A loop may look at more than one address: two flags, or one of each
  /// thread that it waits for.
  bool count(std::uintptr_t where) {
    if (std::find(latest_.begin(), latest_.end(), where) == latest_.end()) {
      of_few_ = 0;
      std::rotate(latest_.begin(), latest_.end() - 1, latest_.end());
      latest_.front() = where;
    }
    return ++of_few_ >= max_of_few_ || ++of_many_ >= max_of_many_;
  }
  /// Whether the latest reads are those of a loop that waits, though perhaps not for long.
  bool is_in_loop() const { return of_few_ >= min_of_loop; }
  /// The next read is the first in a row of few addresses.
  void progress() { of_few_ = 0; }
  /// The next read is the first of all.
  void reset() { of_few_ = of_many_ = 0; }

 private:
  static constexpr int min_of_loop =
      16;  // chosen: a program does not read a number so often to compute with it

  int max_of_few_;
  int max_of_many_;
  std::array<std::uintptr_t, 4> latest_{};
  int of_few_ = 0;
  int of_many_ = 0;
};

}  // namespace kernels

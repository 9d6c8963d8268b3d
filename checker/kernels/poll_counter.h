// poll_counter.h: detects a loop that reads without progress: the same few addresses, or many over and over.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace kernels {

/// When a kernel polls: something else can happen meanwhile, or nothing can, so that a loop which only looks as if it waited has to go on.
enum class others { can_act, are_stuck };

/// Of one thread.
class poll_counter {
 public:
  /// How many reads make a loop: in a row of the latest few addresses, and of whatever addresses.
  constexpr poll_counter(int max_of_few, int max_of_many)
      : max_of_few_(max_of_few), max_of_many_(max_of_many) {}

  /// Counts a read; says whether it is one of a loop. A loop may look at more than one address: two flags, or one of each
  /// thread that it waits for.
  bool count(std::uintptr_t where) {
    if (!is_latest(where)) {
      of_few_ = 0;
      std::rotate(latest_.begin(), latest_.end() - 1, latest_.end());
      latest_.front() = where;
    }
    return ++of_few_ >= max_of_few_ || ++of_many_ >= max_of_many_;
  }
  /// Whether it is one of the latest few addresses.
  bool is_latest(std::uintptr_t where) const {
    return std::find(latest_.begin(), latest_.end(), where) != latest_.end();
  }
  /// Whether the latest reads are those of a loop that waits, though perhaps not for long.
  bool is_in_loop() const { return of_few_ >= min_of_loop; }
  /// Whether there was a read since the last progress.
  bool has_begun() const { return of_few_ != 0; }
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

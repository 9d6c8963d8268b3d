// poll_counter.h: detects a loop that reads the same few addresses without progress.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace kernels {

/// Of one thread.
class poll_counter {
 public:
  /// Counts a read; says how many reads in a row went to the latest few addresses. A loop may look at more than one: two
  /// flags, or a flag and then sched_yield().
  int count(std::uintptr_t where) {
    if (std::find(latest_.begin(), latest_.end(), where) == latest_.end()) {
      reads_ = 0;
      std::rotate(latest_.begin(), latest_.end() - 1, latest_.end());
      latest_.front() = where;
    }
    return ++reads_;
  }
  /// The next read is the first in a row.
  void reset() { reads_ = 0; }

 private:
  std::array<std::uintptr_t, 4> latest_{};
  int reads_ = 0;
};

}  // namespace kernels

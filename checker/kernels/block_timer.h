// block_timer.h: how long the blocks of a launch take that this process runs, by the machine's clock.
//
//     block_timer timer;
//     timer.begin(clock::now());
//     for (...) {
//       timer.count_block();
//       if (timer.is_due()) timer.look(clock::now());
//     }
//     use(timer.nanoseconds_of_block());
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace kernels {

/// The first block does not count: it makes the stacks of the threads and meets cold caches.
class block_timer {
 public:
  using time_point = std::chrono::steady_clock::time_point;
  /// Blocks count from now on, and look() is due.
  void begin(time_point now) {
    begin_ = now;
    looked_at_ = due_at_ = blocks_;
  }
  void count_block() { ++blocks_; }
  /// Whether enough blocks have run since the last look.
  bool is_due() const { return blocks_ >= due_at_; }
  /// Takes the time of the blocks since begin() or the last look.
  void look(time_point now) {
    constexpr std::uint64_t max_blocks_between = 16;  // chosen: the clock may be slow, and blocks may differ
    due_at_ = blocks_ + std::clamp<std::uint64_t>(blocks_, 1, max_blocks_between);
    if (blocks_ > 1 && blocks_ > looked_at_) {
      const double taken = std::chrono::duration<double, std::nano>(now - begin_).count();
      last_ = taken / static_cast<double>(blocks_ - looked_at_);
      nanoseconds_ += taken;
    }
    begin_ = now;
    looked_at_ = blocks_;
  }
  /// Of all blocks that counted.
  double nanoseconds() const { return nanoseconds_; }
  /// The mean, or that of the last ones where they were faster; 0 before a block has counted.
  double nanoseconds_of_block() const {
    return blocks_ > 1 ? std::min(last_, nanoseconds_ / static_cast<double>(blocks_ - 1)) : 0;
  }

 private:
  time_point begin_;
  std::uint64_t blocks_ = 0;
  std::uint64_t looked_at_ = 0;  // number of blocks
  std::uint64_t due_at_ = 0;     // number of blocks
  double nanoseconds_ = 0;
  double last_ = 0;  // nanoseconds of one
};

}  // namespace kernels

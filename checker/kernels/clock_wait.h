// clock_wait.h: finds the round in which a loop that waits for the clock ends, without its other rounds.
//
// The loop is tried: its reads of the clock get the times of later and later rounds, until the last round with
// which it goes on and the first with which it ends are neighbours. The last try then leaves the thread as all rounds
// would have. A loop whose result depends on how often it went round is run as it is. Not here: what a round costs
// (work_meter.h), which loops are tried (cuda_compiler/clock_loops.h).
//
//     wait.begin(code);
//     meter: rounds = wait.rounds_before_read(is_pure);     // at each read: how many to leave out
//     while (wait.end(has_same_result) == clock_wait::next::try_again) { ... }
#pragma once

#include <array>
#include <cstdint>

#include "kernels/memory.h"

namespace kernels {

/// Of the running thread; what was learned about a loop is kept for the threads that follow.
class clock_wait {
 public:
  enum class next { go_on, try_again };

  /// The thread comes to the loop at that place in the code.
  void begin(address loop);
  /// The thread does something that loops that only wait do not: all rounds are run from here on.
  void interrupt() { is_active_ = false; }
  /// The loop reads the clock: the number of rounds to leave out before. `is_pure`: the round before did nothing else.
  std::uint64_t rounds_before_read(bool is_pure);
  /// The loop has ended. `has_same_result`: the variables of the thread are as after the try before.
  next end(bool has_same_result);

  bool is_active() const { return is_active_; }
  /// True at the first read of a try.
  bool is_at_first_read() const { return reads_ == 1; }
  bool is_first_try() const { return tries_ == 1; }

 private:
  enum class trust { unknown, earned, refused };
  /// What is known about a loop.
  struct known_loop {
    address code = 0;
    trust skipping = trust::unknown;
    std::int64_t last_round = 0;  // of the thread before
  };
  /// A loop that never ends is not followed beyond this.
  static constexpr std::int64_t max_round = std::int64_t{1} << 40;

  known_loop& find(address loop);
  std::int64_t choose_round() const;
  void begin_try();
  next give_up();

  std::array<known_loop, 4> known_{};
  std::size_t oldest_ = 0;
  known_loop* loop_ = nullptr;
  bool is_active_ = false;
  bool has_skipped_ = false;  // in this try
  bool is_checking_ = false;  // the try with other rounds than the one before, to compare the results
  int tries_ = 0;
  int reads_ = 0;              // in this try
  int reads_of_result_ = 0;    // in the try whose result is compared
  std::int64_t round_ = -1;    // of the last read
  std::int64_t goes_on_ = -1;  // the last round with which the loop is known to go on
  std::int64_t ends_ = 0;      // the first with which it is known to end; 0: none
};

}  // namespace kernels

#include "kernels/clock_wait.h"

#include <gtest/gtest.h>

namespace kernels {
namespace {

/// A loop that goes round until the time of the round is enough; counts the reads of the clock of all tries.
struct waiting_loop {
  std::int64_t ends_in = 0;
  bool counts_its_rounds = false;
  int reads = 0;
  std::int64_t last_round = 0;
  int counted_rounds = 0;

  void run(clock_wait& wait, address code = 1) {
    int result_before = -1;
    wait.begin(code);
    do {
      result_before = counted_rounds;
      counted_rounds = 0;
      last_round = -1;
      do {
        const std::uint64_t left_out = wait.is_active() ? wait.rounds_before_read(true) : 0;
        last_round += 1 + static_cast<std::int64_t>(left_out);
        if (counts_its_rounds) ++counted_rounds;
        ++reads;
      } while (last_round < ends_in);
    } while (wait.end(counted_rounds == result_before) == clock_wait::next::try_again);
  }
};

TEST(ClockWait, EndsInTheRoundInWhichAllRoundsWouldEnd) {
  for (std::int64_t round = 0; round < 300; ++round) {
    clock_wait wait;
    waiting_loop loop{round};
    loop.run(wait);
    EXPECT_EQ(loop.last_round, round);
  }
}

TEST(ClockWait, AThreadThatWaitsAsLongAsTheOneBeforeReadsTheClockThreeTimes) {
  clock_wait wait;
  waiting_loop first{51'200};
  first.run(wait);
  waiting_loop second{51'200};
  second.run(wait);
  EXPECT_EQ(second.last_round, 51'200);
  EXPECT_EQ(second.reads, 3);
  EXPECT_LT(first.reads, 300);
}

TEST(ClockWait, AThreadThatWaitsLongerOrShorterThanTheOneBeforeEndsInItsOwnRound) {
  clock_wait wait;
  waiting_loop{1000}.run(wait);
  for (const std::int64_t round : {1001, 999, 1003, 990, 5000, 3, 0, 77, 1}) {
    waiting_loop loop{round};
    loop.run(wait);
    EXPECT_EQ(loop.last_round, round);
  }
}

TEST(ClockWait, ALoopWhoseResultDependsOnItsRoundsIsRunAsItIs) {
  clock_wait wait;
  for (const std::int64_t round : {500, 700}) {
    waiting_loop loop{round, true};
    loop.run(wait);
    EXPECT_EQ(loop.counted_rounds, round + 1);
  }
}

TEST(ClockWait, ALoopThatDoesOtherWorkIsRunAsItIs) {
  clock_wait wait;
  wait.begin(1);
  EXPECT_EQ(wait.rounds_before_read(true), 0U);
  EXPECT_EQ(wait.rounds_before_read(false), 0U);
  EXPECT_FALSE(wait.is_active());
  EXPECT_EQ(wait.end(false), clock_wait::next::go_on);
}

TEST(ClockWait, EveryLoopOfAKernelIsKnownByItself) {
  clock_wait wait;
  waiting_loop{1000}.run(wait, 1);
  waiting_loop{50}.run(wait, 2);
  waiting_loop again{1000};
  again.run(wait, 1);
  EXPECT_EQ(again.reads, 3);
}

}  // namespace
}  // namespace kernels

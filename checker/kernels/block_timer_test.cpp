#include "kernels/block_timer.h"

#include <gtest/gtest.h>

#include <vector>

namespace kernels {
namespace {

using std::chrono::nanoseconds;

constexpr block_timer::time_point at(int time) { return block_timer::time_point(nanoseconds(time)); }

TEST(BlockTimer, LeavesOutTheFirstBlock) {
  block_timer timer;
  timer.begin(at(100));
  timer.count_block();
  timer.look(at(5000));
  EXPECT_EQ(timer.nanoseconds_of_block(), 0);
  timer.count_block();
  timer.look(at(5010));
  EXPECT_EQ(timer.nanoseconds_of_block(), 10);
  EXPECT_EQ(timer.nanoseconds(), 10);
}

TEST(BlockTimer, TheLastBlocksCountWhereTheyWereFaster) {
  block_timer timer;
  timer.begin(at(0));
  timer.count_block();
  timer.look(at(0));
  for (const int taken : {30, 10, 20}) {
    timer.begin(at(0));
    timer.count_block();
    timer.look(at(taken));
  }
  EXPECT_EQ(timer.nanoseconds_of_block(), 20);
  timer.begin(at(0));
  timer.count_block();
  timer.look(at(4));
  EXPECT_EQ(timer.nanoseconds_of_block(), 4);
  EXPECT_EQ(timer.nanoseconds(), 64);
}

TEST(BlockTimer, IsDueAtOnceThenEverySixteenBlocks) {
  block_timer timer;
  timer.begin(at(0));
  std::vector<int> looks;
  for (int block = 0; block <= 64; ++block) {
    if (timer.is_due()) {
      looks.push_back(block);
      timer.look(at(block));
    }
    timer.count_block();
  }
  EXPECT_EQ(looks, (std::vector<int>{0, 1, 2, 4, 8, 16, 32, 48, 64}));
  timer.begin(at(0));
  EXPECT_TRUE(timer.is_due());
}

}  // namespace
}  // namespace kernels

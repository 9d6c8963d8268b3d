#include "kernels/phase_barrier.h"

#include <gtest/gtest.h>

#include <cstring>

namespace kernels {
namespace {

TEST(PhaseBarrier, APhaseEndsWithTheLastExpectedArrival) {
  phase_barrier bits(3);
  EXPECT_FALSE(bits.arrive(1));
  EXPECT_EQ(bits.phase(), 0U);
  EXPECT_EQ(bits.pending(), 2U);
  EXPECT_TRUE(bits.arrive(2));
  EXPECT_EQ(bits.phase(), 1U);
  EXPECT_EQ(bits.pending(), 3U);
}

TEST(PhaseBarrier, WhoDropsOutIsExpectedOnceMore) {
  phase_barrier bits(2);
  bits.expect_less(1);
  EXPECT_FALSE(bits.arrive(1));
  EXPECT_TRUE(bits.arrive(1));
  EXPECT_TRUE(bits.arrive(1));
}

TEST(PhaseBarrier, OtherBytesAreNone) {
  for (const int value : {0, 0xCD, 0xFF}) {
    phase_barrier bits(1);
    std::memset(static_cast<void*>(&bits), value, sizeof bits);
    EXPECT_FALSE(bits.is_made());
  }
}

}  // namespace
}  // namespace kernels

#include "kernels/warp.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kernels {
namespace {

using ::testing::HasSubstr;

warp_arrival arrival(const char* operation, lane_mask mask, std::uint64_t value = 0) {
  return {operation, mask, value, 0, {}};
}

TEST(Warp, LanesGoOnTogetherWithWhatAllGave) {
  warp it;
  warp_arrival first = arrival("__shfl_sync", 0b101, 7);
  warp_arrival second = arrival("__shfl_sync", 0b101, 8);
  EXPECT_EQ(it.arrive(0, first), std::nullopt);
  EXPECT_EQ(it.complete(first, 0b101), 0u);
  EXPECT_EQ(it.arrive(2, second), std::nullopt);
  EXPECT_EQ(it.complete(second, 0b101), 0b101u);
  EXPECT_EQ(first.all.lanes, 0b101u);
  EXPECT_EQ(first.all.values[2], 8u);
  EXPECT_EQ(second.all.values[0], 7u);
  EXPECT_EQ(it.waiting(), 0u);
}

TEST(Warp, LanesThatHaveEndedAreNotWaitedFor) {
  warp it;
  warp_arrival only = arrival("__syncwarp", 0xffffffff);
  EXPECT_EQ(it.arrive(4, only), std::nullopt);
  EXPECT_EQ(it.complete(only, 1u << 4), 1u << 4);
}

TEST(Warp, GroupsOfLanesDoNotDisturbEachOther) {
  warp it;
  warp_arrival low = arrival("__shfl_sync", 0b0011);
  warp_arrival high = arrival("__ballot_sync", 0b1100);
  warp_arrival high_too = arrival("__ballot_sync", 0b1100);
  EXPECT_EQ(it.arrive(0, low), std::nullopt);
  EXPECT_EQ(it.arrive(2, high), std::nullopt);
  EXPECT_EQ(it.arrive(3, high_too), std::nullopt);
  EXPECT_EQ(it.complete(high_too, 0b1111), 0b1100u);
  EXPECT_EQ(it.waiting(), 0b0001u);
}

TEST(Warp, ALaneMayWaitForOnesThatMeetAmongThemselvesFirst) {
  warp it;
  warp_arrival all = arrival("__syncwarp", 0b111);
  warp_arrival pair = arrival("__shfl_sync", 0b110);
  EXPECT_EQ(it.arrive(1, pair), std::nullopt);
  EXPECT_EQ(it.arrive(0, all), std::nullopt);
}

TEST(Warp, AMaskHasToNameTheLaneItself) {
  warp it;
  warp_arrival wrong = arrival("__shfl_sync", 0x0000fffe);
  EXPECT_THAT(it.arrive(0, wrong).value_or(""),
              HasSubstr("lane 0 came to __shfl_sync with the mask 0x0000fffe, which does not name it"));
}

TEST(Warp, LanesThatWaitForEachOtherAtDifferentOperationsAreAProblem) {
  warp it;
  warp_arrival first = arrival("__shfl_sync", 0b11);
  warp_arrival second = arrival("__syncwarp", 0b11);
  EXPECT_EQ(it.arrive(0, first), std::nullopt);
  EXPECT_THAT(it.arrive(1, second).value_or(""), HasSubstr("lane 0 waits for it at __shfl_sync"));
}

TEST(Warp, LanesThatWaitForEachOtherWithDifferentMasksAreAProblem) {
  warp it;
  warp_arrival first = arrival("__syncwarp", 0b111);
  warp_arrival second = arrival("__syncwarp", 0b011);
  EXPECT_EQ(it.arrive(0, first), std::nullopt);
  EXPECT_THAT(it.arrive(1, second).value_or(""), HasSubstr("with the mask 0x00000007"));
}

TEST(Warp, LanesAreNamedInRanges) {
  EXPECT_EQ(lanes_in_words(1u << 31), "lane 31");
  EXPECT_EQ(lanes_in_words(0x800f0001), "lanes 0, 16 to 19, 31");
}

}  // namespace
}  // namespace kernels

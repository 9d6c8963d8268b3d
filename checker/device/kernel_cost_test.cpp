#include "device/kernel_cost.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "device/tiny_gpu.h"

namespace device {
namespace {

using std::chrono::nanoseconds;
using ::testing::ElementsAre;

kernel_shape blocks_of(std::uint32_t threads, std::size_t shared_memory = 0) {
  return {.blocks = 1, .threads_per_block = threads, .shared_memory_per_block = shared_memory};
}

TEST(ResidentBlocks, AreLimitedByThreads) {
  EXPECT_EQ(resident_blocks(tiny_gpu(), blocks_of(64)), 1u);
  EXPECT_EQ(resident_blocks(tiny_gpu(), blocks_of(96)), 0u);
}

TEST(ResidentBlocks, AreLimitedByTheirNumber) { EXPECT_EQ(resident_blocks(tiny_gpu(), blocks_of(1)), 2u); }

TEST(ResidentBlocks, AreLimitedBySharedMemory) {
  EXPECT_EQ(resident_blocks(tiny_gpu(), blocks_of(1, 500)), 2u);
  EXPECT_EQ(resident_blocks(tiny_gpu(), blocks_of(1, 501)), 1u);
  EXPECT_EQ(resident_blocks(tiny_gpu(), blocks_of(1, 1001)), 0u);
}

TEST(ResidentBlocks, OccupyWholeWarps) {
  profile model = tiny_gpu();
  model.blocks_per_multiprocessor = 8;
  model.threads_per_multiprocessor = 128;
  EXPECT_EQ(resident_blocks(model, blocks_of(32)), 4u);
  EXPECT_EQ(resident_blocks(model, blocks_of(33)), 2u);
}

TEST(BlockDurations, FollowTheSlowestThreadOfALoneBlock) {
  const kernel_work work{.blocks = {{.warp_cycles = 10, .latency_cycles = 300}}, .memory_bytes = 0};
  EXPECT_THAT(block_durations(tiny_gpu(), {.blocks = 1}, work), ElementsAre(nanoseconds(300)));
}

TEST(BlockDurations, TogetherAreLongerByTheTimeInWhichManagedMemoryComes) {
  const kernel_work work{
      .blocks = {{.warp_cycles = 0, .latency_cycles = 300}}, .memory_bytes = 0, .migration_ns = 100};
  EXPECT_THAT(block_durations(tiny_gpu(), {.blocks = 1}, work), ElementsAre(nanoseconds(400)));
  EXPECT_THAT(block_durations(tiny_gpu(), {.blocks = 8}, work),
              ElementsAre(nanoseconds(350)));  // in two waves
}

TEST(BlockDurations, FollowTheClock) {
  profile model = tiny_gpu();
  model.clock = 2000;
  const kernel_work work{.blocks = {{.warp_cycles = 0, .latency_cycles = 300}}, .memory_bytes = 0};
  EXPECT_THAT(block_durations(model, {.blocks = 1}, work), ElementsAre(nanoseconds(150)));
}

TEST(BlockDurations, FollowTheIssueOfAllResidentBlocksOfAMultiprocessor) {
  const kernel_work work{.blocks = {{.warp_cycles = 100, .latency_cycles = 150}}, .memory_bytes = 0};
  EXPECT_THAT(block_durations(tiny_gpu(), {.blocks = 2}, work), ElementsAre(nanoseconds(150)));
  EXPECT_THAT(block_durations(tiny_gpu(), {.blocks = 4}, work), ElementsAre(nanoseconds(200)));
  EXPECT_THAT(block_durations(tiny_gpu(), {.blocks = 400}, work), ElementsAre(nanoseconds(200)));
}

TEST(BlockDurations, FollowTheMemoryThatResidentBlocksShare) {
  const kernel_work work{.blocks = {{.warp_cycles = 1, .latency_cycles = 1}}, .memory_bytes = 8000};
  EXPECT_THAT(block_durations(tiny_gpu(), {.blocks = 2}, work), ElementsAre(nanoseconds(8000)));
  EXPECT_THAT(block_durations(tiny_gpu(), {.blocks = 8}, work), ElementsAre(nanoseconds(4000)));
}

TEST(BlockDurations, AreGivenForEachBlockWhenTheyDiffer) {
  const kernel_work work{.blocks = {{0, 10}, {0, 30}, {0, 20}}, .memory_bytes = 0};
  EXPECT_THAT(block_durations(tiny_gpu(), {.blocks = 3}, work),
              ElementsAre(nanoseconds(10), nanoseconds(30), nanoseconds(20)));
}

TEST(BlockDurations, AreGivenOnceWhenAllAreAlike) {
  const kernel_work work{.blocks = {{0, 10}, {0, 10}, {0, 10}}, .memory_bytes = 0};
  EXPECT_THAT(block_durations(tiny_gpu(), {.blocks = 3}, work), ElementsAre(nanoseconds(10)));
}

TEST(BlockDurations, AreAtLeastOneNanosecond) {
  EXPECT_THAT(block_durations(tiny_gpu(), {.blocks = 3}, {}), ElementsAre(nanoseconds(1)));
}

}  // namespace
}  // namespace device

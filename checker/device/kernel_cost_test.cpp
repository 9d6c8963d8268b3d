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
  const kernel_work work{.blocks = {{.warp_cycles = 10, .latency_cycles = 300}}};
  EXPECT_THAT(block_durations(tiny_gpu(), {.blocks = 1}, work), ElementsAre(nanoseconds(300)));
}

TEST(BlockDurations, TogetherAreLongerByTheTimeInWhichManagedMemoryComes) {
  const kernel_work work{
      .blocks = {{.warp_cycles = 0, .latency_cycles = 300}}, .memory = {}, .migration_ns = 100};
  EXPECT_THAT(block_durations(tiny_gpu(), {.blocks = 1}, work), ElementsAre(nanoseconds(400)));
  EXPECT_THAT(block_durations(tiny_gpu(), {.blocks = 8}, work),
              ElementsAre(nanoseconds(350)));  // in two waves
}

TEST(BlockDurations, FollowTheClock) {
  profile model = tiny_gpu();
  model.clock = 2000;
  const kernel_work work{.blocks = {{.warp_cycles = 0, .latency_cycles = 300}}};
  EXPECT_THAT(block_durations(model, {.blocks = 1}, work), ElementsAre(nanoseconds(150)));
}

TEST(BlockDurations, FollowTheIssueOfAllResidentBlocksOfAMultiprocessor) {
  const kernel_work work{.blocks = {{.warp_cycles = 100, .latency_cycles = 150}}};
  EXPECT_THAT(block_durations(tiny_gpu(), {.blocks = 2}, work), ElementsAre(nanoseconds(150)));
  EXPECT_THAT(block_durations(tiny_gpu(), {.blocks = 4}, work), ElementsAre(nanoseconds(200)));
  EXPECT_THAT(block_durations(tiny_gpu(), {.blocks = 400}, work), ElementsAre(nanoseconds(200)));
}

TEST(BlockDurations, FollowTheMemoryThatResidentBlocksShare) {
  const kernel_work work{.blocks = {{.warp_cycles = 1, .latency_cycles = 1}}, .memory = {.own = {.read = 6000, .written = 2000}}};
  EXPECT_THAT(block_durations(tiny_gpu(), {.blocks = 2}, work), ElementsAre(nanoseconds(8000)));
  EXPECT_THAT(block_durations(tiny_gpu(), {.blocks = 8}, work), ElementsAre(nanoseconds(4000)));
}

TEST(BlockDurations, FollowTheLinkToTheHostAndItsFirstAccess) {
  profile model = tiny_gpu();
  model.h2d_bandwidth = 2;
  model.d2h_bandwidth = 4;
  model.duplex_slowdown = 1.5;
  model.link_access_latency = 100;
  const auto lasting = [&](const traffic& host) {
    return block_durations(model, {.blocks = 1}, {.blocks = {{1, 1}}, .memory = {.host = host}});
  };
  EXPECT_THAT(lasting({.read = 8000}), ElementsAre(nanoseconds(4100)));
  EXPECT_THAT(lasting({.written = 8000}), ElementsAre(nanoseconds(2100)));
  EXPECT_THAT(lasting({.read = 8000, .written = 8000}), ElementsAre(nanoseconds(4000 + 1000 + 100)));
}

TEST(BlockDurations, FollowTheSlowestOfMemoryAndLinks) {
  profile model = tiny_gpu();
  model.h2d_bandwidth = 2;
  model.peer_bandwidth = 8;
  model.link_access_latency = 100;
  const memory_traffic own_is_slowest{.own = {.read = 8000}, .host = {.read = 80}, .peers = {.read = 80}};
  EXPECT_THAT(block_durations(model, {.blocks = 1}, {.blocks = {{1, 1}}, .memory = own_is_slowest}),
              ElementsAre(nanoseconds(8100)));
  const memory_traffic peers_are_slowest{.own = {.read = 80}, .host = {.read = 80}, .peers = {.written = 8000}};
  EXPECT_THAT(block_durations(model, {.blocks = 1}, {.blocks = {{1, 1}}, .memory = peers_are_slowest}),
              ElementsAre(nanoseconds(1100)));
}

TEST(BlockDurations, AreGivenForEachBlockWhenTheyDiffer) {
  const kernel_work work{.blocks = {{0, 10}, {0, 30}, {0, 20}}};
  EXPECT_THAT(block_durations(tiny_gpu(), {.blocks = 3}, work),
              ElementsAre(nanoseconds(10), nanoseconds(30), nanoseconds(20)));
}

TEST(BlockDurations, AreGivenOnceWhenAllAreAlike) {
  const kernel_work work{.blocks = {{0, 10}, {0, 10}, {0, 10}}};
  EXPECT_THAT(block_durations(tiny_gpu(), {.blocks = 3}, work), ElementsAre(nanoseconds(10)));
}

TEST(BlockDurations, AreAtLeastOneNanosecond) {
  EXPECT_THAT(block_durations(tiny_gpu(), {.blocks = 3}, {}), ElementsAre(nanoseconds(1)));
}

TEST(ResidentBlocks, EachTakesWhatTheSystemReservesToo) {
  profile gpu = tiny_gpu();
  gpu.reserved_shared_memory = 100;
  EXPECT_EQ(resident_blocks(gpu, blocks_of(1, 400)), 2u);
  EXPECT_EQ(resident_blocks(gpu, blocks_of(1, 401)), 1u);
}

profile h200_shared_memory() {
  profile gpu = tiny_gpu();
  gpu.threads_per_multiprocessor = 2048;
  gpu.blocks_per_multiprocessor = 32;
  gpu.shared_memory_per_multiprocessor = 228 << 10;
  gpu.reserved_shared_memory = 1 << 10;
  gpu.keeps_carveout = true;
  return gpu;
}

TEST(Carveout, LetsAsManyBlocksBeResidentAsOneMultiprocessorCanHold) {
  const profile gpu = h200_shared_memory();
  EXPECT_EQ(carveout_for(gpu, blocks_of(128)).required, 16u << 10);
  EXPECT_EQ(carveout_for(gpu, blocks_of(64, 48 << 10)).required, 196u << 10);
  EXPECT_EQ(carveout_for(gpu, blocks_of(64, 16 << 10)).required, 228u << 10);
}

TEST(Carveout, IsSetToFourKibibytesABlockUpTo32IfLessIsRequired) {
  const profile gpu = h200_shared_memory();
  EXPECT_EQ(carveout_for(gpu, blocks_of(1024)).preferred, 8u << 10);
  EXPECT_EQ(carveout_for(gpu, blocks_of(512)).preferred, 16u << 10);
  EXPECT_EQ(carveout_for(gpu, blocks_of(256)).preferred, 32u << 10);
  EXPECT_EQ(carveout_for(gpu, blocks_of(32)).preferred, 32u << 10);
}

TEST(Carveout, IsAllOfTheSharedMemoryWhereItDoesNotMatter) {
  EXPECT_EQ(carveout_for(tiny_gpu(), blocks_of(1)).required, tiny_gpu().shared_memory_per_multiprocessor);
}

TEST(DriverKernel, OfFewBytesIsOneBlock) {
  const driver_kernel kernel = driver_kernel_for(tiny_gpu(), 100, 20, 2);
  EXPECT_EQ(kernel.shape.blocks, 1u);
  EXPECT_EQ(kernel.block, nanoseconds(70));
}

TEST(DriverKernel, OfManyBytesFillsTheDeviceForAsLongAsTheyTake) {
  const driver_kernel kernel = driver_kernel_for(tiny_gpu(), 8 * 8192, 0, 1);
  EXPECT_EQ(kernel.shape.blocks, 8u);  // two waves of four
  EXPECT_EQ(kernel.block, nanoseconds(4 * 8192));
}

}  // namespace
}  // namespace device

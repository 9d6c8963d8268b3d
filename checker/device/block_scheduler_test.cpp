#include "device/block_scheduler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "device/tiny_gpu.h"

namespace device {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using batch = block_scheduler::batch;

/// A scheduler whose kernels have durations by id, with the order in which they began.
struct placing {
  block_scheduler scheduler{tiny_gpu()};
  std::map<trace::operation_id, std::vector<nanoseconds>> durations;  // none: the kernel waits
  std::vector<trace::operation_id> begun;

  void add(trace::operation_id id, kernel_shape shape, std::vector<nanoseconds> lasting, int priority = 0) {
    durations[id] = std::move(lasting);
    scheduler.add(id, shape, priority);
  }
  std::vector<batch> place(long long now) {
    return scheduler.place(nanoseconds(now),
                           [this](trace::operation_id id) -> std::optional<std::vector<nanoseconds>> {
                             begun.push_back(id);
                             if (durations.at(id).empty()) return std::nullopt;
                             return durations.at(id);
                           });
  }
};

kernel_shape blocks(std::uint64_t count, std::uint32_t threads = 32) {
  return {.blocks = count, .threads_per_block = threads};
}

TEST(BlockScheduler, BlocksThatEndTogetherAreOneBatch) {
  placing blocks_under_test;
  blocks_under_test.add(1, blocks(4), {nanoseconds(10)});
  const std::vector<batch> placed = blocks_under_test.place(5);
  ASSERT_EQ(placed.size(), 1u);
  EXPECT_EQ(placed[0].end, nanoseconds(15));
  EXPECT_EQ(blocks_under_test.scheduler.finish(placed[0].index, placed[0].end), 1u);
  EXPECT_EQ(blocks_under_test.scheduler.resident_kernels(), 0u);
}

TEST(BlockScheduler, BlocksThatEndApartAreBatchesInTheOrderOfTheirEnds) {
  placing blocks_under_test;
  blocks_under_test.add(1, blocks(3), {nanoseconds(30), nanoseconds(10), nanoseconds(30)});
  const std::vector<batch> placed = blocks_under_test.place(0);
  ASSERT_EQ(placed.size(), 2u);
  EXPECT_EQ(placed[0].end, nanoseconds(10));
  EXPECT_EQ(placed[1].end, nanoseconds(30));
  EXPECT_EQ(blocks_under_test.scheduler.finish(placed[0].index, placed[0].end), std::nullopt);
  EXPECT_EQ(blocks_under_test.scheduler.last_finished(), 1u);
  EXPECT_EQ(blocks_under_test.scheduler.finish(placed[1].index, placed[1].end), 1u);
}

TEST(BlockScheduler, BlocksThatDoNotFitWaitForAnEnd) {
  placing blocks_under_test;
  blocks_under_test.add(1, blocks(5), {nanoseconds(10)});
  const std::vector<batch> first = blocks_under_test.place(0);
  ASSERT_EQ(first.size(), 1u);
  EXPECT_THAT(blocks_under_test.place(3), IsEmpty());
  EXPECT_EQ(blocks_under_test.scheduler.finish(first[0].index, first[0].end), std::nullopt);
  const std::vector<batch> second = blocks_under_test.place(10);
  ASSERT_EQ(second.size(), 1u);
  EXPECT_EQ(second[0].end, nanoseconds(20));
  EXPECT_EQ(blocks_under_test.scheduler.finish(second[0].index, second[0].end), 1u);
}

TEST(BlockScheduler, TellsWhereBlocksWere) {
  placing blocks_under_test;
  blocks_under_test.add(1, blocks(3), {nanoseconds(10)});
  const batch placed = blocks_under_test.place(5).at(0);
  std::vector<trace::residency> were;
  blocks_under_test.scheduler.finish(placed.index, placed.end,
                                     [&](const trace::residency& some) { were.push_back(some); });
  const nanoseconds start(5), end(15);
  EXPECT_THAT(
      were, ElementsAre(trace::residency{1, 0, 1, 2, start, end}, trace::residency{1, 1, 1, 1, start, end}));
}

TEST(BlockScheduler, NeighboursWithAsManyBlocksAreToldOfTogether) {
  placing blocks_under_test;
  blocks_under_test.add(1, blocks(4), {nanoseconds(10)});
  const batch placed = blocks_under_test.place(5).at(0);
  std::vector<trace::residency> were;
  blocks_under_test.scheduler.finish(placed.index, placed.end,
                                     [&](const trace::residency& some) { were.push_back(some); });
  EXPECT_THAT(were, ElementsAre(trace::residency{1, 0, 2, 2, nanoseconds(5), nanoseconds(15)}));
}

TEST(BlockScheduler, BlocksGoWhereTheFewestThreadsAre) {
  placing blocks_under_test;
  blocks_under_test.add(1, blocks(1), {nanoseconds(10)});
  blocks_under_test.add(2, blocks(1), {nanoseconds(10)});
  blocks_under_test.add(3, blocks(1, 64), {nanoseconds(10)});
  blocks_under_test.place(0);
  // One block on each multiprocessor: the third kernel would need an empty one.
  EXPECT_THAT(blocks_under_test.begun, ElementsAre(1u, 2u));
}

TEST(BlockScheduler, SharedMemoryIsRoomToo) {
  placing blocks_under_test;
  blocks_under_test.add(1, {.blocks = 2, .threads_per_block = 1, .shared_memory_per_block = 600},
                        {nanoseconds(10)});
  blocks_under_test.add(2, {.blocks = 1, .threads_per_block = 1, .shared_memory_per_block = 600},
                        {nanoseconds(10)});
  const std::vector<batch> placed = blocks_under_test.place(0);
  EXPECT_THAT(blocks_under_test.begun, ElementsAre(1u));
  blocks_under_test.scheduler.finish(placed.at(0).index, placed.at(0).end);
  blocks_under_test.place(10);
  EXPECT_THAT(blocks_under_test.begun, ElementsAre(1u, 2u));
}

TEST(BlockScheduler, AKernelThatDoesNotFitHoldsBackThoseBehindIt) {
  placing blocks_under_test;
  blocks_under_test.add(1, blocks(3), {nanoseconds(10)});
  blocks_under_test.add(2, blocks(1, 64), {nanoseconds(10)});
  blocks_under_test.add(3, blocks(1), {nanoseconds(10)});
  blocks_under_test.place(0);
  EXPECT_THAT(blocks_under_test.begun, ElementsAre(1u));
}

TEST(BlockScheduler, MoreUrgentKernelsComeFirstAndEqualOnesInTheOrderOfDispatch) {
  placing blocks_under_test;
  blocks_under_test.add(1, blocks(1), {nanoseconds(10)}, 0);
  blocks_under_test.add(2, blocks(1), {nanoseconds(10)}, -1);
  blocks_under_test.add(3, blocks(1), {nanoseconds(10)}, -2);
  blocks_under_test.add(4, blocks(1), {nanoseconds(10)}, -1);
  blocks_under_test.place(0);
  EXPECT_THAT(blocks_under_test.begun, ElementsAre(3u, 2u, 4u, 1u));
}

TEST(BlockScheduler, BlocksLastAtLeastAsLongAsTheirDispatch) {
  profile model = tiny_gpu();
  model.block_dispatch = 20;
  block_scheduler scheduler(model);
  const auto ten = [](trace::operation_id) { return std::vector{nanoseconds(10)}; };
  scheduler.add(1, blocks(3), 0);
  EXPECT_EQ(scheduler.place(nanoseconds(0), ten).at(0).end, nanoseconds(60));
  model.block_dispatch = 2;
  block_scheduler faster(model);
  faster.add(1, blocks(3), 0);
  EXPECT_EQ(faster.place(nanoseconds(0), ten).at(0).end, nanoseconds(10));
}

TEST(BlockScheduler, AKernelThatWaitsHoldsItsRoomUntilItIsResumed) {
  placing blocks_under_test;
  blocks_under_test.add(1, blocks(4), {});
  blocks_under_test.add(2, blocks(1), {nanoseconds(10)});
  EXPECT_THAT(blocks_under_test.place(0), IsEmpty());
  EXPECT_THAT(blocks_under_test.begun, ElementsAre(1u));
  const std::vector<batch> resumed =
      blocks_under_test.scheduler.resume(nanoseconds(50), 1, {nanoseconds(10)});
  ASSERT_EQ(resumed.size(), 1u);
  EXPECT_EQ(resumed[0].end, nanoseconds(60));
  EXPECT_THAT(blocks_under_test.place(55), IsEmpty());
  EXPECT_EQ(blocks_under_test.scheduler.finish(resumed[0].index, resumed[0].end), 1u);
  blocks_under_test.place(60);
  EXPECT_THAT(blocks_under_test.begun, ElementsAre(1u, 2u));
}

TEST(BlockScheduler, AKernelThatNeedsALargerCarveoutWaitsUntilTheMultiprocessorIsEmpty) {
  profile gpu = tiny_gpu();
  gpu.multiprocessors = 1;
  gpu.shared_memory_per_multiprocessor = 228 << 10;
  gpu.keeps_carveout = true;
  block_scheduler scheduler(gpu);
  const auto begins = [](trace::operation_id) { return std::vector{nanoseconds(10)}; };
  scheduler.add(1, blocks(1), 0);
  const std::vector<batch> first = scheduler.place(nanoseconds(0), begins);
  scheduler.add(2, {.blocks = 1, .threads_per_block = 32, .shared_memory_per_block = 48 << 10}, 0);
  EXPECT_THAT(scheduler.place(nanoseconds(1), begins), IsEmpty());
  scheduler.finish(first.front().index, first.front().end);
  EXPECT_EQ(scheduler.place(nanoseconds(10), begins).size(), 1u);
}

}  // namespace
}  // namespace device

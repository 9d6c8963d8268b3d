#include "cuda_runtime/memory_pool.h"

#include <gtest/gtest.h>

namespace cuda_runtime {
namespace {

constexpr std::size_t mib = 1 << 20;

// The numbers of these three are those that an H200 gave (CUDA 13.0, driver 580).
TEST(MemoryPool, TakesMemoryFromTheDeviceInLargeSteps) {
  memory_pool pool(1, 0);
  EXPECT_TRUE(pool.take(1 * mib));
  EXPECT_FALSE(pool.take(100));
  EXPECT_EQ(pool.used(), 1 * mib + 100);
  EXPECT_EQ(pool.reserved(), 32 * mib);
  EXPECT_TRUE(pool.take(40 * mib));
  EXPECT_EQ(pool.reserved(), 64 * mib);
}

TEST(MemoryPool, GrowsAgainAfterASynchronizationEmptiedIt) {
  memory_pool pool(1, 0);
  EXPECT_TRUE(pool.take(1 * mib));
  pool.give_back(1 * mib);
  pool.synchronized();
  EXPECT_EQ(pool.reserved(), 0u);
  EXPECT_TRUE(pool.take(1 * mib));
}

TEST(MemoryPool, KeepsFreedMemoryUntilASynchronization) {
  memory_pool pool(1, 0);
  pool.take(1 * mib);
  pool.take(40 * mib);
  pool.give_back(40 * mib);
  EXPECT_EQ(pool.used(), 1 * mib);
  EXPECT_EQ(pool.reserved(), 64 * mib);
  pool.synchronized();
  EXPECT_EQ(pool.reserved(), 32 * mib);
}

TEST(MemoryPool, RemembersTheMostThatEverWas) {
  memory_pool pool(1, 0);
  pool.take(40 * mib);
  pool.give_back(40 * mib);
  pool.synchronized();
  EXPECT_EQ(pool.used_high(), 40 * mib);
  EXPECT_EQ(pool.reserved_high(), 64 * mib);
  pool.reset_used_high();
  pool.reset_reserved_high();
  EXPECT_EQ(pool.used_high(), 0u);
  EXPECT_EQ(pool.reserved_high(), 0u);
}

TEST(MemoryPool, KeepsWhatItsReleaseThresholdAllows) {
  memory_pool pool(1, 0);
  pool.release_threshold = ~std::uint64_t{0};
  pool.take(40 * mib);
  pool.give_back(40 * mib);
  pool.synchronized();
  EXPECT_EQ(pool.reserved(), 64 * mib);
  pool.trim(10 * mib);
  EXPECT_EQ(pool.reserved(), 32 * mib);
  pool.trim(0);
  EXPECT_EQ(pool.reserved(), 0u);
}

TEST(MemoryPool, SaysHowMuchMoreAnAllocationWouldNeed) {
  memory_pool pool(1, 0);
  pool.take(1 * mib);
  EXPECT_EQ(pool.growth(31 * mib), 0u);
  EXPECT_EQ(pool.growth(31 * mib + 1), 32 * mib);
}

}  // namespace
}  // namespace cuda_runtime

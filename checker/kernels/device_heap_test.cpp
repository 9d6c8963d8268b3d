#include "kernels/device_heap.h"

#include <gtest/gtest.h>

namespace kernels {
namespace {

constexpr std::size_t limit = 4 << 20;

TEST(DeviceHeap, GivesOutAlignedDeviceMemoryThatDoesNotOverlap) {
  memory all;
  device_heap heap(all, 1);
  const address first = address_of(heap.allocate(20, limit)), second = address_of(heap.allocate(0, limit));
  EXPECT_EQ(first % 16, 0u);
  EXPECT_GE(second, first + 20);
  ASSERT_NE(all.find(first), nullptr);
  EXPECT_EQ(all.find(first)->device, 1u);
  EXPECT_TRUE(all.find(first)->is_heap);
}

TEST(DeviceHeap, NeverGivesOutAnAddressTwice) {
  memory all;
  device_heap heap(all, 0);
  const void* const first = heap.allocate(100, limit);
  EXPECT_TRUE(heap.release(address_of(first)));
  EXPECT_NE(heap.allocate(100, limit), first);
}

TEST(DeviceHeap, HoldsNoMoreThanItsLimitAtOnce) {
  memory all;
  device_heap heap(all, 0);
  EXPECT_EQ(heap.allocate(limit + 1, limit), nullptr);
  EXPECT_EQ(heap.allocate(~std::size_t{0}, limit), nullptr);
  void* const largest = heap.allocate(limit - 16, limit);
  ASSERT_NE(largest, nullptr);
  EXPECT_EQ(heap.allocate(17, limit), nullptr);
  EXPECT_NE(heap.allocate(16, limit), nullptr);
  EXPECT_TRUE(heap.release(address_of(largest)));
  EXPECT_NE(heap.allocate(17, limit), nullptr);
}

TEST(DeviceHeap, FreesEachAllocationOnceAndOnlyAtItsBegin) {
  memory all;
  device_heap heap(all, 0);
  const address held = address_of(heap.allocate(64, limit));
  EXPECT_FALSE(heap.release(held + 16));
  EXPECT_TRUE(heap.release(held));
  EXPECT_FALSE(heap.release(held));
}

TEST(DeviceHeap, BlocksWithoutALiveAllocationAreFreed) {
  memory all;
  device_heap heap(all, 0);
  const address first = address_of(heap.allocate(1 << 20, limit)),
                second = address_of(heap.allocate(1 << 20, limit));
  EXPECT_TRUE(heap.release(first));
  EXPECT_EQ(all.find(first), nullptr);
  EXPECT_NE(all.find(second), nullptr);
}

}  // namespace
}  // namespace kernels

#include "kernels/memory.h"

#include <gtest/gtest.h>

#include <system_error>

namespace kernels {
namespace {

using trace::memory_kind;

const unsigned char* bytes_at(address where) { return reinterpret_cast<const unsigned char*>(where); }

TEST(Memory, BlocksOfTheArenaHaveTheirKindTheirDeviceAndAnIdOfTheirOwn) {
  memory all;
  const memory_block& device = *all.allocate(memory_kind::device, 100, 3);
  const memory_block& pinned = *all.allocate(memory_kind::pinned, 200, 0);
  EXPECT_EQ(device.id, 1u);
  EXPECT_EQ(device.kind, memory_kind::device);
  EXPECT_EQ(device.device, 3u);
  EXPECT_EQ(device.bytes, 100u);
  EXPECT_EQ(pinned.id, 2u);
  EXPECT_EQ(pinned.kind, memory_kind::pinned);
  EXPECT_FALSE(pinned.is_registered);
  EXPECT_EQ(all.blocks(), 2u);
  EXPECT_EQ(&all.block(2), &pinned);
}

TEST(Memory, BlocksOfTheArenaBeginAPageWithAnUnusedPageBehindThem) {
  memory all;
  const memory_block& first = *all.allocate(memory_kind::device, memory::page_bytes + 1, 0);
  const memory_block& second = *all.allocate(memory_kind::device, 1, 0);
  EXPECT_TRUE(memory::is_in_arena(first.begin));
  EXPECT_EQ(first.begin % memory::page_bytes, 0u);
  EXPECT_EQ(second.begin, first.begin + 3 * memory::page_bytes);
}

TEST(Memory, AFullArenaGivesNothingOut) {
  memory all;
  EXPECT_EQ(all.allocate(memory_kind::device, memory::arena_bytes, 0), nullptr);
  const memory_block* const nearly_all =
      all.allocate(memory_kind::device, memory::arena_bytes - memory::page_bytes, 0);
  ASSERT_NE(nearly_all, nullptr);
  EXPECT_EQ(nearly_all->end() + memory::page_bytes, memory::arena_begin + memory::arena_bytes);
  EXPECT_EQ(all.allocate(memory_kind::device, 1, 0), nullptr);
}

TEST(Memory, NewMemoryIsNotZero) {
  memory all;
  const memory_block& block = *all.allocate(memory_kind::device, 1000, 0);
  EXPECT_EQ(bytes_at(block.begin)[0], 0xCD);
  EXPECT_EQ(bytes_at(block.begin)[999], 0xCD);
}

TEST(Memory, AnAddressIsFoundFromTheFirstByteOfABlockToItsLast) {
  memory all;
  const memory_block& block = *all.allocate(memory_kind::device, 1000, 0);
  EXPECT_EQ(all.find(block.begin), &block);
  EXPECT_EQ(all.find(block.begin + 999), &block);
  EXPECT_EQ(all.find(block.begin + 1000), nullptr);
  EXPECT_EQ(all.find(block.begin - 1), nullptr);
  EXPECT_EQ(all.find_in_arena(block.begin + 1000), nullptr);
}

TEST(Memory, FreedMemoryIsKnownAsFreedAndItsAddressesAreNotGivenOutAgain) {
  memory all;
  const memory_block& block = *all.allocate(memory_kind::device, 1000, 0);
  all.release(block.id);
  EXPECT_EQ(all.find(block.begin), nullptr);
  ASSERT_EQ(all.find_in_arena(block.begin), &block);
  EXPECT_TRUE(block.is_freed);
  EXPECT_GT(all.allocate(memory_kind::device, 1000, 0)->begin, block.end());
}

TEST(Memory, DeviceMemoryInUseIsCountedByDevice) {
  memory all;
  EXPECT_EQ(all.device_bytes_in_use(0), 0u);
  const memory_block& first = *all.allocate(memory_kind::device, 1000, 0);
  all.allocate(memory_kind::device, 500, 0);
  all.allocate(memory_kind::device, 70, 1);
  all.allocate(memory_kind::pinned, 4000, 0);
  EXPECT_EQ(all.device_bytes_in_use(0), 1500u);
  EXPECT_EQ(all.device_bytes_in_use(1), 70u);
  all.release(first.id);
  EXPECT_EQ(all.device_bytes_in_use(0), 500u);
}

TEST(Memory, ABlockThatTheArenaCannotHoldIsRefused) {
  memory all;
  EXPECT_EQ(all.allocate(memory_kind::device, memory::arena_bytes + 1, 0), nullptr);
  EXPECT_EQ(all.allocate(memory_kind::device, ~std::size_t{0}, 0), nullptr);
  EXPECT_EQ(all.blocks(), 0u);
  EXPECT_NE(all.allocate(memory_kind::device, 1, 0), nullptr);
}

TEST(Memory, AVariableHasItsOwnBytesOnEachDevice) {
  memory all;
  const int initial = 5;
  memory_block& first = *all.allocate_variable(memory_kind::device, &initial, sizeof initial, 3);
  const memory_block& last = all.on_device(first, 2);
  EXPECT_EQ(last.device, 2u);
  int& by_name = *reinterpret_cast<int*>(first.begin);
  const int& on_last = *reinterpret_cast<const int*>(last.begin);
  EXPECT_EQ(on_last, 5);
  by_name = 1;
  all.show_variables_of(2);
  EXPECT_EQ(by_name, 5);
  by_name = 3;
  EXPECT_EQ(on_last, 3);
  all.show_variables_of(0);
  EXPECT_EQ(by_name, 1);
  EXPECT_EQ(on_last, 3);
}

TEST(Memory, ThereIsOneArena) {
  memory all;
  EXPECT_THROW(memory(), std::system_error);
}

TEST(Memory, RegisteredMemoryIsPinnedUntilItIsUnregistered) {
  memory all;
  constexpr address begin = 0x5000000;
  EXPECT_FALSE(all.may_be_host_range(begin));
  const memory_block& block = all.register_host(begin, 4096);
  EXPECT_EQ(all.find(begin + 4095), &block);
  EXPECT_EQ(all.find(begin + 4096), nullptr);
  EXPECT_EQ(block.kind, memory_kind::pinned);
  EXPECT_TRUE(block.is_registered);
  EXPECT_TRUE(all.may_be_host_range(begin));
  EXPECT_TRUE(all.is_registered(begin + 4095));
  all.unregister_host(block.id);
  EXPECT_FALSE(all.is_registered(begin));
}

TEST(Memory, RegisteredMemoryIsFreedOnce) {
  memory all;
  constexpr address begin = 0x5000000;
  const memory_block& block = all.register_host(begin, 4096);
  EXPECT_EQ(all.note_freed_while_registered(begin - 16, 16), nullptr);
  EXPECT_EQ(all.note_freed_while_registered(begin - 16, 8192), &block);
  EXPECT_EQ(all.note_freed_while_registered(begin + 64, 32), nullptr);
  all.unregister_host(block.id);
  all.register_host(begin, 4096);
  EXPECT_NE(all.note_freed_while_registered(begin, 4096), nullptr);
}

TEST(Memory, MemoryStaysKnownWithItsIdBeforeWhileAndAfterItIsRegistered) {
  memory all;
  constexpr address begin = 0x5000000;
  const trace::allocation_id used = all.use_pageable(begin, 4096).id;
  memory_block& block = all.register_host(begin, 4096);
  EXPECT_EQ(block.id, used);
  EXPECT_EQ(block.kind, memory_kind::pinned);
  all.unregister_host(used);
  ASSERT_EQ(all.find(begin), &block);
  EXPECT_EQ(block.kind, memory_kind::pageable);
  EXPECT_TRUE(block.was_registered);
}

TEST(Memory, RegisteringAPartOfKnownMemoryCutsIt) {
  memory all;
  all.use_pageable(0x5000000, 3000);
  const memory_block& part = all.register_host(0x5000000 + 1000, 1000);
  EXPECT_EQ(all.find(0x5000000 + 1500), &part);
  ASSERT_NE(all.find(0x5000000), nullptr);
  EXPECT_EQ(all.find(0x5000000)->bytes, 1000u);
  ASSERT_NE(all.find(0x5000000 + 2999), nullptr);
  EXPECT_EQ(all.find(0x5000000 + 2999)->begin, 0x5000000u + 2000);
  EXPECT_EQ(all.find(0x5000000)->kind, memory_kind::pageable);
}

TEST(Memory, PageableMemoryThatIsGivenBackIsAnothersWhenItIsUsedAgain) {
  memory all;
  constexpr address begin = 0x5000000;
  const trace::allocation_id first = all.use_pageable(begin, 3000).id;
  all.forget_pageable(begin + 1000, 1000);
  EXPECT_EQ(all.find(begin + 1000), nullptr);
  EXPECT_EQ(all.find(begin + 1999), nullptr);
  ASSERT_NE(all.find(begin + 999), nullptr);
  EXPECT_EQ(all.find(begin + 999)->bytes, 1000u);
  ASSERT_NE(all.find(begin + 2000), nullptr);
  EXPECT_EQ(all.find(begin + 2000)->bytes, 1000u);
  all.forget_pageable(begin, 3000);
  EXPECT_EQ(all.find(begin), nullptr);
  EXPECT_NE(all.use_pageable(begin, 3000).id, first);
}

TEST(Memory, RegisteredMemoryThatIsGivenBackIsStillRegistered) {
  memory all;
  constexpr address begin = 0x5000000;
  const memory_block& block = all.register_host(begin, 4096);
  all.forget_pageable(begin, 4096);
  EXPECT_EQ(all.find(begin), &block);
}

TEST(Memory, StreamOrderedMemoryIsGivenOutBeforeItIsUsableAndGivenBackBeforeItIsGone) {
  memory all;
  memory_block& block = *all.allocate(memory_kind::device, 1000, 0, 1);
  block.is_pending = true;
  EXPECT_EQ(all.find(block.begin), nullptr);
  EXPECT_EQ(all.find_given_out(block.begin), &block);
  block.is_pending = false;
  EXPECT_EQ(all.find(block.begin), &block);
  block.is_given_back = true;
  EXPECT_EQ(all.find(block.begin), &block);
  EXPECT_EQ(all.find_given_out(block.begin), nullptr);
  EXPECT_EQ(all.device_bytes_in_use(0), 0u);
}

TEST(Memory, APageableRangeThatIsUsedAgainIsTheSameBlock) {
  memory all;
  const memory_block& block = all.use_pageable(0x5000000, 1000);
  EXPECT_EQ(block.kind, memory_kind::pageable);
  EXPECT_EQ(&all.use_pageable(0x5000000, 1000), &block);
  EXPECT_EQ(&all.use_pageable(0x5000064, 10), &block);
  EXPECT_EQ(all.blocks(), 1u);
}

TEST(Memory, PageableRangesThatOverlapBecomeOneBlock) {
  memory all;
  const memory_block& low = all.use_pageable(0x5000000, 1000);
  const memory_block& high = all.use_pageable(0x5000000 + 2000, 1000);
  const memory_block& joint = all.use_pageable(0x5000000 + 500, 2000);
  EXPECT_EQ(joint.begin, 0x5000000u);
  EXPECT_EQ(joint.bytes, 3000u);
  EXPECT_TRUE(low.is_freed);
  EXPECT_TRUE(high.is_freed);
  EXPECT_EQ(all.find(0x5000000 + 2999), &joint);
}

TEST(Memory, PageableRangesApartStayApart) {
  memory all;
  const memory_block& low = all.use_pageable(0x5000000, 1000);
  const memory_block& high = all.use_pageable(0x6000000, 1000);
  EXPECT_NE(low.id, high.id);
  EXPECT_EQ(all.find(0x5000000), &low);
  EXPECT_EQ(all.find(0x6000000), &high);
  EXPECT_EQ(all.find(0x5800000), nullptr);
  EXPECT_TRUE(all.may_be_host_range(0x5800000));
}

}  // namespace
}  // namespace kernels

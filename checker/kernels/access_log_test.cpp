#include "kernels/access_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

namespace kernels {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using trace::access;
using trace::access_mode;
using trace::byte_set;
using trace::memory_kind;

/// One block of three pages and a bit, all 1.
struct noted {
  memory all;
  const memory_block& block = *all.allocate(memory_kind::device, 3 * memory::page_bytes + 100, 0);
  kernel_log kernel{all};
  call_paths paths;
  host_log host{all, paths};

  noted() { std::memset(reinterpret_cast<void*>(block.begin), 1, block.bytes); }
  unsigned char& byte(std::size_t offset) const {
    return reinterpret_cast<unsigned char*>(block.begin)[offset];
  }
  /// What a kernel's write does: it is noted, then it happens.
  void write(std::size_t offset, unsigned char value, access_mode mode = access_mode::write) {
    ASSERT_TRUE(kernel.note(block.begin + offset, 1, mode));
    byte(offset) = value;
  }
  std::vector<trace::host_access> flushed() {
    std::vector<trace::host_access> out;
    host.flush(1, 7, out);
    return out;
  }
};

TEST(KernelLog, ReportsTheBytesOfEachMode) {
  noted it;
  EXPECT_TRUE(it.kernel.note(it.block.begin + 8, 4, access_mode::read));
  EXPECT_TRUE(it.kernel.note(it.block.begin + 12, 4, access_mode::read));
  EXPECT_TRUE(it.kernel.note(it.block.begin + 60, 8, access_mode::write));
  EXPECT_TRUE(it.kernel.note(it.block.begin, 4, access_mode::atomic));
  EXPECT_THAT(it.kernel.harvest(),
              ElementsAre(access{it.block.id, access_mode::read, byte_set::range(8, 8)},
                          access{it.block.id, access_mode::write, byte_set::range(60, 8)},
                          access{it.block.id, access_mode::atomic, byte_set::range(0, 4)}));
}

TEST(KernelLog, TheShortWayEndsWithTheBlock) {
  noted it;
  const memory_block& word = *it.all.allocate(memory_kind::device, 4, 0);
  for (const address last : {word.begin, it.block.end() - 4}) {
    EXPECT_FALSE(it.kernel.note_aligned<4>(last, access_mode::read)) << "not before note()";
    EXPECT_TRUE(it.kernel.note(last, 4, access_mode::read));
    EXPECT_TRUE(it.kernel.note_aligned<4>(last, access_mode::read));
    EXPECT_TRUE(it.kernel.note_aligned<1>(last + 3, access_mode::read));
    EXPECT_FALSE(it.kernel.note_aligned<8>(last, access_mode::read));
    EXPECT_FALSE(it.kernel.note_aligned<4>(last + 4, access_mode::read));
  }
  EXPECT_FALSE(it.kernel.note_aligned<4>(word.begin - 4, access_mode::read));
}

TEST(KernelLog, ReadsOfAFlagOfTheHostAreNotNamed) {
  noted it;
  const memory_block& pinned = *it.all.allocate(memory_kind::pinned, 4096, 0);
  for (const address flag : {pinned.begin + 8, it.block.begin + 8}) {
    EXPECT_TRUE(it.kernel.note(flag, 8, access_mode::read));
    it.kernel.forget_reads_of_flag(flag, 4);
    EXPECT_TRUE(it.kernel.note(flag, 4, access_mode::read));
  }
  EXPECT_THAT(it.kernel.harvest(),
              testing::UnorderedElementsAre(access{it.block.id, access_mode::read, byte_set::range(8, 8)},
                                            access{pinned.id, access_mode::read, byte_set::range(12, 4)}));
}

TEST(KernelLog, ConstantVariablesAreOnlyRead) {
  noted it;
  it.all.block(it.block.id).is_constant = true;
  EXPECT_TRUE(it.kernel.note(it.block.begin, 4, access_mode::read));
  EXPECT_FALSE(it.kernel.note(it.block.begin, 4, access_mode::write));
  EXPECT_FALSE(it.kernel.note(it.block.begin, 4, access_mode::atomic));
  EXPECT_FALSE(it.kernel.note_aligned<4>(it.block.begin, access_mode::write));
}

TEST(KernelLog, KnowsRegisteredMemoryThatSharesAPage) {
  memory all;
  kernel_log kernel{all};
  std::vector<unsigned char> bytes(1000);
  const address begin = address_of(bytes.data());
  const memory_block& first = all.register_host(begin, 400);
  const memory_block& second = all.register_host(begin + 400, 400);
  EXPECT_TRUE(kernel.is_concerned(begin + 799));
  EXPECT_FALSE(kernel.is_concerned(begin + 800));
  EXPECT_TRUE(kernel.note(begin + 8, 4, access_mode::read));
  EXPECT_TRUE(kernel.note(begin + 400, 4, access_mode::write));
  EXPECT_TRUE(kernel.note(begin + 16, 4, access_mode::read));
  EXPECT_FALSE(kernel.note(begin + 798, 4, access_mode::read));
  EXPECT_FALSE(kernel.note(begin + 398, 4, access_mode::read));
  const std::vector<access> accesses = kernel.harvest();
  ASSERT_EQ(accesses.size(), 2u);
  EXPECT_EQ(accesses[0], (access{first.id, access_mode::read, byte_set::from_runs({{8, 4, 8, 2}})}));
  EXPECT_EQ(accesses[1], (access{second.id, access_mode::write, byte_set::range(0, 4)}));
}

TEST(KernelLog, JoinsTheBytesOfAllPagesOfABlock) {
  noted it;
  EXPECT_TRUE(it.kernel.note_range(it.block.begin + 10, it.block.bytes - 10, access_mode::read));
  EXPECT_THAT(it.kernel.harvest(),
              ElementsAre(access{it.block.id, access_mode::read, byte_set::range(10, it.block.bytes - 10)}));
}

TEST(KernelLog, JoinsPagesThatAreApart) {
  noted it;
  EXPECT_TRUE(it.kernel.note(it.block.begin, 4, access_mode::read));
  EXPECT_TRUE(it.kernel.note(it.block.begin + 2 * memory::page_bytes, 4, access_mode::read));
  byte_set expected = byte_set::range(0, 4);
  expected.merge(byte_set::range(2 * memory::page_bytes, 4));
  EXPECT_THAT(it.kernel.harvest(), ElementsAre(access{it.block.id, access_mode::read, expected}));
}

TEST(KernelLog, KeepsBlocksApart) {
  noted it;
  const memory_block& other = *it.all.allocate(memory_kind::pinned, 64, 0);
  EXPECT_TRUE(it.kernel.note(other.begin, 4, access_mode::write));
  EXPECT_TRUE(it.kernel.note(it.block.begin, 4, access_mode::write));
  EXPECT_THAT(it.kernel.harvest(), ElementsAre(access{it.block.id, access_mode::write, byte_set::range(0, 4)},
                                               access{other.id, access_mode::write, byte_set::range(0, 4)}));
}

TEST(KernelLog, OrdersAccessesByAllocationNotByAddress) {
  memory all;
  kernel_log kernel{all};
  std::vector<unsigned char> bytes(4 * memory::page_bytes);
  const address begin = address_of(bytes.data());
  const memory_block& first = all.register_host(begin + 2 * memory::page_bytes, 8);
  const memory_block& second = all.register_host(begin, 8);
  EXPECT_TRUE(kernel.note(second.begin, 4, access_mode::read));
  EXPECT_TRUE(kernel.note(first.begin, 4, access_mode::read));
  EXPECT_THAT(kernel.harvest(), ElementsAre(access{first.id, access_mode::read, byte_set::range(0, 4)},
                                            access{second.id, access_mode::read, byte_set::range(0, 4)}));
}

TEST(KernelLog, ForgetsWhatWasHarvested) {
  noted it;
  EXPECT_TRUE(it.kernel.note(it.block.begin, 4, access_mode::read));
  it.kernel.harvest();
  EXPECT_THAT(it.kernel.harvest(), IsEmpty());
  EXPECT_EQ(it.kernel.traffic().own.both(), 0u);
}

TEST(KernelLog, AnAccessBeyondTheEndOfABlockIsAFault) {
  noted it;
  const address end = it.block.end();
  EXPECT_TRUE(it.kernel.note(end - 4, 4, access_mode::read));
  EXPECT_FALSE(it.kernel.note(end - 2, 4, access_mode::read));
  EXPECT_FALSE(it.kernel.note(end, 4, access_mode::read));
  EXPECT_FALSE(it.kernel.note(it.block.begin - 4, 4, access_mode::read));
  EXPECT_FALSE(it.kernel.note_range(it.block.begin, it.block.bytes + 1, access_mode::read));
}

TEST(KernelLog, AnAccessToFreedMemoryIsAFault) {
  noted it;
  it.all.release(it.block.id);
  EXPECT_FALSE(it.kernel.note(it.block.begin, 4, access_mode::read));
}

TEST(KernelLog, CountsEachByteOnceForReadingAndOnceForWritingAtomicsForBoth) {
  noted it;
  EXPECT_TRUE(it.kernel.note(it.block.begin, 16, access_mode::read));
  EXPECT_TRUE(it.kernel.note(it.block.begin, 16, access_mode::read));
  EXPECT_TRUE(it.kernel.note(it.block.begin, 8, access_mode::write));
  EXPECT_TRUE(it.kernel.note(it.block.begin + 100, 4, access_mode::atomic));
  EXPECT_EQ(it.kernel.traffic().own.read, 16u + 4u);
  EXPECT_EQ(it.kernel.traffic().own.written, 8u + 4u);
  EXPECT_EQ(it.kernel.traffic().host.both(), 0u);
}

TEST(KernelLog, CountsSectorsOfMemoryThatIsBehindALink) {
  noted it;
  const memory_block& pinned = *it.all.allocate(memory_kind::pinned, 400, 0);
  const memory_block& elsewhere = *it.all.allocate(memory_kind::device, 400, 1);
  EXPECT_TRUE(it.kernel.note(pinned.begin, 4, access_mode::read));
  EXPECT_TRUE(it.kernel.note(pinned.begin + 28, 8, access_mode::read));
  EXPECT_TRUE(it.kernel.note(pinned.begin + 384, 16, access_mode::atomic));
  EXPECT_TRUE(it.kernel.note(elsewhere.begin + 100, 1, access_mode::write));
  EXPECT_EQ(it.kernel.traffic().host.read, 3u * 32u);
  EXPECT_EQ(it.kernel.traffic().host.written, 32u);
  EXPECT_EQ(it.kernel.traffic().peers.read, 0u);
  EXPECT_EQ(it.kernel.traffic().peers.written, 32u);
  EXPECT_EQ(it.kernel.traffic().own.both(), 0u);
}

TEST(KernelLog, WithdrawnWritesAreSeenOnlyAfterTheirPublication) {
  noted it;
  it.write(0, 5);
  it.write(130, 6);
  it.write(2 * memory::page_bytes + 7, 7);
  const pending_writes pending = it.kernel.withdraw_writes();
  EXPECT_EQ(it.byte(0), 1);
  EXPECT_EQ(it.byte(130), 1);
  EXPECT_EQ(it.byte(2 * memory::page_bytes + 7), 1);
  pending.publish();
  EXPECT_EQ(it.byte(0), 5);
  EXPECT_EQ(it.byte(130), 6);
  EXPECT_EQ(it.byte(2 * memory::page_bytes + 7), 7);
}

TEST(KernelLog, PublicationLeavesOtherBytesOfThePageAlone) {
  noted it;
  it.write(64, 5);
  const pending_writes pending = it.kernel.withdraw_writes();
  it.byte(65) = 9;  // meanwhile, by somebody else
  pending.publish();
  EXPECT_EQ(it.byte(64), 5);
  EXPECT_EQ(it.byte(65), 9);
}

TEST(KernelLog, TheLastBytesOfABlockAreWithdrawnPublishedAndReported) {
  noted it;
  const std::size_t last = it.block.bytes - 1;
  it.write(last - 36, 2);  // in another word of the bitmap
  it.write(last, 3);
  const pending_writes pending = it.kernel.withdraw_writes();
  EXPECT_EQ(it.byte(last - 36), 1);
  EXPECT_EQ(it.byte(last), 1);
  pending.publish();
  EXPECT_EQ(it.byte(last - 36), 2);
  EXPECT_EQ(it.byte(last), 3);
  EXPECT_EQ(it.kernel.traffic().own.written, 2u);
  EXPECT_THAT(it.kernel.harvest(),
              ElementsAre(access{it.block.id, access_mode::write,
                                 byte_set::from_runs({{last - 36, 1, 1, 1}, {last, 1, 1, 1}})}));
}

TEST(KernelLog, AtomicUpdatesAreNotWithdrawn) {
  noted it;
  it.write(0, 5, access_mode::atomic);
  it.write(1, 6);
  const pending_writes pending = it.kernel.withdraw_writes();
  EXPECT_EQ(it.byte(0), 5);
  EXPECT_EQ(it.byte(1), 1);
}

TEST(KernelLog, AWholeWrittenWordIsWithdrawnAndPublished) {
  noted it;
  EXPECT_TRUE(it.kernel.note_range(it.block.begin + memory::page_bytes - 64, 128, access_mode::write));
  std::memset(&it.byte(memory::page_bytes - 64), 8, 128);
  const pending_writes pending = it.kernel.withdraw_writes();
  EXPECT_EQ(it.byte(memory::page_bytes - 1), 1);
  EXPECT_EQ(it.byte(memory::page_bytes), 1);
  pending.publish();
  EXPECT_EQ(it.byte(memory::page_bytes - 64), 8);
  EXPECT_EQ(it.byte(memory::page_bytes + 63), 8);
  EXPECT_EQ(it.byte(memory::page_bytes + 64), 1);
}

TEST(HostLog, JoinsWhatOnePlaceInTheCodeTouched) {
  noted it;
  for (std::size_t i = 0; i < 100; ++i) it.host.note(0x1234, it.block.begin + 4 * i, 4, access_mode::write);
  const std::vector<trace::host_access> accesses = it.flushed();
  ASSERT_EQ(accesses.size(), 1u);
  EXPECT_EQ(accesses[0].thread, 1u);
  EXPECT_EQ(accesses[0].after, 7u);
  EXPECT_EQ(accesses[0].where, (trace::location{1, 0x1234}));
  EXPECT_EQ(accesses[0].access, (access{it.block.id, access_mode::write, byte_set::range(0, 400)}));
}

TEST(HostLog, KeepsAStrideAsARun) {
  noted it;
  for (std::size_t i = 0; i < 1000; ++i) it.host.note(1, it.block.begin + 8 + 32 * i, 4, access_mode::read);
  const std::vector<trace::host_access> accesses = it.flushed();
  ASSERT_EQ(accesses.size(), 1u);
  EXPECT_EQ(accesses[0].access.bytes, trace::byte_set::from_runs({{8, 4, 32, 1000}}));
}

TEST(HostLog, JoinsAccessesThatComeInNoOrder) {
  noted it;
  for (const std::size_t offset : {40, 0, 8, 4, 40, 12})
    it.host.note(1, it.block.begin + offset, 4, access_mode::read);
  const std::vector<trace::host_access> accesses = it.flushed();
  ASSERT_EQ(accesses.size(), 1u);
  byte_set expected = byte_set::range(0, 16);
  expected.merge(byte_set::range(40, 4));
  EXPECT_EQ(accesses[0].access.bytes, expected);
}

TEST(HostLog, GathersManyAccessesThatComeInNoOrder) {
  noted it;
  constexpr std::size_t elements = 40'000;
  for (std::size_t i = 0; i < elements; ++i)  // every element once, far from the one before
    it.host.note(1, it.block.begin + i * 7919 % elements * 4, 4, access_mode::read);
  const std::vector<trace::host_access> accesses = it.flushed();
  ASSERT_EQ(accesses.size(), 1u);
  EXPECT_EQ(accesses[0].access.bytes, byte_set::range(0, 4 * elements));
}

TEST(HostLog, KeepsPlacesModesAndBlocksApart) {
  noted it;
  const memory_block& other = *it.all.allocate(memory_kind::pinned, 64, 0);
  it.host.note(1, it.block.begin, 4, access_mode::read);
  it.host.note(2, it.block.begin, 4, access_mode::read);
  it.host.note(1, it.block.begin, 4, access_mode::write);
  it.host.note(1, other.begin, 4, access_mode::read);
  it.host.note(1, it.block.begin + 4, 4, access_mode::read);
  const std::vector<trace::host_access> accesses = it.flushed();
  ASSERT_EQ(accesses.size(), 4u);
  EXPECT_EQ(accesses[0].access.bytes, byte_set::range(0, 8));
  EXPECT_EQ(accesses[1].where.line, 2u);
  EXPECT_EQ(accesses[2].access.mode, access_mode::write);
  EXPECT_EQ(accesses[3].access.allocation, other.id);
}

TEST(HostLog, AReadIsPartOfTheUpdateThatExpectsItsValue) {
  noted it;
  const int found = 0x01010101, other = 0;
  it.host.note(1, it.block.begin, 4, access_mode::read);
  it.host.join_update(it.block.begin, 4, &found);
  it.host.note(2, it.block.begin + 8, 4, access_mode::read);
  it.host.join_update(it.block.begin + 8, 4, &other);  // expects something else
  it.host.note(3, it.block.begin + 16, 4, access_mode::read);
  it.host.note(3, it.block.begin + 16, 4, access_mode::read);  // and the first time for nothing
  it.host.join_update(it.block.begin + 16, 4, &found);
  it.host.note(1, it.block.begin, 4, access_mode::read);
  const std::vector<trace::host_access> accesses = it.flushed();
  ASSERT_EQ(accesses.size(), 4u);
  EXPECT_EQ(accesses[0].access.mode, access_mode::atomic);
  EXPECT_EQ(accesses[1].access.mode, access_mode::read);
  EXPECT_EQ(accesses[2].access.mode, access_mode::read);
  EXPECT_EQ(accesses[3].access.mode, access_mode::read) << "no update followed";
}

TEST(HostLog, HasAShortWayForPinnedMemoryThatTheSameCodeAccessedBefore) {
  noted it;
  memory_block& pinned = *it.all.allocate(memory_kind::pinned, 4096, 0);
  EXPECT_FALSE(it.host.note_again(1, pinned.begin, 4, access_mode::read)) << "nothing was accessed before";
  it.host.note(1, pinned.begin, 4, access_mode::read);
  it.host.note(2, it.block.begin, 4, access_mode::read);
  EXPECT_TRUE(it.host.note_again(1, pinned.begin + 4, 4, access_mode::read));
  EXPECT_TRUE(it.host.note_again(1, pinned.begin + 100, 4, access_mode::read));
  EXPECT_FALSE(it.host.note_again(1, pinned.begin + 8, 4, access_mode::write)) << "another mode";
  EXPECT_FALSE(it.host.note_again(3, pinned.begin + 8, 4, access_mode::read)) << "other code";
  EXPECT_FALSE(it.host.note_again(1, pinned.begin + 4096, 4, access_mode::read)) << "behind the end";
  EXPECT_FALSE(it.host.note_again(2, it.block.begin + 4, 4, access_mode::read)) << "the host may not";
  pinned.is_freed = true;
  EXPECT_FALSE(it.host.note_again(1, pinned.begin + 8, 4, access_mode::read)) << "freed";
  pinned.is_freed = false;
  const std::vector<trace::host_access> accesses = it.flushed();
  ASSERT_EQ(accesses.size(), 2u);
  byte_set expected = byte_set::range(0, 8);
  expected.merge(byte_set::range(100, 4));
  EXPECT_EQ(accesses[0].access, (access{pinned.id, access_mode::read, expected}));
  EXPECT_FALSE(it.host.note_again(1, pinned.begin + 8, 4, access_mode::read)) << "before a call";
}

TEST(HostLog, SeesRegisteredAndUsedPageableMemoryAndIgnoresTheRest) {
  noted it;
  const memory_block& pageable = it.all.use_pageable(0x5000000, 100);
  it.host.note(1, 0x5000000 + 10, 4, access_mode::write);
  it.host.note(2, 0x5000000 + 100, 4, access_mode::write);
  it.host.note(3, 0x6000000, 4, access_mode::write);
  const std::vector<trace::host_access> accesses = it.flushed();
  ASSERT_EQ(accesses.size(), 1u);
  EXPECT_EQ(accesses[0].access, (access{pageable.id, access_mode::write, byte_set::range(10, 4)}));
}

TEST(HostLog, ForgetsWhatWasFlushed) {
  noted it;
  it.host.note(1, it.block.begin, 4, access_mode::read);
  it.flushed();
  EXPECT_THAT(it.flushed(), IsEmpty());
}

}  // namespace
}  // namespace kernels

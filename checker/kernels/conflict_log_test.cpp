#include "kernels/conflict_log.h"

#include <gtest/gtest.h>

#include <array>
#include <set>

namespace kernels {
namespace {

/// Two threads and the memory they share.
class ConflictLog : public ::testing::Test {
 protected:
  void go_to(std::uint64_t party, std::uint64_t progress) {
    log.move_to({.party = party, .progress = progress, .thread = static_cast<trace::thread_id>(party)});
  }
  void note(address code, std::size_t offset, std::size_t bytes, touch_kind kind) {
    log.note(code, begin + offset, bytes, kind);
  }

  std::set<std::uint64_t> finished;  // parties that the present one comes after
  conflict_log log{[this](const host_position& position) { return finished.contains(position.party); }};
  const address begin = 0x1000;
};

TEST_F(ConflictLog, TwoPartiesConflictWhereOneWrites) {
  go_to(1, 0);
  note(0x10, 4, 4, touch_kind::write);
  go_to(2, 0);
  note(0x20, 0, 8, touch_kind::read);
  ASSERT_EQ(log.conflicts().size(), 1u);
  const conflict_log::conflict& found = log.conflicts().front();
  EXPECT_EQ(found.older.code, 0x10u);
  EXPECT_EQ(found.newer.code, 0x20u);
  EXPECT_EQ(found.begin, begin + 4);
  EXPECT_EQ(found.bytes, 4u);
  EXPECT_EQ(log.position(found.older).thread, 1u);
}

TEST_F(ConflictLog, ReadsDoNotConflictNorDoAtomicAccessesNorNeighbours) {
  go_to(1, 0);
  note(0x10, 0, 4, touch_kind::read);
  note(0x11, 8, 4, touch_kind::atomic_write);
  note(0x12, 16, 1, touch_kind::write);
  go_to(2, 0);
  note(0x20, 0, 4, touch_kind::read);
  note(0x21, 8, 4, touch_kind::atomic_write);
  note(0x22, 17, 1, touch_kind::write);
  EXPECT_TRUE(log.conflicts().empty());
}

TEST_F(ConflictLog, AnAtomicWriteConflictsWithAPlainRead) {
  go_to(1, 0);
  note(0x10, 0, 4, touch_kind::atomic_write);
  go_to(2, 0);
  note(0x20, 0, 4, touch_kind::read);
  EXPECT_EQ(log.conflicts().size(), 1u);
}

TEST_F(ConflictLog, WhatIsKnownToBeOverDoesNotConflict) {
  go_to(1, 0);
  note(0x10, 0, 4, touch_kind::write);
  go_to(2, 0);
  finished = {1};
  note(0x20, 0, 4, touch_kind::write);
  finished = {2};
  go_to(3, 0);
  note(0x30, 0, 4, touch_kind::write);
  EXPECT_TRUE(log.conflicts().empty());
}

TEST_F(ConflictLog, EarlierReadersAreRemembered) {
  for (const std::uint64_t party : {1u, 2u, 3u}) {
    go_to(party, 0);
    note(0x10 * party, 0, 4, touch_kind::read);
  }
  go_to(4, 0);
  note(0x40, 0, 4, touch_kind::write);
  EXPECT_EQ(log.conflicts().size(), 3u);
}

TEST_F(ConflictLog, ALargeCopyIsComparedWithPartsOfItsPages) {
  go_to(1, 0);
  note(0x10, 100, 3 * 4096, touch_kind::write);
  go_to(2, 0);
  note(0x20, 4096 + 20, 4, touch_kind::read);
  ASSERT_EQ(log.conflicts().size(), 1u);
  EXPECT_EQ(log.conflicts().front().begin, begin + 4096 + 20);
  EXPECT_EQ(log.conflicts().front().bytes, 4u);
}

TEST_F(ConflictLog, TwoLargeCopiesAreOneConflict) {
  go_to(1, 0);
  note(0x10, 100, 3 * 4096, touch_kind::write);
  go_to(2, 0);
  note(0x20, 0, 4 * 4096, touch_kind::read);
  ASSERT_EQ(log.conflicts().size(), 1u);
  EXPECT_EQ(log.conflicts().front().begin, begin + 100);
  EXPECT_EQ(log.conflicts().front().bytes, 3u * 4096);
}

TEST_F(ConflictLog, AllReadersOfAPageAreRememberedByItsParts) {
  for (const std::uint64_t party : {1u, 2u, 3u}) {
    go_to(party, 0);
    note(0x10 * party, 0, 4096, touch_kind::read);
  }
  go_to(4, 0);
  note(0x40, 0, 4, touch_kind::write);
  note(0x41, 4092, 4, touch_kind::write);
  EXPECT_EQ(log.conflicts().size(), 6u);
}

TEST_F(ConflictLog, APageThatIsWrittenAnewIsComparedAsAWhole) {
  go_to(1, 0);
  note(0x10, 0, 4096, touch_kind::write);
  note(0x11, 8, 4, touch_kind::write);
  finished = {1};
  go_to(2, 0);
  note(0x20, 0, 4096, touch_kind::write);
  finished = {};
  go_to(3, 0);
  note(0x30, 8, 4, touch_kind::read);
  ASSERT_EQ(log.conflicts().size(), 1u);
  EXPECT_EQ(log.conflicts().front().older.code, 0x20u);
}

TEST_F(ConflictLog, OfAPageThatIsForgottenInPartTheRestStays) {
  go_to(1, 0);
  note(0x10, 0, 2 * 4096, touch_kind::write);
  log.forget(begin + 2048, 2048 + 4096);
  go_to(2, 0);
  note(0x20, 0, 2 * 4096, touch_kind::read);
  ASSERT_EQ(log.conflicts().size(), 1u);
  EXPECT_EQ(log.conflicts().front().bytes, 2048u);
}

TEST_F(ConflictLog, ALoopOverAnArrayIsOneConflict) {
  go_to(1, 0);
  for (std::size_t i = 0; i < 1000; ++i) note(0x10, 4 * i, 4, touch_kind::write);
  go_to(2, 0);
  for (std::size_t i = 0; i < 1000; ++i) note(0x20, 4 * i, 4, touch_kind::read);
  ASSERT_EQ(log.conflicts().size(), 1u);
  EXPECT_EQ(log.conflicts().front().bytes, 4000u);
}

TEST_F(ConflictLog, MemoryThatWasGivenBackIsNew) {
  go_to(1, 0);
  note(0x10, 0, 64, touch_kind::write);
  log.forget(begin + 16, 16);
  go_to(2, 0);
  note(0x20, 16, 16, touch_kind::write);
  EXPECT_TRUE(log.conflicts().empty());
  note(0x21, 32, 4, touch_kind::write);
  EXPECT_EQ(log.conflicts().size(), 1u);
}

TEST_F(ConflictLog, OfTwoPlacesAndThreadsALimitedNumberIsKept) {
  for (std::uint64_t round = 0; round < 2 * conflict_log::max_conflicts_of_two_places; ++round) {
    go_to(1, round);
    note(0x10, 8 * round, 4, touch_kind::write);
    go_to(2, round);
    note(0x20, 8 * round, 4, touch_kind::write);
  }
  EXPECT_EQ(log.conflicts().size(), conflict_log::max_conflicts_of_two_places);
}

}  // namespace
}  // namespace kernels

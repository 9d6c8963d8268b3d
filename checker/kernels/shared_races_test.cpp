#include "kernels/shared_races.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kernels {
namespace {

using enum trace::access_mode;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr address loads = 0x100, stores = 0x200;

struct SharedRaces : ::testing::Test {
  void read(unsigned thread, std::size_t offset, std::size_t bytes = 4) {
    races.note(thread, offset, bytes, trace::access_mode::read, loads, storage);
  }
  void write(unsigned thread, std::size_t offset, std::size_t bytes = 4) {
    races.note(thread, offset, bytes, trace::access_mode::write, stores, storage);
    for (std::size_t i = 0; i < bytes; ++i) storage[offset + i] = next_value;
    ++next_value;
  }
  void update(unsigned thread, std::size_t offset) { races.note(thread, offset, 4, atomic, stores, storage); }

  unsigned char storage[4096] = {};
  unsigned char next_value = 1;
  shared_races races;
};

TEST_F(SharedRaces, AreAReadOfWhatAnotherThreadWroteAndAWriteOfWhatItRead) {
  write(0, 8);
  read(40, 8);
  write(41, 8);
  const std::vector<shared_race> found = races.take();
  ASSERT_THAT(found, SizeIs(2));
  EXPECT_EQ(found[0].first.thread, 0U);
  EXPECT_EQ(found[0].first.code, stores);
  EXPECT_EQ(found[0].second.thread, 40U);
  EXPECT_EQ(found[0].second.mode, trace::access_mode::read);
  EXPECT_EQ(found[0].bytes, 4U);
  EXPECT_EQ(found[1].second.thread, 41U);
}

TEST_F(SharedRaces, AreNoneOfOneThreadOrOfReadsOrOfOtherBytes) {
  write(0, 0);
  read(0, 0);
  write(0, 0);
  read(1, 64);
  read(40, 64);
  write(2, 128, 1);
  write(3, 129, 1);
  write(4, 200, 2);
  read(5, 202, 2);
  EXPECT_THAT(races.take(), IsEmpty());
}

TEST_F(SharedRaces, AreTheSameByTheShortWayOfReads) {
  shared_races quick;
  std::uint32_t random = 1;
  const auto next = [&](std::uint32_t end) {
    return (random = random * 1'664'525 + 1'013'904'223) / 65'536 % end;
  };
  int short_reads = 0;
  for (int i = 0; i < 20'000; ++i) {
    const unsigned thread = 16 * next(8);
    const std::size_t offset = 4 * next(16);
    const std::uint32_t step = next(100);
    if (step < 70) {
      read(thread, offset);
      if (quick.note_word_read(thread, offset, loads)) {
        ++short_reads;
      } else {
        quick.note(thread, offset, 4, trace::access_mode::read, loads, storage);
      }
    } else if (step < 90) {
      quick.note(thread, offset, 4, trace::access_mode::write, stores + thread, storage);
      races.note(thread, offset, 4, trace::access_mode::write, stores + thread, storage);
      storage[offset] = next_value++;
    } else if (step < 95) {
      races.note_meeting(thread / 32, 0xFFFF'FFFF);
      quick.note_meeting(thread / 32, 0xFFFF'FFFF);
    } else if (step < 99) {
      races.note_barrier();
      quick.note_barrier();
    } else {
      races.begin_block();
      quick.begin_block();
    }
    const std::vector<shared_race> found = races.take(), by_short_way = quick.take();
    ASSERT_EQ(found.size(), by_short_way.size());
    for (std::size_t one = 0; one < found.size(); ++one) {
      EXPECT_EQ(found[one].first.thread, by_short_way[one].first.thread);
      EXPECT_EQ(found[one].second.code, by_short_way[one].second.code);
    }
  }
  EXPECT_GT(short_reads, 1000);
}

TEST_F(SharedRaces, ReadsOfWordsThatTheBlockHasNotUsedHaveNoShortWay) {
  EXPECT_FALSE(races.note_word_read(0, 8, loads));
  read(0, 8);
  EXPECT_TRUE(races.note_word_read(1, 8, loads));
  EXPECT_FALSE(races.note_word_read(1, 10, loads));
  read(0, 16, 1);
  EXPECT_FALSE(races.note_word_read(1, 16, loads)) << "a variable may end behind that byte";
  races.note_barrier();
  EXPECT_TRUE(races.note_word_read(1, 8, loads));
  races.begin_block();
  EXPECT_FALSE(races.note_word_read(1, 8, loads));
}

TEST_F(SharedRaces, EndAtABarrier) {
  write(0, 0);
  races.note_barrier();
  read(40, 0);
  races.note_barrier();
  write(70, 0);
  EXPECT_THAT(races.take(), IsEmpty());
}

TEST_F(SharedRaces, EndForTheLanesOfAWarpThatMet) {
  write(1, 0);
  races.note_meeting(0, 0b0111);
  read(2, 0);
  EXPECT_THAT(races.take(), IsEmpty());
  read(3, 0);
  EXPECT_THAT(races.take(), SizeIs(1));
}

TEST_F(SharedRaces, KnowWhatALaneLearnedFromAThird) {
  write(0, 0);
  races.note_meeting(0, 0b0011);
  races.note_meeting(0, 0b0110);
  read(2, 0);
  EXPECT_THAT(races.take(), IsEmpty());
}

TEST_F(SharedRaces, AreNotOrderedByAMeetingBeforeTheAccess) {
  races.note_meeting(0, ~0U);
  write(0, 0);
  read(1, 0);
  EXPECT_THAT(races.take(), SizeIs(1));
}

TEST_F(SharedRaces, OfAWriteWithReadersOfTwoWarps) {
  read(64, 0);
  read(0, 0);
  write(0, 0);
  EXPECT_THAT(races.take(), SizeIs(1));
}

TEST_F(SharedRaces, NameTheReadOfTheOtherThread) {
  read(0, 0);
  races.note(1, 0, 4, trace::access_mode::read, 0x300, storage);
  write(1, 0);
  const std::vector<shared_race> found = races.take();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].first.code, loads);
}

TEST_F(SharedRaces, AreNotAtomicUpdatesOfTheSamePlaceButAreWithAPlainRead) {
  update(0, 0);
  update(40, 0);
  EXPECT_THAT(races.take(), IsEmpty());
  read(41, 0);
  EXPECT_THAT(races.take(), SizeIs(1));
}

TEST_F(SharedRaces, AreNotWritesOfTheSameValue) {
  races.note(0, 0, 4, trace::access_mode::write, stores, storage);
  races.note(40, 0, 4, trace::access_mode::write, stores, storage);
  races.note_barrier();
  EXPECT_THAT(races.take(), IsEmpty());
}

TEST_F(SharedRaces, AreNotOfThreadsThatAllWriteAValueAndReadTheirOwn) {
  for (const unsigned thread : {0U, 40U}) {
    races.note(thread, 0, 4, trace::access_mode::write, stores, storage);
    races.note(thread, 0, 4, trace::access_mode::read, loads, storage);
  }
  EXPECT_THAT(races.take(), IsEmpty());
}

TEST_F(SharedRaces, AreOfAReadOfItsOwnThatComesBehindAMeetingAndAWriteThatDoesToo) {
  write(0, 0);
  races.note_meeting(0, ~0U);
  read(0, 0);
  write(1, 0);
  EXPECT_THAT(races.take(), SizeIs(1));
}

TEST_F(SharedRaces, OfAReadAndALaterWriteAreToldAlsoWhereTheValueStays) {
  races.note(0, 0, 4, trace::access_mode::read, loads, storage);
  races.note(40, 0, 4, trace::access_mode::write, stores, storage);
  EXPECT_THAT(races.take(), SizeIs(1));
}

TEST_F(SharedRaces, OfTwoPlacesAreOneInWhicheverOrderTheyCome) {
  write(0, 0);
  read(40, 0);
  read(1, 4);
  write(41, 4);
  EXPECT_THAT(races.take(), SizeIs(1));
}

TEST_F(SharedRaces, OfTwoPlacesTellOfThreadsOfTwoWarpsRatherThanOfOne) {
  read(0, 0);
  read(0, 4);
  read(0, 8);
  write(1, 0);
  write(40, 4);
  write(2, 8);
  const std::vector<shared_race> found = races.take();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].second.thread, 40U);
}

TEST_F(SharedRaces, AreNotSaidOfAThreadThatMayKnowByOtherMeans) {
  write(0, 0);
  races.note_synchronization(40);
  read(40, 0);
  EXPECT_THAT(races.take(), IsEmpty());
  races.note_barrier();
  write(0, 0);
  read(40, 0);
  EXPECT_THAT(races.take(), SizeIs(1));
}

TEST_F(SharedRaces, AreToldOnceForAPairOfPlaces) {
  for (unsigned thread = 0; thread < 100; ++thread) {
    write(thread, 4 * thread);
    read(thread + 100, 4 * thread);
  }
  EXPECT_THAT(races.take(), SizeIs(1));
}

TEST_F(SharedRaces, OfAnEarlierBlockAreForgotten) {
  write(0, 0);
  races.begin_block();
  read(40, 0);
  EXPECT_THAT(races.take(), IsEmpty());
}

}  // namespace
}  // namespace kernels

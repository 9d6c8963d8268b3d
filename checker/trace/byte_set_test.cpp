#include "trace/byte_set.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>
#include <stdexcept>
#include <vector>

namespace {

using trace::byte_range;
using trace::byte_run;
using trace::byte_set;

std::vector<byte_run> runs_of(const byte_set& set) { return {set.runs().begin(), set.runs().end()}; }

std::vector<std::uint64_t> words_of(const std::vector<bool>& bytes) {
  std::vector<std::uint64_t> words((bytes.size() + 63) / 64);
  for (std::size_t i = 0; i < bytes.size(); ++i) words[i / 64] |= std::uint64_t{bytes[i]} << (i % 64);
  return words;
}

std::vector<byte_range> ranges_of(const std::vector<bool>& bytes, std::uint64_t first_byte) {
  std::vector<byte_range> ranges;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (!bytes[i]) continue;
    if (ranges.empty() || ranges.back().end != first_byte + i)
      ranges.push_back({first_byte + i, first_byte + i});
    ++ranges.back().end;
  }
  return ranges;
}

std::optional<byte_range> first_overlap_by_ranges(const byte_set& one, const byte_set& two) {
  for (const byte_range& mine : one.ranges()) {
    for (const byte_range& theirs : two.ranges()) {
      const byte_range both{std::max(mine.begin, theirs.begin), std::min(mine.end, theirs.end)};
      if (both.begin < both.end) return both;
    }
  }
  return std::nullopt;
}

/// Bytes as programs touch them: regular stretches, plain ranges and a little noise.
std::vector<bool> random_bytes(std::mt19937& random, std::size_t size) {
  std::vector<bool> bytes(size);
  for (int stretch = 0; stretch < 4; ++stretch) {
    const std::size_t length = 1 + random() % 9, stride = length + random() % 13, begin = random() % size;
    const std::size_t end = std::min<std::size_t>(size, begin + random() % size);
    for (std::size_t position = begin; position < end; position += stride) {
      for (std::size_t i = position; i < std::min(position + length, end); ++i) bytes[i] = true;
    }
  }
  return bytes;
}

byte_set scattered(std::uint64_t first_byte,
                   std::size_t pieces) {  // distances 2, 3, 4, 2, ...: no two alike in a row
  std::vector<byte_run> runs;
  std::uint64_t offset = first_byte;
  for (std::size_t i = 0; i < pieces; ++i) {
    runs.push_back({offset, 1 + i % 2, 1 + i % 2, 1});
    offset += 3 + i % 3;
  }
  return byte_set::from_runs(runs);
}

TEST(ByteSet, RangeOfLengthZeroIsEmpty) {
  EXPECT_TRUE(byte_set::range(100, 0).is_empty());
  EXPECT_EQ(byte_set::range(100, 0), byte_set());
  EXPECT_EQ(byte_set().bounds(), (byte_range{0, 0}));
}

TEST(ByteSet, EqualPiecesAtEqualDistancesBecomeOneRun) {
  std::vector<byte_run> pieces;
  for (std::uint64_t i = 0; i < 1000; ++i) pieces.push_back({64 + 12 * i, 4, 4, 1});
  EXPECT_EQ(runs_of(byte_set::from_runs(pieces)), (std::vector<byte_run>{{64, 4, 12, 1000}}));
}

TEST(ByteSet, InterleavedRunsThatFillEachOtherBecomeOneRange) {
  const byte_set whole = byte_set::from_runs({{4, 4, 8, 100}, {0, 4, 8, 100}});
  EXPECT_EQ(whole, byte_set::range(0, 800));
}

TEST(ByteSet, SameBytesAreEqualHoweverTheyWereGiven) {
  const byte_set halves = byte_set::from_runs({{80, 4, 8, 5}, {0, 4, 8, 7}, {56, 4, 8, 3}, {0, 2, 8, 3}});
  EXPECT_EQ(halves, byte_set::from_runs({{0, 4, 8, 15}}));
}

TEST(ByteSet, RunWhosePiecesTouchIsAPlainRange) {
  EXPECT_EQ(byte_set::from_runs({{16, 8, 8, 4}}), byte_set::range(16, 32));
  EXPECT_EQ(byte_set::from_runs({{16, 8, 3, 4}}), byte_set::range(16, 17));
  EXPECT_EQ(byte_set::from_runs({{16, 8, 0, 4}}), byte_set::range(16, 8));
}

TEST(ByteSet, RunBeyondSixtyFourBitsIsRefused) {
  EXPECT_THROW(byte_set::from_runs({{1, 4, std::uint64_t{1} << 60, 100}}), std::invalid_argument);
  EXPECT_THROW(byte_set::range(~std::uint64_t{0}, 2), std::invalid_argument);
}

TEST(ByteSet, RandomBitmapsKeepTheirBytesAtAnyOffset) {
  std::mt19937 random(1);
  for (int round = 0; round < 400; ++round) {
    const std::vector<bool> bytes = random_bytes(random, 1 + random() % 700);
    const std::uint64_t first_byte = random() % 200;
    const byte_set set = byte_set::from_bitmap(first_byte, words_of(bytes));
    const std::vector<byte_range> expected = ranges_of(bytes, first_byte);
    ASSERT_EQ(set.ranges(), expected) << "round " << round;

    std::vector<byte_run> pieces;
    for (const byte_range& range : expected) pieces.push_back({range.begin, range.end - range.begin, 1, 1});
    std::shuffle(pieces.begin(), pieces.end(), random);
    ASSERT_EQ(byte_set::from_runs(pieces), set) << "round " << round;
    for (std::size_t i = 0; i < bytes.size(); ++i) ASSERT_EQ(set.contains(first_byte + i), bytes[i]);
  }
}

TEST(ByteSet, PatternBesideAnotherPieceInTheSameWordIsNotRepeatedWithoutIt) {
  const std::uint64_t word = 0x080808080808080b;  // bytes 0 and 1, and every eighth byte from 3 on
  const byte_set set = byte_set::from_bitmap(0, {word, word, word});
  EXPECT_EQ(set.size_bytes(), 30u);
  EXPECT_TRUE(set.contains(128));
}

TEST(ByteSet, StridedBitmapBecomesOneRun) {
  const std::vector<std::uint64_t> words(10'000, 0x0f0f0f0f0f0f0f0f);
  EXPECT_EQ(runs_of(byte_set::from_bitmap(0, words)), (std::vector<byte_run>{{0, 4, 8, 80'000}}));
  EXPECT_EQ(runs_of(byte_set::from_bitmap(6, words)), (std::vector<byte_run>{{6, 4, 8, 80'000}}));
}

TEST(ByteSet, ScatteredBytesAreKeptAsABitmap) {
  const byte_set set = scattered(1000, 10'000);
  EXPECT_TRUE(set.runs().empty());
  EXPECT_EQ(set.size_bytes(), 15'000u);
  EXPECT_EQ(set.ranges().size(), 10'000u);
  EXPECT_TRUE(set.contains(1000));
  EXPECT_FALSE(set.contains(999));
  EXPECT_EQ(byte_set::from_bitmap(set.bitmap_first_byte(), {set.bitmap().begin(), set.bitmap().end()}), set);
}

TEST(ByteSet, ScatteredRunsFarApartDoNotNeedABitmapOfTheGap) {
  std::vector<byte_run> runs;
  for (std::uint64_t i = 0; i < 2 * byte_set::max_runs; ++i)
    runs.push_back({i * i << 20, 1 + i % 2, 1 + i % 2, 1});
  EXPECT_EQ(byte_set::from_runs(runs).runs().size(), 2 * byte_set::max_runs);
}

TEST(ByteSet, FirstOverlapAgreesWithTheRangesInEveryForm) {
  std::mt19937 random(2);
  for (int round = 0; round < 400; ++round) {
    byte_set one = byte_set::from_bitmap(random() % 300, words_of(random_bytes(random, 400)));
    byte_set two = byte_set::from_bitmap(random() % 300, words_of(random_bytes(random, 300)));
    if (round % 4 == 1) one.merge(scattered(random() % 2000, 10'000));
    if (round % 4 == 2) two.merge(scattered(random() % 2000 + 200, 10'000));
    if (round % 40 == 3) {
      one.merge(scattered(random() % 20 + 600, 9'000));
      two.merge(scattered(random() % 20 + 600, 9'000));
      ASSERT_FALSE(one.bitmap().empty() || two.bitmap().empty());
    }
    const auto expected = first_overlap_by_ranges(one, two);
    ASSERT_EQ(one.first_overlap(two), expected) << "round " << round;
    ASSERT_EQ(two.first_overlap(one), expected) << "round " << round;
    ASSERT_EQ(one.overlaps(two), expected.has_value());
  }
}

TEST(ByteSet, StridedRunsOverlapExactlyWhereTheyMeet) {
  std::mt19937 random(3);
  for (int round = 0; round < 3000; ++round) {
    const auto random_run = [&] {
      const std::uint64_t length = 1 + random() % 4;
      return byte_run{random() % 40, length, length + 1 + random() % 40, 1 + random() % 30};
    };
    const byte_set one = byte_set::from_runs({random_run()}), two = byte_set::from_runs({random_run()});
    ASSERT_EQ(one.first_overlap(two), first_overlap_by_ranges(one, two)) << "round " << round;
  }
}

TEST(ByteSet, HugeInterleavedRunsAreComparedWithoutWalkingThem) {
  const std::uint64_t many = std::uint64_t{1} << 40;
  const byte_set even = byte_set::from_runs({{0, 4, 8, many}}), odd = byte_set::from_runs({{4, 4, 8, many}});
  const byte_set every_third = byte_set::from_runs({{4, 4, 24, many}});
  EXPECT_FALSE(even.overlaps(odd));
  EXPECT_FALSE(even.overlaps(every_third));
  EXPECT_EQ(odd.first_overlap(every_third), (byte_range{4, 8}));
}

TEST(ByteSet, MergeIsTheUnionInEveryForm) {
  std::mt19937 random(4);
  for (int round = 0; round < 200; ++round) {
    std::vector<bool> bytes = random_bytes(random, 40'000), more = random_bytes(random, 40'000);
    byte_set merged = byte_set::from_bitmap(64, words_of(bytes));
    merged.merge(byte_set::from_bitmap(64, words_of(more)));
    if (round % 2 == 1) {
      const byte_set noise = scattered(64, 10'000);
      merged.merge(noise);
      for (std::size_t i = 0; i < bytes.size(); ++i) more[i] = more[i] || noise.contains(64 + i);
    }
    for (std::size_t i = 0; i < bytes.size(); ++i) more[i] = more[i] || bytes[i];
    ASSERT_EQ(merged, byte_set::from_bitmap(64, words_of(more))) << "round " << round;
  }
}

TEST(ByteSet, MergeWithSomethingFarAwayKeepsBoth) {
  byte_set set = scattered(0, 10'000);
  set.merge(byte_set::range(std::uint64_t{1} << 50, 8));
  EXPECT_EQ(set.size_bytes(), 15'008u);
  EXPECT_TRUE(set.contains((std::uint64_t{1} << 50) + 7));
}

TEST(ByteSet, CopiesOfLargeSetsAreEqualAndApart) {
  byte_set set = byte_set::from_runs({{0, 4, 4, 1}, {100, 8, 8, 1}});
  const byte_set before = set;
  set.merge(byte_set::range(4, 4));
  EXPECT_EQ(before, byte_set::from_runs({{0, 4, 4, 1}, {100, 8, 8, 1}}));
  EXPECT_NE(set, before);
  EXPECT_EQ(set.runs().front(), (byte_run{0, 8, 100, 2}));
}

}  // namespace

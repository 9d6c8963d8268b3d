#include "cuda_runtime/memory_box.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>

namespace cuda_runtime {
namespace {

using ::testing::ElementsAre;
using trace::byte_range;

/// 2 slices of 2 rows of 3 bytes, in slices of 4 rows of 5.
memory_box box_in(std::array<unsigned char, 40>& bytes) {
  return {address_of(bytes.data() + 1), 3, 2, 2, 5, 20};
}

TEST(MemoryBox, SpansFromItsFirstByteToItsLast) {
  std::array<unsigned char, 40> bytes{};
  EXPECT_EQ(box_in(bytes).bytes(), 12u);
  EXPECT_EQ(box_in(bytes).span_bytes(), 20u + 5u + 3u);
  EXPECT_EQ(memory_box::range(1000, 7).span_bytes(), 7u);
  EXPECT_EQ((memory_box{1000, 0, 2, 2, 5, 20}).span_bytes(), 0u);
}

TEST(MemoryBox, TellsEachRowAsOffsets) {
  std::array<unsigned char, 40> bytes{};
  EXPECT_THAT(box_in(bytes).offsets_from(address_of(bytes.data())).ranges(),
              ElementsAre(byte_range{1, 4}, byte_range{6, 9}, byte_range{21, 24}, byte_range{26, 29}));
}

TEST(MemoryBox, RowsWithoutGapsAreOneRange) {
  const memory_box whole{1000, 8, 4, 2, 8, 32};
  EXPECT_THAT(whole.offsets_from(900).ranges(), ElementsAre(byte_range{100, 164}));
}

TEST(MemoryBox, GathersAndScattersRowByRow) {
  std::array<unsigned char, 40> from{}, to{};
  std::iota(from.begin(), from.end(), static_cast<unsigned char>(0));
  std::array<unsigned char, 12> packed{};
  box_in(from).gather(packed.data());
  EXPECT_THAT(packed, ElementsAre(1, 2, 3, 6, 7, 8, 21, 22, 23, 26, 27, 28));
  box_in(to).scatter(packed.data());
  EXPECT_EQ(to[28], 28);
  EXPECT_EQ(to[4], 0);
  EXPECT_EQ(to[25], 0);
}

TEST(MemoryBox, FillsItsBytesAlone) {
  std::array<unsigned char, 40> bytes{};
  box_in(bytes).fill(9);
  EXPECT_EQ(std::count(bytes.begin(), bytes.end(), 9), 12);
  EXPECT_EQ(bytes[23], 9);
  EXPECT_EQ(bytes[24], 0);
}

TEST(MemoryBox, RepeatsElementsOfSeveralBytes) {
  std::array<unsigned char, 6> bytes{};
  memory_box::range(address_of(bytes.data() + 1), 4).fill(0x0605, 2);
  EXPECT_THAT(bytes, ElementsAre(0, 5, 6, 5, 6, 0));
}

}  // namespace
}  // namespace cuda_runtime

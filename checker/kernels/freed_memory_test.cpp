#include "kernels/freed_memory.h"

#include <gtest/gtest.h>

namespace kernels {
namespace {

TEST(FreedMemory, HasTheBytesOfTheBlocksThatItKeepsAndNoOthers) {
  freed_memory freed;
  ASSERT_TRUE(freed.keep(0x10000, 32, 7));
  ASSERT_NE(freed.find(0x10000), nullptr);
  EXPECT_EQ(freed.find(0x1001F)->code, 7u);
  EXPECT_EQ(freed.find(0x10020), nullptr);
  EXPECT_EQ(freed.find(0xFFFF), nullptr);
  EXPECT_EQ(freed.find(0x10000 + 4096 * 4096), nullptr) << "another page with the same hash";
}

TEST(FreedMemory, ABlockOverSeveralPagesIsFoundInEach) {
  freed_memory freed;
  ASSERT_TRUE(freed.keep(0x10FF0, 0x2000, 7));
  EXPECT_NE(freed.find(0x11800), nullptr);
  EXPECT_NE(freed.find(0x12FEF), nullptr);
  EXPECT_EQ(freed.find(0x12FF0), nullptr);
}

TEST(FreedMemory, LargeBlocksAreNotKept) {
  freed_memory freed;
  EXPECT_FALSE(freed.keep(0x10000, freed_memory::max_block_bytes + 1, 7));
  EXPECT_EQ(freed.find(0x10000), nullptr);
}

TEST(FreedMemory, GivesUpTheOldestWhenThereAreTooMany) {
  freed_memory freed;
  constexpr std::size_t bytes = freed_memory::max_block_bytes;
  constexpr std::size_t fitting = freed_memory::max_bytes / bytes;
  for (std::size_t i = 0; i < fitting; ++i) freed.keep(0x1000000 + i * bytes, bytes, 7);
  EXPECT_FALSE(freed.take_surplus());
  freed.keep(0x10000, 16, 7);
  EXPECT_EQ(freed.take_surplus(), address{0x1000000});
  EXPECT_FALSE(freed.take_surplus());
  EXPECT_EQ(freed.find(0x1000000), nullptr);
  EXPECT_NE(freed.find(0x10000), nullptr);
}

}  // namespace
}  // namespace kernels

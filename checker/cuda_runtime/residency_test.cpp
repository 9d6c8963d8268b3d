#include "cuda_runtime/residency.h"

#include <gtest/gtest.h>

namespace cuda_runtime {
namespace {

constexpr std::size_t page = memory::page_bytes;
constexpr std::int8_t device_0 = 0, device_1 = 1;

/// Three pages and a byte.
memory_block managed() {
  memory_block result;
  result.kind = trace::memory_kind::managed;
  result.begin = memory::arena_begin;
  result.bytes = 3 * page + 1;
  return result;
}

TEST(Residency, WhatNobodyTouchedBeginsWhereItIsTouched) {
  memory_block block = managed();
  EXPECT_EQ(move_to(on_host, block, block.begin, block.bytes).pages, 0u);
  EXPECT_EQ(move_to(device_0, block, block.begin, block.bytes).pages, 4u);
}

TEST(Residency, MovesThePagesThatHoldTheBytes) {
  memory_block block = managed();
  move_to(on_host, block, block.begin, block.bytes);
  const device::moved_pages moved = move_to(device_0, block, block.begin + page - 1, 2);
  EXPECT_EQ(moved.pages, 2u);
  EXPECT_EQ(moved.bytes, 2 * page);
  EXPECT_EQ(move_to(device_0, block, block.begin, 2 * page).pages, 0u);
  EXPECT_EQ(move_to(device_1, block, block.begin, 1).pages, 1u);
}

TEST(Residency, TheLastPageHasOnlyTheBytesOfItsBlock) {
  memory_block block = managed();
  move_to(device_0, block, block.begin, block.bytes);
  EXPECT_EQ(move_to(on_host, block, block.end() - 1, 1).bytes, 1u);
}

TEST(Residency, OtherMemoryStaysWhereItIs) {
  memory_block block = managed();
  block.kind = trace::memory_kind::pinned;
  move_to(on_host, block, block.begin, 1);
  EXPECT_EQ(move_to(device_0, block, block.begin, 1).pages, 0u);
}

}  // namespace
}  // namespace cuda_runtime

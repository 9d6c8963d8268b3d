#include "kernels/async_copies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kernels {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

async_copy numbered(address code) { return {nullptr, nullptr, 4, 0, 4, code}; }

std::vector<address> codes_of(const std::vector<async_copy>& copies) {
  std::vector<address> codes;
  for (const async_copy& copy : copies) codes.push_back(copy.code);
  return codes;
}

TEST(AsyncCopies, OfBatchesTheLatestStay) {
  async_copies copies;
  copies.add(numbered(1));
  copies.add(numbered(2));
  copies.commit();
  copies.add(numbered(3));
  copies.commit();
  EXPECT_THAT(codes_of(copies.take_all_but(1)), ElementsAre(1, 2));
  EXPECT_THAT(codes_of(copies.take_all_but(0)), ElementsAre(3));
}

TEST(AsyncCopies, WhatWasNotCommittedIsNotTaken) {
  async_copies copies;
  copies.add(numbered(1));
  EXPECT_THAT(copies.take_all_but(0), IsEmpty());
  copies.commit();
  EXPECT_THAT(codes_of(copies.take_all_but(0)), ElementsAre(1));
}

TEST(AsyncCopies, AnEmptyBatchCounts) {
  async_copies copies;
  copies.add(numbered(1));
  copies.commit();
  copies.commit();
  EXPECT_THAT(codes_of(copies.take_all_but(1)), ElementsAre(1));
}

}  // namespace
}  // namespace kernels

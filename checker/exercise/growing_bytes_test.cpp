#include "exercise/growing_bytes.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace exercise {
namespace {

TEST(GrowingBytes, AreThePiecesOneBehindTheOther) {
  growing_bytes bytes(std::size_t{1} << 30);
  EXPECT_EQ(bytes.all(), "");
  const std::string piece(100'000, 'x');
  std::string expected;
  for (int i = 0; i < 100; ++i) {
    bytes.append(piece + std::to_string(i));
    expected += piece + std::to_string(i);
  }
  EXPECT_EQ(bytes.all(), expected);
}

TEST(GrowingBytes, StayWhereTheyAre) {
  growing_bytes bytes(std::size_t{1} << 20);
  bytes.append("a");
  const char* const begin = bytes.all().data();
  bytes.append(std::string(500'000, 'b'));
  EXPECT_EQ(bytes.all().data(), begin);
  const growing_bytes moved = std::move(bytes);
  EXPECT_EQ(moved.all().data(), begin);
  EXPECT_EQ(moved.size(), 500'001u);
}

TEST(GrowingBytes, AreNoMoreThanWasAgreed) {
  growing_bytes bytes(3);
  bytes.append("abc");
  bytes.append("");
  EXPECT_THROW(bytes.append("d"), std::length_error);
  EXPECT_EQ(bytes.all(), "abc");
}

}  // namespace
}  // namespace exercise

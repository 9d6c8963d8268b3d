#include "exercise/byte_pieces.h"

#include <gtest/gtest.h>

namespace {

using exercise::byte_pieces;

TEST(BytePieces, AreTheSameBytesWhateverTheyWereMadeOf) {
  const auto large = std::make_shared<const std::string>(10'000, 'x');
  byte_pieces pieces;
  pieces.add("head");
  pieces.add(*large, large);
  pieces.add("middle");
  pieces.add("small", large);
  const std::string all = "head" + *large + "middlesmall";
  EXPECT_EQ(pieces.joined(), all);
  std::string visited;
  pieces.for_each([&](std::string_view piece) { visited += piece; });
  EXPECT_EQ(visited, all);
}

TEST(BytePieces, KeepWhatTheyDoNotCopy) {
  auto large = std::make_shared<const std::string>(10'000, 'x');
  const std::weak_ptr<const std::string> owned = large;
  {
    byte_pieces pieces;
    pieces.add(*large, large);
    large.reset();
    EXPECT_FALSE(owned.expired());
    EXPECT_EQ(pieces.joined(), std::string(10'000, 'x'));
  }
  EXPECT_TRUE(owned.expired());
}

}  // namespace

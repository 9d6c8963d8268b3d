#include "exercise/byte_pieces.h"

#include <gtest/gtest.h>

namespace {

using exercise::byte_pieces;

TEST(BytePieces, AreMovedFromTheFrontWhateverTheyWereMadeOf) {
  const auto large = std::make_shared<const std::string>(10'000, 'x');
  byte_pieces pieces("head");
  pieces.add(*large, large);
  pieces.add("middle");
  pieces.add("small", large);
  const std::string all = "head" + *large + "middlesmall";
  EXPECT_EQ(pieces.size(), all.size());
  EXPECT_EQ(pieces.joined(), all);
  std::string moved;
  for (std::size_t step = 1; pieces.size() > 0; step += 1000) pieces.move_to(moved, step);
  EXPECT_EQ(moved, all);
  EXPECT_EQ(pieces.joined(), "");
}

TEST(BytePieces, KeepWhatTheyDoNotCopy) {
  auto large = std::make_shared<const std::string>(10'000, 'x');
  const std::weak_ptr<const std::string> owned = large;
  byte_pieces pieces;
  pieces.add(*large, large);
  large.reset();
  EXPECT_FALSE(owned.expired());
  EXPECT_EQ(pieces.joined(), std::string(10'000, 'x'));
  std::string moved;
  pieces.move_to(moved, 10'000);
  EXPECT_TRUE(owned.expired());
}

}  // namespace

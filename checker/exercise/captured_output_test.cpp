#include "exercise/captured_output.h"

#include <gtest/gtest.h>

namespace {

using exercise::captured_output;

TEST(CapturedOutput, ShortOutputIsKeptWhole) {
  captured_output output(10);
  output.add("hello ");
  output.add("you!");
  EXPECT_EQ(output.text(), "hello you!");
  EXPECT_FALSE(output.was_cut());
}

TEST(CapturedOutput, LongOutputIsCutInTheMiddle) {
  captured_output output(6);
  output.add("abcdefghij");
  EXPECT_EQ(output.text(), "abc\n[... 4 bytes left out ...]\nhij");
  EXPECT_TRUE(output.was_cut());
  EXPECT_EQ(output.total_bytes(), 10U);
}

TEST(CapturedOutput, ThePiecesItArrivesInMakeNoDifference) {
  std::string all;
  for (int number = 0; number < 1000; ++number) all += std::to_string(number) + ",";
  captured_output at_once(101);
  at_once.add(all);
  for (const std::size_t piece_bytes : {1U, 7U, 64U, 1000U}) {
    captured_output in_pieces(101);
    for (std::size_t begin = 0; begin < all.size(); begin += piece_bytes)
      in_pieces.add(all.substr(begin, piece_bytes));
    EXPECT_EQ(in_pieces.text(), at_once.text());
  }
}

TEST(CapturedOutput, NothingKeptStillCounts) {
  captured_output output(0);
  output.add("abc");
  EXPECT_EQ(output.text(), "\n[... 3 bytes left out ...]\n");
}

}  // namespace

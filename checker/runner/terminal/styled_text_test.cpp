#include "runner/terminal/styled_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runner {
namespace {

using testing::ElementsAre;

constexpr styles coloured{report::colour::on};

TEST(StyledText, LongLinesAreContinuedAtASpaceThatLeavesNoneHalfEmpty) {
  EXPECT_EQ(folded("error: was not declared", 12), (std::vector<std::string>{"error: was ", "not declared"}));
  EXPECT_EQ(folded("a verylongname", 8), (std::vector<std::string>{"a verylo", "ngname"}));
  EXPECT_EQ(folded("red: \x1b[31mall of it\x1b[0m", 9),
            (std::vector<std::string>{"red: \x1b[31mall \x1b[0m", "\x1b[31mof it\x1b[0m"}));
}

TEST(StyledText, AColourTakesNoColumn) {
  EXPECT_EQ(styled_width(coloured.bold("four") + coloured.link("file:///a", "┌─")), 6);
}

TEST(StyledText, WithoutColourThereIsNoSequence) {
  const styles plain;
  EXPECT_EQ(plain.good("a") + plain.chosen("b") + plain.link("file:///a", "c"), "abc");
}

TEST(StyledText, LongLinesAreContinuedAndEmptyOnesKept) {
  EXPECT_THAT(folded("abcdef\n\ngh\n", 4), ElementsAre("abcd", "ef", "", "gh"));
}

TEST(StyledText, AColourGoesOnBehindTheFold) {
  EXPECT_THAT(folded("\x1b[1mabcd\x1b[0m", 3), ElementsAre("\x1b[1mabc\x1b[0m", "\x1b[1md\x1b[0m"));
}

TEST(StyledText, ALineThatJustFitsIsNotFolded) {
  EXPECT_THAT(folded("\x1b[1mabc\x1b[0m", 3), ElementsAre("\x1b[1mabc\x1b[0m"));
}

TEST(StyledText, ClippingEndsTheColoursItCutsThrough) {
  EXPECT_EQ(clipped("\x1b[1mabcd\x1b[0m", 2), "\x1b[1mab\x1b[0m");
  EXPECT_EQ(clipped(coloured.link("u", "abcd"), 2), coloured.link("u", "ab"));
}

}  // namespace
}  // namespace runner

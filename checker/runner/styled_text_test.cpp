#include "runner/styled_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runner {
namespace {

using testing::ElementsAre;

constexpr styles in_colour{report::colour::on};

TEST(StyledText, AColourTakesNoColumn) {
  EXPECT_EQ(styled_width(in_colour.bold("four") + in_colour.link("file:///a", "┌─")), 6);
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
  EXPECT_EQ(clipped(in_colour.link("u", "abcd"), 2), in_colour.link("u", "ab"));
}

}  // namespace
}  // namespace runner

#include "report/text_layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace report {
namespace {

using std::chrono::nanoseconds;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(Words, WrapBreaksAtSpaces) { EXPECT_THAT(wrap("one two three", 8), ElementsAre("one two", "three")); }
TEST(Words, WrapBreaksAWordThatIsTooLong) {
  EXPECT_THAT(wrap("abcdefgh", 3), ElementsAre("abc", "def", "gh"));
}
TEST(Words, WrapKeepsLineBreaksAndIndents) {
  EXPECT_THAT(wrap("one\n\n  two three", 7), ElementsAre("one", "", "  two", "three"));
}
TEST(Words, WrapCountsCharactersNotBytes) { EXPECT_THAT(wrap("▒▒▒ ▒▒▒", 3), ElementsAre("▒▒▒", "▒▒▒")); }
TEST(Words, WrapOfNothingIsNoLine) { EXPECT_THAT(wrap("", 10), IsEmpty()); }

TEST(Words, HangingIndentsFurtherLines) {
  EXPECT_EQ(hanging("seen  ", "one two", 10), "seen  one\n      two\n");
}

TEST(Words, FittedPadsAndCuts) {
  EXPECT_EQ(fitted("ab", 4), "ab  ");
  EXPECT_EQ(fitted("abcdef", 4), "ab..");
}

TEST(Words, EscapeSequencesAndControlCharactersDoNotReachTheTerminal) {
  EXPECT_EQ(escaped("\x1b[31mred\x1b[0m\r\nbell\a"), "red\nbell?");
  EXPECT_EQ(escaped("cut \x1b["), "cut ");
}
TEST(Words, BytesThatAreNotUtf8BecomeQuestionMarks) { EXPECT_EQ(escaped("a\xff▒\xe2"), "a?▒?"); }
TEST(Words, TabsBecomeSpaces) { EXPECT_EQ(escaped("ab\tc\n\td"), "ab      c\n        d"); }

TEST(Words, DurationsHaveThreeDigitsAndAFittingUnit) {
  EXPECT_EQ(duration_words(nanoseconds{0}), "0 ns");
  EXPECT_EQ(duration_words(nanoseconds{850}), "850 ns");
  EXPECT_EQ(duration_words(nanoseconds{4'000}), "4 us");
  EXPECT_EQ(duration_words(nanoseconds{12'340}), "12.3 us");
  EXPECT_EQ(duration_words(nanoseconds{999'400}), "999 us");
  EXPECT_EQ(duration_words(nanoseconds{999'600}), "1 ms");
  EXPECT_EQ(duration_words(nanoseconds{1'240'000}), "1.24 ms");
  EXPECT_EQ(duration_words(nanoseconds{2'500'000'000}), "2.5 s");
}

TEST(TextLayout, PercentagesOfPartsAddUpTo100) {
  EXPECT_EQ(percent_of_sum({nanoseconds(785), nanoseconds(17), nanoseconds(198)}),
            (std::vector<long long>{78, 2, 20}));
  EXPECT_EQ(percent_of_sum({nanoseconds(1), nanoseconds(1), nanoseconds(1)}),
            (std::vector<long long>{34, 33, 33}));
  EXPECT_EQ(percent_of_sum({nanoseconds(0)}), std::vector<long long>{0});
}

}  // namespace
}  // namespace report

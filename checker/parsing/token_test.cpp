#include "parsing/token.h"

#include <gtest/gtest.h>

namespace parsing {
namespace {

std::vector<std::string> spellings(std::string_view text) {
  std::vector<std::string> words;
  for (const token& t : read_tokens(text).tokens) words.emplace_back(t.text);
  return words;
}

using words = std::vector<std::string>;

TEST(Token, StringsAndCharactersAreOneTokenEach) {
  EXPECT_EQ(spellings(R"x(f("a \" <<<", '\'', u8"b", L'c'))x"),
            (words{"f", "(", R"("a \" <<<")", ",", R"('\'')", ",", "u8\"b\"", ",", "L'c'", ")"}));
}

TEST(Token, RawStringEndsAtItsOwnDelimiter) {
  EXPECT_EQ(spellings("R\"x(k<<<1,1>>>(\")\n)x\" y"), (words{"R\"x(k<<<1,1>>>(\")\n)x\"", "y"}));
}

TEST(Token, NumbersKeepSeparatorsExponentsAndSuffixes) {
  EXPECT_EQ(spellings("1'000'000 1.5e-3f 0x1p+4 .5 1+2"),
            (words{"1'000'000", "1.5e-3f", "0x1p+4", ".5", "1", "+", "2"}));
}

TEST(Token, AngleBracketsAreSingleTokens) {
  EXPECT_EQ(spellings("k<<<a>>>(x->y)"),
            (words{"k", "<", "<", "<", "a", ">", ">", ">", "(", "x", "->", "y", ")"}));
}

TEST(Token, LineMarkersSetFileLineAndSystemFlag) {
  const token_list list = read_tokens("# 7 \"a \\\"b.cu\"\nx\n  y\n# 3 \"/usr/h.h\" 1 3 4\nz");
  ASSERT_EQ(list.tokens.size(), 3U);
  EXPECT_EQ(list.files[list.tokens[0].file].name(), "a \"b.cu");
  EXPECT_EQ(list.tokens[0].line, 7);
  EXPECT_EQ(list.tokens[1].line, 8);
  EXPECT_EQ(list.tokens[1].column, 3);
  EXPECT_EQ(list.tokens[2].line, 3);
  EXPECT_TRUE(list.files[list.tokens[2].file].is_system_header);
  EXPECT_TRUE(list.files[list.tokens[2].file].is_extern_c);
}

TEST(Token, PragmasAndCommentsAreNoTokens) {
  EXPECT_EQ(spellings("#pragma unroll 4\nx /* <<< \n */ y // z\nw"), (words{"x", "y", "w"}));
}

TEST(Token, ForgottenParenthesisLeavesTheBracesPaired) {
  const token_list list = read_tokens("{ f(a; }");
  EXPECT_EQ(list.partners[0], 5U);
  EXPECT_EQ(list.partners[2], token_list::no_token);
}

}  // namespace
}  // namespace parsing

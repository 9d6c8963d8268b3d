#include "parsing/pattern.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace parsing {
namespace {

using testing::ElementsAre;
using testing::Optional;

const pattern place(R"((\w+):(\d+))");

TEST(Pattern, MatchesTheWholeTextOnly) {
  EXPECT_THAT(place.match("main:12"), Optional(ElementsAre("main:12", "main", "12")));
  EXPECT_EQ(place.match("in main:12"), std::nullopt);
}

TEST(Pattern, SearchFindsTheFirstPlace) {
  EXPECT_THAT(place.search("from a:1 to b:2"), Optional(ElementsAre("a:1", "a", "1")));
  EXPECT_EQ(place.search("nowhere"), std::nullopt);
}

TEST(Pattern, FindsAllPlaces) {
  EXPECT_THAT(place.all_in("from a:1 to b:2"),
              ElementsAre(ElementsAre("a:1", "a", "1"), ElementsAre("b:2", "b", "2")));
}

TEST(Pattern, AGroupThatTookNoPartIsEmpty) {
  EXPECT_THAT(pattern("(a)|(b)").match("b"), Optional(ElementsAre("b", "", "b")));
}

TEST(Pattern, ReplacesAllPlaces) {
  EXPECT_EQ(place.replaced("from a:1 to b:2", "there"), "from there to there");
}

}  // namespace
}  // namespace parsing

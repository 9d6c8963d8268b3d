#include "runner/pictures.h"

#include <gmock/gmock.h>

#include <stdexcept>

namespace runner {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

std::optional<std::string> drawn(const std::string& name) { return "picture of " + name + "\n"; }

TEST(Pictures, EveryPictureIsDrawnByItsName) {
  EXPECT_EQ(with_pictures("a\n<!-- timeline: skeleton -->\n```text\nold\n```\n<!-- end -->\nb\n"
                          "<!-- timeline: solution -->\n<!-- end -->\n",
                          drawn),
            "a\n<!-- timeline: skeleton -->\n```text\npicture of skeleton\n```\n<!-- end -->\nb\n"
            "<!-- timeline: solution -->\n```text\npicture of solution\n```\n<!-- end -->\n");
}

TEST(Pictures, DrawingTwiceChangesNothing) {
  const std::string once = with_pictures("<!-- timeline: a, b -->\nx\n<!-- end -->\n", drawn);
  EXPECT_EQ(with_pictures(once, drawn), once);
}

TEST(Pictures, APageKeepsEverythingElse) {
  for (const std::string page : {"", "no picture", "text\n\n<!-- end -->\nlast line without end",
                                 "<!-- timeline: x -->\nold\n<!-- end -->"}) {
    EXPECT_EQ(with_pictures(page, [](const std::string&) { return std::nullopt; }), page);
  }
}

TEST(Pictures, APictureWithoutEndIsNamedWithItsLine) {
  for (const char* page :
       {"\n<!-- timeline: x -->\nold\n", "\n<!-- timeline: x -->\n<!-- timeline: y -->\n<!-- end -->\n"}) {
    EXPECT_THAT([&] { with_pictures(page, drawn); },
                ThrowsMessage<std::runtime_error>(HasSubstr("line 2: the picture 'x' has no")));
  }
}

TEST(FirstDifference, EqualTextsHaveNone) { EXPECT_FALSE(first_difference("a\nb\n", "a\nb\n")); }

TEST(FirstDifference, IsFoundInTheMiddleAndAtTheEnd) {
  const auto middle = first_difference("a\nb\nc\n", "a\nx\nc\n");
  ASSERT_TRUE(middle);
  EXPECT_EQ(middle->line, 2);
  EXPECT_EQ(middle->left, "b");
  EXPECT_EQ(middle->right, "x");
  const auto longer = first_difference("a\n", "a\nmore\n");
  ASSERT_TRUE(longer);
  EXPECT_EQ(longer->line, 2);
  EXPECT_EQ(longer->right, "more");
}

}  // namespace
}  // namespace runner

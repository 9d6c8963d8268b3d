#include "runner/verify/pictures.h"

#include <gmock/gmock.h>

#include <stdexcept>

namespace runner {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

std::optional<std::string> drawn(const std::string& name, picture_form form) {
  return form == picture_form::text ? "picture of " + name + "\n" : "![" + name + "](picture.svg)";
}

TEST(Pictures, EveryPictureIsDrawnByItsName) {
  EXPECT_EQ(with_pictures("a\n<!-- timeline: skeleton -->\n```text\nold\n```\n<!-- end -->\nb\n"
                          "<!-- timeline: solution -->\n<!-- end -->\n",
                          drawn),
            "a\n<!-- timeline: skeleton -->\n```text\npicture of skeleton\n```\n<!-- end -->\nb\n"
            "<!-- timeline: solution -->\n```text\npicture of solution\n```\n<!-- end -->\n");
}

TEST(Pictures, AnImageIsALineOfMarkdown) {
  EXPECT_EQ(with_pictures("<!-- drawing: solved -->\nold\n<!-- end -->\n", drawn),
            "<!-- drawing: solved -->\n![solved](picture.svg)\n<!-- end -->\n");
}

TEST(SameDrawing, NumbersMayDifferByOne) {
  EXPECT_TRUE(is_same_drawing("<rect x=\"10\" y=\"5\"/>", "<rect x=\"11\" y=\"4.2\"/>"));
  EXPECT_TRUE(is_same_drawing("", ""));
  EXPECT_FALSE(is_same_drawing("<rect x=\"10\"/>", "<rect x=\"12\"/>"));
  EXPECT_FALSE(is_same_drawing("<rect x=\"10\"/>", "<rect y=\"10\"/>"));
  EXPECT_FALSE(is_same_drawing("x1", "x1 2"));
  EXPECT_FALSE(is_same_drawing("a1", "a"));
}

TEST(Pictures, DrawingTwiceChangesNothing) {
  const std::string once = with_pictures("<!-- timeline: a, b -->\nx\n<!-- end -->\n", drawn);
  EXPECT_EQ(with_pictures(once, drawn), once);
}

TEST(Pictures, APageKeepsEverythingElse) {
  for (const std::string page : {"", "no picture", "text\n\n<!-- end -->\nlast line without end",
                                 "<!-- timeline: x -->\nold\n<!-- end -->"}) {
    EXPECT_EQ(with_pictures(page, [](const std::string&, picture_form) { return std::nullopt; }), page);
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

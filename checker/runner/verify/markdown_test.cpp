#include "runner/verify/markdown.h"

#include <gmock/gmock.h>

namespace runner {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> targets_in(std::string_view markdown) {
  std::vector<std::string> targets;
  for (const markdown_link& link : links_in(markdown)) targets.push_back(link.target);
  return targets;
}

TEST(Markdown, FindsLinksImagesDefinitionsAndBareAddresses) {
  EXPECT_THAT(
      targets_in("see [a](a.h#b) and ![p](p.png \"title\")\n[name]: https://x.org/y\n<http://bare.org>\n"),
      ElementsAre("a.h#b", "p.png", "https://x.org/y", "http://bare.org"));
}

TEST(Markdown, ALinkKnowsItsLine) { EXPECT_EQ(links_in("one\n\n[three](x)\n").at(0).line, 3); }

TEST(Markdown, ALinkWhoseTextIsCodeIsALink) {
  EXPECT_THAT(targets_in("edit [`a.cu`](a.cu)"), ElementsAre("a.cu"));
}

TEST(Markdown, WhatStandsInCodeIsNoLink) {
  EXPECT_THAT(targets_in("`[a](b)`\n```cpp\nlanes[0](x);\n// http://x.org\n```\n"), IsEmpty());
}

TEST(Markdown, FindsHeadingsOutsideOfCode) {
  EXPECT_THAT(headings_in("# Title\ntext # no\n```sh\n# comment\n```\n## The task\n"),
              ElementsAre("# Title", "## The task"));
}

}  // namespace
}  // namespace runner

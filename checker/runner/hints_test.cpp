#include "runner/hints.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runner {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr auto file = R"(# Hints

## Who waits?

Look at the host lane.

## Two lanes
for: CopiesOverlapKernels, no_overlap

One stream for
each lane.

```
## not a heading
```
)";

TEST(Hints, EachSectionIsAHint) {
  const std::vector<hint> hints = parse_hints(file);
  ASSERT_THAT(hints, SizeIs(2));
  EXPECT_EQ(hints[0].heading, "Who waits?");
  EXPECT_EQ(hints[0].text, "Look at the host lane.");
  EXPECT_EQ(hints[1].level, 2);
}

TEST(Hints, TheLineForNamesCriteriaAndIsNotShown) {
  const hint second = parse_hints(file).at(1);
  EXPECT_THAT(second.helps_with, ElementsAre("CopiesOverlapKernels", "no_overlap"));
  EXPECT_EQ(second.text.rfind("One stream for\neach lane.", 0), 0u);
}

TEST(Hints, HeadingsInsideCodeBelongToTheCode) {
  EXPECT_NE(parse_hints(file).at(1).text.find("## not a heading"), std::string::npos);
}

TEST(Hints, TextWithoutSectionsHoldsNone) { EXPECT_THAT(parse_hints("# Hints\n\nnone yet\n"), IsEmpty()); }

TEST(Hints, TheWeakestUnseenHintComesFirst) {
  EXPECT_EQ(next_hint(parse_hints(file), {}, {}).level, 1);
  EXPECT_EQ(next_hint(parse_hints(file), {1}, {}).level, 2);
}

TEST(Hints, AHintForTheFailedCriterionComesBeforeAWeakerOne) {
  EXPECT_EQ(next_hint(parse_hints(file), {}, {"CopiesOverlapKernels"}).level, 2);
  EXPECT_EQ(next_hint(parse_hints(file), {2}, {"CopiesOverlapKernels"}).level, 1);
}

TEST(Hints, WhatElseFailedComesBeforeHintsThatHelpWithNothingThatFailed) {
  const chosen_hint chosen = next_hint(parse_hints(file), {}, {"ItIsRight", "CopiesOverlapKernels"});
  EXPECT_EQ(chosen.level, 2);
  EXPECT_EQ(chosen.topic, "CopiesOverlapKernels");
}

TEST(Hints, AHintThatNothingAskedForNamesNoTopic) {
  EXPECT_EQ(next_hint(parse_hints(file), {2}, {"CopiesOverlapKernels"}).topic, "");
}

TEST(Hints, AfterTheLastHintThereIsNone) { EXPECT_EQ(next_hint(parse_hints(file), {1, 2}, {}).level, 0); }

}  // namespace
}  // namespace runner

#include "report/hints.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace report {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr auto file = R"(# Hints

## Who waits?
for: HostWaitsOnce

Look at the host lane.

## Two lanes
for: CopiesOverlapKernels, timeout, EveryElementIsRight as wrong_answer

One stream for
each lane.

```
## not a heading
```

## Who is last?
for: HostWaitsOnce, CopiesOverlapKernels, WorkIsOrdered

Wait at the end.

## The whole shape

All of it.
)";

chosen_hint first_for(const std::vector<failure>& failures, const std::set<int>& levels_seen = {}) {
  return next_hint(parse_hints(file), levels_seen, failures);
}

TEST(Hints, EachSectionIsAHint) {
  const std::vector<hint> hints = parse_hints(file);
  ASSERT_THAT(hints, SizeIs(4));
  EXPECT_EQ(hints[0].heading, "Who waits?");
  EXPECT_EQ(hints[0].text, "Look at the host lane.");
  EXPECT_EQ(hints[1].level, 2);
}

TEST(Hints, TheLineForNamesWhatItHelpsWithAndIsNotShown) {
  const hint second = parse_hints(file).at(1);
  EXPECT_THAT(second.helps_with,
              ElementsAre(hint_topic{"CopiesOverlapKernels", ""}, hint_topic{"timeout", ""},
                          hint_topic{"EveryElementIsRight", "wrong_answer"}));
  EXPECT_EQ(second.text.rfind("One stream for\neach lane.", 0), 0u);
}

TEST(Hints, HeadingsInsideCodeBelongToTheCode) {
  EXPECT_NE(parse_hints(file).at(1).text.find("## not a heading"), std::string::npos);
}

TEST(Hints, TextWithoutSectionsHoldsNone) { EXPECT_THAT(parse_hints("# Hints\n\nnone yet\n"), IsEmpty()); }

TEST(Hints, TheWeakestUnseenHintComesFirst) {
  EXPECT_EQ(first_for({}).level, 1);
  EXPECT_EQ(first_for({}, {1}).level, 2);
}

TEST(Hints, AHintForWhatFailedComesBeforeAWeakerOne) {
  const failure no_overlap{"CopiesOverlapKernels", run_verdict::no_overlap, ""};
  EXPECT_EQ(first_for({no_overlap}).level, 2);
  EXPECT_EQ(first_for({no_overlap}, {2}).level, 3);
  EXPECT_EQ(first_for({no_overlap}, {2, 3}).level, 4);
}

TEST(Hints, AHintForWhatIsDoneIsNotGiven) {
  const failure waits{"HostWaitsOnce", run_verdict::requirement_missed, ""};
  EXPECT_EQ(first_for({waits}, {1, 3}).level, 4);
  EXPECT_EQ(first_for({waits}, {1, 3, 4}).level, 0);
}

TEST(Hints, OfSeveralFailuresTheWeakestHintForAnyOfThemComesFirst) {
  EXPECT_EQ(first_for({{"CopiesOverlapKernels", run_verdict::no_overlap, ""},
                       {"HostWaitsOnce", run_verdict::requirement_missed, ""}})
                .level,
            1);
}

TEST(Hints, ACallThatFailedComesBeforeARaceAndThatBeforeWrongDataAndBothBeforeTheRest) {
  const failure wrong{"EveryElementIsRight", run_verdict::wrong_answer, ""};
  const failure race{"WorkIsOrdered", run_verdict::race_detected, ""};
  const failure waits{"HostWaitsOnce", run_verdict::requirement_missed, ""};
  EXPECT_EQ(first_for({wrong, waits}).level, 2);
  EXPECT_EQ(first_for({wrong, race, waits}).level, 3);
  EXPECT_EQ(first_for({wrong, race, waits, {"HostWaitsOnce", run_verdict::cuda_error, ""}}).level, 1);
}

TEST(Hints, AHintCanBeForOneWayOfFailing) {
  EXPECT_EQ(first_for({{"EveryElementIsRight", run_verdict::wrong_answer, ""}}).about, "EveryElementIsRight");
  EXPECT_EQ(first_for({{"EveryElementIsRight", run_verdict::cuda_error, ""}}).about, "");
}

TEST(Hints, AHintThatNamesTheMistakeComesBeforeTheOthers) {
  constexpr auto races = R"(
## Which two?
for: WorkIsOrdered

General.

## Who waits?
for: WorkIsOrdered as unfinished_at_return

The caller.

## Whose buffer?
for: WorkIsOrdered as buffer_reused

Two lanes.
)";
  const std::vector<hint> hints = parse_hints(races);
  const auto first = [&](const char* mistake, const std::set<int>& levels_seen) {
    return next_hint(hints, levels_seen, {{"WorkIsOrdered", run_verdict::race_detected, mistake}});
  };
  EXPECT_EQ(title_of(hints, first("buffer_reused", {})), "Hint 1 of 3, for WorkIsOrdered: Whose buffer?");
  EXPECT_EQ(title_of(hints, first("buffer_reused", {3})), "Hint 2 of 3, for WorkIsOrdered: Which two?");
  EXPECT_EQ(first("unfinished_at_return", {}).level, 2);
  EXPECT_EQ(first("", {}).level, 1);
}

TEST(Hints, TheTitleCountsTheHintsForWhatFailedAndSaysForWhatItIs) {
  const std::vector<hint> hints = parse_hints(file);
  const failure waits{"HostWaitsOnce", run_verdict::requirement_missed, ""};
  EXPECT_EQ(title_of(hints, first_for({waits}, {1})), "Hint 2 of 3, for HostWaitsOnce: Who is last?");
  EXPECT_EQ(title_of(hints, first_for({{"", run_verdict::timeout, ""}})),
            "Hint 1 of 4, for \"time limit\": Two lanes");
  EXPECT_EQ(title_of(hints, first_for({waits}, {1, 3})), "Hint 3 of 3: The whole shape");
  EXPECT_EQ(title_of(hints, hint_at(hints, 4)), "Hint 4 of 4: The whole shape");
}

TEST(Hints, AfterTheLastHintThereIsNone) { EXPECT_EQ(first_for({}, {1, 2, 3, 4}).level, 0); }

TEST(Hints, ARunWithoutCriteriaFailedAsAWhole) {
  report::result check;
  check.verdict = run_verdict::crashed;
  const std::vector<failure> failures = failures_in(check);
  ASSERT_THAT(failures, SizeIs(1));
  EXPECT_EQ(failures[0].criterion, "");
  EXPECT_EQ(failures[0].verdict, run_verdict::crashed);
  check.verdict = run_verdict::pass;
  EXPECT_THAT(failures_in(check), IsEmpty());
}

TEST(Hints, TellWhereTheFirstIsForAnotherFailureThanTheOneThatMatters) {
  const auto hints = parse_hints(
      "## One\nfor: WorkIsOrdered\n\nA.\n\n## Two\nfor: HostWaitsOnce as needless_wait\n\nB.\n\n## All\n\nC.\n");
  const failure order{"WorkIsOrdered", run_verdict::race_detected, ""};
  const failure wait{"HostWaitsOnce", run_verdict::requirement_missed, "needless_wait"};
  EXPECT_EQ(unfitting_first_hint(hints, {wait}, "HostWaitsOnce"), std::nullopt);
  const auto found = unfitting_first_hint(hints, {order, wait}, "HostWaitsOnce");
  ASSERT_NE(found, std::nullopt);
  EXPECT_EQ(found->heading, "One");
  EXPECT_EQ(unfitting_first_hint(hints, {order}, "HostWaitsOnce"), std::nullopt);
}

}  // namespace
}  // namespace report

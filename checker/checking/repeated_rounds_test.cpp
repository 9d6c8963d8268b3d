#include "checking/repeated_rounds.h"

#include <gmock/gmock.h>

namespace checking {
namespace {

using report::criterion_verdict;
using report::run_verdict;
using testing::HasSubstr;

constexpr criterion_verdict passes = criterion_verdict::pass;
constexpr criterion_verdict fails = criterion_verdict::fail;

round one(criterion_verdict verdict, run_verdict failure = run_verdict::no_overlap) {
  round made;
  report::criterion_result& only = made.criteria.emplace_back();
  only.name = "Overlaps";
  only.verdict = verdict;
  if (verdict == fails) {
    only.failure = failure;
    only.why.observation = "They did not.";
  }
  return made;
}

std::vector<round> rounds(int passed, int failed) {
  std::vector<round> all(static_cast<std::size_t>(passed), one(passes));
  all.insert(all.end(), static_cast<std::size_t>(failed), one(fails));
  return all;
}

report::criterion_result only_of(const std::vector<round>& all) {
  return verdict_of_rounds(all, 0).criteria.at(0);
}

TEST(MostThatDisagree, IsWhatTheSignTestAllows) {
  EXPECT_EQ(max_that_disagree(4), std::nullopt);  // 2 / 2^4 = 0.125
  EXPECT_EQ(max_that_disagree(5), 0u);            // 2 / 2^5 = 0.0625
  EXPECT_EQ(max_that_disagree(9), 1u);            // 20 / 2^9 = 0.039, with 2: 0.18
  EXPECT_EQ(max_that_disagree(15), 3u);           // 1152 / 2^15 = 0.035, with 4: 0.118
  EXPECT_EQ(max_that_disagree(21), 5u);           // 55792 / 2^21 = 0.027, with 6: 0.078
}

TEST(RoundsToLookAfter, CanDecideEachTime) {
  for (const std::size_t count : rounds_to_look_after()) EXPECT_TRUE(max_that_disagree(count).has_value());
}

TEST(VerdictOfRounds, PassesWhenAllPass) {
  EXPECT_EQ(only_of(rounds(5, 0)).verdict, passes);
  EXPECT_TRUE(verdict_of_rounds(rounds(5, 0), 0).is_decided);
}

TEST(VerdictOfRounds, FailsWhenAllFail) { EXPECT_EQ(only_of(rounds(0, 5)).verdict, fails); }

TEST(VerdictOfRounds, ADissentingRunAsksForMore) {
  const repeated_verdict verdict = verdict_of_rounds(rounds(4, 1), 0);
  EXPECT_FALSE(verdict.is_decided);
  EXPECT_EQ(verdict.criteria[0].verdict, criterion_verdict::not_observable);
  EXPECT_EQ(verdict.criteria[0].failure, run_verdict::inconclusive);
  EXPECT_THAT(verdict.criteria[0].note, HasSubstr("4 of 5"));
}

TEST(VerdictOfRounds, ADissentingRunIsOutvotedByEnoughOthers) {
  EXPECT_EQ(only_of(rounds(8, 1)).verdict, passes);
  EXPECT_THAT(only_of(rounds(8, 1)).note, HasSubstr("8 of 9"));
  EXPECT_EQ(only_of(rounds(1, 8)).verdict, fails);
}

TEST(VerdictOfRounds, WrongDataInOneRunFail) {
  std::vector<round> all = rounds(8, 0);
  all.push_back(one(fails, run_verdict::wrong_answer));
  EXPECT_EQ(only_of(all).verdict, fails);
  EXPECT_EQ(only_of(all).failure, run_verdict::wrong_answer);
}

TEST(VerdictOfRounds, WrongDataFailOnADisturbedGpuToo) {
  std::vector<round> all = rounds(4, 0);
  all.push_back(one(fails, run_verdict::wrong_answer));
  all.back().was_disturbed = true;
  EXPECT_EQ(only_of(all).verdict, fails);
}

TEST(VerdictOfRounds, SlownessOnADisturbedGpuIsNoFailure) {
  std::vector<round> all = rounds(0, 5);
  for (round& one : all) one.was_disturbed = true;
  const repeated_verdict verdict = verdict_of_rounds(all, 0);
  EXPECT_EQ(verdict.criteria[0].failure, run_verdict::inconclusive);
  EXPECT_THAT(verdict.criteria[0].note, HasSubstr("other programs"));
  EXPECT_FALSE(verdict.is_decided);
}

TEST(VerdictOfRounds, WhatADisturbedGpuCannotTellIsAskedForAgain) {
  std::vector<round> all(5, one(criterion_verdict::not_observable));
  for (round& one : all) {
    one.was_disturbed = true;
    one.criteria[0].failure = run_verdict::inconclusive;
  }
  const repeated_verdict verdict = verdict_of_rounds(all, 0);
  EXPECT_EQ(verdict.criteria[0].failure, run_verdict::inconclusive);
  EXPECT_FALSE(verdict.is_decided);
}

TEST(VerdictOfRounds, WhatNoRunCouldSeeIsNotAskedForAgain) {
  const std::vector<round> all(5, one(criterion_verdict::not_observable));
  const repeated_verdict verdict = verdict_of_rounds(all, 0);
  EXPECT_EQ(verdict.criteria[0].verdict, criterion_verdict::not_observable);
  EXPECT_TRUE(verdict.is_decided);
}

TEST(VerdictOfRounds, TheSpeakerSaysWhatWasMeasured) {
  std::vector<round> all = rounds(5, 0);
  for (std::size_t i = 0; i < all.size(); ++i) all[i].criteria[0].note = "run " + std::to_string(i);
  EXPECT_EQ(verdict_of_rounds(all, 3).criteria[0].note, "run 3");
}

}  // namespace
}  // namespace checking

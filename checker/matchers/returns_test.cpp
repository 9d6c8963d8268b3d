#include "matchers/returns.h"

#include <gmock/gmock.h>
#include <gtest/gtest-spi.h>

#include <limits>

#include "matchers/findings.h"
#include "matchers/poison.h"

namespace matchers {
namespace {

using testing::HasSubstr;

const std::vector<float> expected{1, 2, 3, 4, 5, 6};  // two batches of three

std::vector<scheduled_run> runs_with(const std::vector<float>& plain, const std::vector<float>& slow) {
  std::vector<scheduled_run> runs(2);
  runs[0].schedule = "as-is";
  runs[0].outcome.answer.set("output", plain);
  runs[1].schedule = "slow-copies";
  runs[1].outcome.answer.set("output", slow);
  return runs;
}

std::string seen_with(const std::vector<float>& plain, const std::vector<float>& slow) {
  findings_scope scope;
  Returns("output", expected).in_batches_of(3).MatchAndExplain(runs_with(plain, slow), nullptr);
  return scope.failures().at(0).why.seen;
}

TEST(Returns, PassesWhenEveryRunAnswersWhatIsExpected) {
  EXPECT_THAT(runs_with(expected, expected), Returns("output", expected).in_batches_of(3));
}

TEST(Returns, NamesScheduleElementBatchAndHowManyAreWrong) {
  findings_scope scope;
  EXPECT_NONFATAL_FAILURE(
      EXPECT_THAT(runs_with(expected, {1, 2, 3, 4, 9, 9}), Returns("output", expected).in_batches_of(3)),
      "2 of 6 elements of `output`, all at the end, are wrong in the run with copies ten times slower. The "
      "first is element 1 "
      "of batch 1 (element 4 of all): found 9, expected 5.");
  EXPECT_EQ(scope.failures().at(0).failure, report::run_verdict::wrong_answer);
  EXPECT_THAT(scope.failures().at(0).why.read_next, HasSubstr("do the pieces reach the last element"));
}

TEST(Returns, SaysNothingOfTheEndWhenMoreOrOthersAreWrong) {
  EXPECT_THAT(seen_with({9, 9, 9, 9, 9, 9}, expected), testing::Not(HasSubstr("at the end")));
  EXPECT_THAT(seen_with({1, 9, 3, 4, 5, 9}, expected), testing::Not(HasSubstr("at the end")));
}

TEST(Returns, RecognisesWhatWasNeverCopiedBack) {
  EXPECT_THAT(seen_with({1, poison::output, 3, 4, 5, 6}, expected), HasSubstr("its copy had not arrived"));
}

TEST(Returns, RecognisesWhatWasCopiedBackBeforeItWasComputed) {
  EXPECT_THAT(seen_with({1, poison::device, 3, 4, 5, 6}, expected),
              HasSubstr("before a kernel had written it"));
}

TEST(Returns, RecognisesWhatWasComputedFromUntouchedMemory) {
  EXPECT_THAT(seen_with({1, 3 * poison::device + 7, 3, 4, 5, 6}, expected),
              HasSubstr("the kernel ran before its input had arrived"));
}

TEST(Returns, RecognisesTheResultOfAnotherBatch) {
  EXPECT_THAT(seen_with({1, 2, 3, 4, 2, 6}, expected), HasSubstr("That is the result of batch 0"));
}

TEST(Returns, NotANumberIsWrongLikeAnyOtherValue) {
  EXPECT_THAT(seen_with({1, 2, 3, 4, 5, std::numeric_limits<float>::quiet_NaN()}, expected),
              HasSubstr("found nan"));
}

TEST(Returns, AMissingBufferIsAMistakeOfTheLesson) {
  std::vector<scheduled_run> runs(1);
  findings_scope scope;
  EXPECT_NONFATAL_FAILURE(EXPECT_THAT(runs, Returns("output", expected)), "");
  EXPECT_EQ(scope.failures().at(0).failure, report::run_verdict::infra_error);
}

TEST(Returns, ABufferOfAnotherSizeIsAMistakeOfTheLesson) {
  findings_scope scope;
  EXPECT_NONFATAL_FAILURE(EXPECT_THAT(runs_with({1, 2}, expected), Returns("output", expected)), "");
  EXPECT_EQ(scope.failures().at(0).failure, report::run_verdict::infra_error);
  EXPECT_THAT(scope.failures().at(0).why.seen, HasSubstr("2 elements instead of 6"));
}

}  // namespace
}  // namespace matchers

// evaluate() runs every registered test of its process, so it is tried in a process of its own:
// evaluate_test_program.cpp.
#include "checking/evaluate.h"

#include <gmock/gmock.h>

#include "processes/run.h"

namespace checking {
namespace {

using processes::run_tool;
using testing::HasSubstr;
using testing::Not;

TEST(Evaluate, EachCriterionIsJudgedByItself) {
  const processes::outcome outcome = run_tool({STREAMLINGS_EVALUATE_PROGRAM});
  EXPECT_EQ(outcome.exit_status, 0);
  EXPECT_EQ(outcome.output,
            "Passes 40 pass 'measured 7'\n"
            "FailsWithEvidence 30 fail race_detected 'two reads'\n"
            "IsNotObservable 20 not_observable 'cannot look'\n"
            "TakesTheGraverOfTwoFailures 5 fail cuda_error 'a call failed'\n"
            "JudgesLengths 0 pass 'by events'\n"
            "FailsByLengths 0 fail too_slow 'took too long'\n"
            "ComparesWithCalibration 0 pass '1.2 times'\n"
            "FailsWithoutEvidence 5 fail requirement_missed\n");
}

TEST(Evaluate, RoundsAreJudgedOneByOneUntilThereAreNoMore) {
  const processes::outcome outcome = run_tool({STREAMLINGS_EVALUATE_PROGRAM, "rounds"});
  EXPECT_EQ(outcome.exit_status, 0);
  EXPECT_THAT(outcome.output, HasSubstr("round 1\nPasses 40 pass 'measured 7'\n"));
  EXPECT_THAT(outcome.output, HasSubstr("round 2\nPasses 40 fail requirement_missed"));
  EXPECT_THAT(outcome.output, Not(HasSubstr("round 5")));
}

TEST(Evaluate, WithoutARecordingNothingButDataAndLengthsByEventsIsJudged) {
  const processes::outcome outcome = run_tool({STREAMLINGS_EVALUATE_PROGRAM, "rounds"});
  EXPECT_THAT(outcome.output, HasSubstr("round 3\nPasses 40 not_observable 'nothing was recorded'\n"
                                        "FailsWithEvidence 30 not_observable 'nothing was recorded'\n"));
  EXPECT_THAT(outcome.output.substr(outcome.output.find("round 3")),
              HasSubstr("JudgesLengths 0 pass 'by events'\n"
                        "FailsByLengths 0 fail too_slow 'took too long'\n"));
}

TEST(Evaluate, BesideOtherProgramsNothingPassesBecauseCalibrationTookLonger) {
  const processes::outcome outcome = run_tool({STREAMLINGS_EVALUATE_PROGRAM, "rounds"});
  const std::string last = outcome.output.substr(outcome.output.find("round 4"));
  EXPECT_THAT(
      last, HasSubstr("ComparesWithCalibration 0 not_observable 'other programs used the GPU, perhaps during "
                      "the calibration'\n"));
  EXPECT_THAT(last, HasSubstr("round 4\nPasses 40 pass 'measured 7'\n"));
  EXPECT_THAT(last, HasSubstr("JudgesLengths 0 pass 'by events'\n"));
  EXPECT_THAT(last, HasSubstr("FailsByLengths 0 fail too_slow 'took too long'\n"));
}

TEST(Evaluate, OptionsOfGoogleTestInTheEnvironmentChangeNothing) {
  const processes::outcome plain = run_tool({STREAMLINGS_EVALUATE_PROGRAM});
  const processes::outcome filtered = run_tool(
      {"/usr/bin/env", "GTEST_FILTER=-*", "GTEST_TOTAL_SHARDS=2", "GTEST_SHARD_INDEX=1",
       "GTEST_OUTPUT=xml:/dev/stdout", "GTEST_FAIL_FAST=1", "GTEST_REPEAT=2", STREAMLINGS_EVALUATE_PROGRAM});
  EXPECT_EQ(filtered.output, plain.output);
}

}  // namespace
}  // namespace checking

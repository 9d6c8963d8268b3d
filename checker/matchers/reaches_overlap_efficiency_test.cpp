#include "matchers/reaches_overlap_efficiency.h"

#include <gmock/gmock.h>
#include <gtest/gtest-spi.h>

#include "matchers/calibrated_sample_run.h"
#include "matchers/findings.h"

namespace matchers {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Two chunks, the second so late that all ends at `end`. Serial is 450 us, attainable 261 us.
calibrated_sample_run two_chunks(int end) {
  calibrated_sample_run run;
  run.copy_to_device(run.lane[0], run.at(0, 100), 12);
  run.kernel(run.lane[0], run.at(100, 175), 13);
  run.copy_to_host(run.lane[0], run.at(175, 225), 14);
  run.copy_to_device(run.lane[1], run.at(end - 225, end - 125), 12);
  run.kernel(run.lane[1], run.at(end - 125, end - 50), 13);
  run.copy_to_host(run.lane[1], run.at(end - 50, end), 14);
  return run;
}

TEST(ReachesOverlapEfficiency, PassesAndNotesTheShareOfTheGain) {
  calibrated_sample_run run = two_chunks(325);
  findings_scope scope;
  EXPECT_THAT(run.judged(), ReachesOverlapEfficiency().at_least(0.65));
  EXPECT_THAT(scope.notes(), ElementsAre("0.66, required 0.65: 325 us instead of 450 us"));
}

TEST(ReachesOverlapEfficiency, IsTooSlowAndNamesThePauseOfTheBusiestStage) {
  calibrated_sample_run run = two_chunks(400);
  findings_scope scope;
  EXPECT_NONFATAL_FAILURE(EXPECT_THAT(run.judged(), ReachesOverlapEfficiency().at_least(0.8)),
                          "Yours took 400 us, which gains 26 %.");
  EXPECT_EQ(scope.failures().at(0).failure, report::run_verdict::too_slow);
  EXPECT_EQ(scope.failures().at(0).why.where, "async_copy.cu:12");
  EXPECT_THAT(scope.failures().at(0).why.seen, HasSubstr("they did from 100 us to 175 us"));
}

TEST(ReachesOverlapEfficiency, JudgesByEventsWhereNothingElseWasRecordedAndDoesNotExplain) {
  calibrated_sample_run run = two_chunks(400);
  run.recording().diagnostics.push_back({trace::diagnostic_kind::not_recorded, "refused", 0, {}});
  findings_scope scope;
  EXPECT_NONFATAL_FAILURE(EXPECT_THAT(run.judged(), ReachesOverlapEfficiency().at_least(0.8)),
                          "Yours took 400 us, which gains 26 %. That is by events");
  EXPECT_TRUE(scope.judged_lengths());
  EXPECT_TRUE(scope.compared_with_calibration());
  EXPECT_EQ(scope.failures().at(0).why.where, "");
  EXPECT_THAT(run.judged(), ReachesOverlapEfficiency().at_least(0.2));
  EXPECT_THAT(scope.notes(), ElementsAre("0.26, required 0.20: 400 us instead of 450 us, by events"));
}

TEST(ReachesOverlapEfficiency, HasNoOverlapWhenNothingIsGained) {
  calibrated_sample_run run = two_chunks(500);
  findings_scope scope;
  EXPECT_NONFATAL_FAILURE(EXPECT_THAT(run.judged(), ReachesOverlapEfficiency().at_least(0.8)),
                          "gains nothing");
  EXPECT_EQ(scope.failures().at(0).failure, report::run_verdict::no_overlap);
}

TEST(ReachesOverlapEfficiency, SaysThatOneChunkCannotOverlap) {
  calibrated_sample_run run;
  run.copy_to_device(run.lane[0], run.at(0, 200), 12);
  run.kernel(run.lane[0], run.at(200, 350), 13);
  run.copy_to_host(run.lane[0], run.at(350, 450), 14);
  EXPECT_NONFATAL_FAILURE(EXPECT_THAT(run.judged(), ReachesOverlapEfficiency().at_least(0.8)),
                          "All of it is one chunk");
}

TEST(ReachesOverlapEfficiency, SaysThatTheFirstKernelWasLate) {
  calibrated_sample_run run;
  run.copy_to_device(run.lane[0], run.at(0, 200), 12);
  for (int chunk = 0; chunk < 8; ++chunk) {
    run.kernel(run.lane[0], run.at(200 + 20 * chunk, 220 + 20 * chunk), 13);
  }
  EXPECT_NONFATAL_FAILURE(EXPECT_THAT(run.judged(), ReachesOverlapEfficiency().at_least(0.8)),
                          "No kernel ran before 200 us");
}

TEST(ReachesOverlapEfficiency, SaysWhenTheNumberOfChunksIsTheReason) {
  calibrated_sample_run run = two_chunks(325);
  EXPECT_NONFATAL_FAILURE(EXPECT_THAT(run.judged(), ReachesOverlapEfficiency().at_least(0.8)),
                          "It has 2 chunks where 8 are best");
}

TEST(ReachesOverlapEfficiency, FailsWhenNothingWasDone) {
  calibrated_sample_run run;
  EXPECT_NONFATAL_FAILURE(EXPECT_THAT(run.judged(), ReachesOverlapEfficiency().at_least(0.8)),
                          "There were no copies and no kernels.");
}

TEST(ReachesOverlapEfficiency, DoesNotBelieveWhatIsFasterThanTheCopies) {
  calibrated_sample_run run;
  run.copy_to_device(run.lane[0], run.at(0, 100), 12);
  findings_scope scope;
  EXPECT_THAT(run.judged(), ReachesOverlapEfficiency().at_least(0.8));
  EXPECT_EQ(scope.not_observable().size(), 1u);
}

TEST(ReachesOverlapEfficiency, IsNotObservableWhereLittleCanBeGained) {
  // One engine for both directions, busy from the beginning to the end, and a kernel of no length.
  calibrated_sample_run run(1);
  run.recording().operations.at(2).end = run.recording().operations.at(2).start;
  run.recording().operations.at(3).start = run.recording().operations.at(2).start;
  run.copy_to_device(run.lane[0], run.at(0, 450), 12);
  findings_scope scope;
  EXPECT_THAT(run.judged(), ReachesOverlapEfficiency().at_least(0.8));
  EXPECT_EQ(scope.not_observable().size(), 1u);
}

}  // namespace
}  // namespace matchers

#include "matchers/lasts.h"

#include <gmock/gmock.h>

#include "matchers/findings.h"
#include "matchers/sample_run.h"

namespace matchers {
namespace {

using std::chrono::microseconds;
using testing::HasSubstr;
using testing::Not;

// Kernels from 100 us to 200 us and from 250 us to 350 us.
sample_run with_a_pause() {
  sample_run run;
  run.kernel(run.lane[0], {100, 200}, 12);
  run.kernel(run.lane[0], {250, 350}, 13);
  return run;
}

TEST(Lasts, PassesUpToTheAllowedRatioAndNotesIt) {
  sample_run run = with_a_pause();
  findings_scope scope;
  EXPECT_THAT(run.learner(), Lasts(kernels()).at_most(1.25, microseconds(200)));
  EXPECT_THAT(scope.notes(), testing::ElementsAre("1.25 times as long as alone, allowed 1.25"));
  EXPECT_TRUE(scope.compared_with_calibration());
}

TEST(Lasts, FailsAboveItWithTheLongestPauseAndItsLine) {
  sample_run run = with_a_pause();
  findings_scope scope;
  EXPECT_THAT(run.learner(), Not(Lasts(kernels()).at_most(1.2, microseconds(200))));
  ASSERT_EQ(scope.failures().size(), 1u);
  const finding& found = scope.failures()[0];
  EXPECT_EQ(found.failure, report::run_verdict::too_slow);
  EXPECT_THAT(found.why.seen,
              HasSubstr("it took 250 us, 1.25 times as long. The longest pause, 50 us, is before "
                        "the kernel transform 2 in stream 2, which starts at 250 us."));
  EXPECT_EQ(found.why.where, "async_copy.cu:13");
}

TEST(Lasts, WorkSideBySideIsNoPause) {
  sample_run run;
  run.kernel(run.lane[0], {0, 300}, 12);
  run.kernel(run.lane[1], {100, 200}, 13);
  run.kernel(run.lane[1], {250, 400}, 13);
  findings_scope scope;
  EXPECT_THAT(run.learner(), Not(Lasts(kernels()).at_most(1, microseconds(200))));
  EXPECT_THAT(scope.failures().at(0).why.seen, Not(HasSubstr("longest pause")));
}

TEST(Lasts, DoesNotBlameAPauseThatIsTooShortToMatter) {
  sample_run run;
  run.kernel(run.lane[0], {100, 300}, 12);
  run.kernel(run.lane[0], {301, 500}, 13);
  run.recording().operations[0].grid = {40, 1, 1};
  run.recording().operations[1].grid = {20, 1, 1};
  findings_scope scope;
  EXPECT_THAT(run.learner(), Not(Lasts(kernels()).at_most(1, microseconds(200))));
  ASSERT_EQ(scope.failures().size(), 1u);
  const report::evidence& why = scope.failures()[0].why;
  EXPECT_THAT(why.seen, HasSubstr("it took 400 us, 2.00 times as long. No pause explains that: kernels were "
                                  "running for 399 us."));
  EXPECT_THAT(why.seen, HasSubstr("the kernel transform 2 in stream 2 has 20 blocks."));
  EXPECT_EQ(why.where, "async_copy.cu:13");
  EXPECT_THAT(why.read_next, HasSubstr("How many blocks"));
}

TEST(Lasts, SaysSoWhenThereIsNothing) {
  sample_run run;
  findings_scope scope;
  EXPECT_THAT(run.learner(), Not(Lasts(kernels()).at_most(1, microseconds(200))));
  EXPECT_EQ(scope.failures().at(0).why.seen, "There were no kernels at all.");
}

}  // namespace
}  // namespace matchers

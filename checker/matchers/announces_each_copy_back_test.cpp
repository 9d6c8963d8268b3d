#include "matchers/announces_each_copy_back.h"

#include <gmock/gmock.h>
#include <gtest/gtest-spi.h>

#include "matchers/findings.h"
#include "matchers/sample_run.h"

namespace matchers {
namespace {

TEST(AnnouncesEachCopyBack, PassesWhenAFunctionFollowsEach) {
  sample_run run;
  for (int begin = 0; begin < 300; begin += 100) {
    run.kernel(run.lane[0], {begin, begin + 20}, 13);
    run.copy_to_host(run.lane[0], {begin + 20, begin + 40}, 14);
    run.host_function(run.lane[0], {begin + 40, begin + 50}, 15);
  }
  EXPECT_THAT(run.learner(), AnnouncesEachCopyBack());
}

TEST(AnnouncesEachCopyBack, FailsWhenTheFunctionComesBeforeTheCopy) {
  sample_run run;
  for (int begin = 0; begin < 300; begin += 100) {
    run.kernel(run.lane[0], {begin, begin + 20}, 13);
    run.host_function(run.lane[0], {begin + 20, begin + 30}, 15);
    run.copy_to_host(run.lane[0], {begin + 30, begin + 40}, 14);
  }
  findings_scope scope;
  EXPECT_NONFATAL_FAILURE(EXPECT_THAT(run.learner(), AnnouncesEachCopyBack()),
                          "No host function comes after the copy D2H 3 of 1.0 MB to the host in stream 2, "
                          "one of 3 such copies.");
  EXPECT_EQ(scope.failures().at(0).why.where, "async_copy.cu:14");
}

TEST(AnnouncesEachCopyBack, AFunctionAtTheEndAnnouncesOnlyTheLast) {
  sample_run run;
  for (int begin = 0; begin < 300; begin += 100) {
    run.kernel(run.lane[0], {begin, begin + 20}, 13);
    run.copy_to_host(run.lane[0], {begin + 30, begin + 40}, 14);
  }
  run.host_function(run.lane[0], {300, 310}, 15);
  EXPECT_NONFATAL_FAILURE(EXPECT_THAT(run.learner(), AnnouncesEachCopyBack()), "after the copy D2H 1 of");
}

TEST(AnnouncesEachCopyBack, AResultMayComeBackInTwoCopies) {
  sample_run run;
  run.kernel(run.lane[0], {0, 20}, 13);
  run.copy_to_host(run.lane[0], {20, 40}, 14);
  run.copy_to_host(run.lane[0], {40, 60}, 14);
  run.host_function(run.lane[0], {60, 70}, 15);
  EXPECT_THAT(run.learner(), AnnouncesEachCopyBack());
}

TEST(AnnouncesEachCopyBack, AnEventMayLeadToAFunctionInAnotherStream) {
  sample_run run;
  run.kernel(run.lane[0], {0, 20}, 13);
  run.copy_to_host(run.lane[0], {20, 40}, 14);
  const trace::operation_id record = run.marker(trace::operation_kind::event_record, run.lane[0], 40, 15);
  const trace::operation_id wait = run.marker(trace::operation_kind::event_wait, run.lane[1], 41, 16);
  run.host_function(run.lane[1], {41, 50}, 17);
  EXPECT_THAT(run.learner(), testing::Not(AnnouncesEachCopyBack()));
  run.recording().operations[wait - 1].captured = record;
  EXPECT_THAT(run.learner(), AnnouncesEachCopyBack());
}

TEST(AnnouncesEachCopyBack, FailsWhenThereIsNoFunctionOrNoCopy) {
  sample_run run;
  EXPECT_NONFATAL_FAILURE(EXPECT_THAT(run.learner(), AnnouncesEachCopyBack()),
                          "Nothing was copied to the host.");
  run.kernel(run.lane[0], {0, 20}, 13);
  run.copy_to_host(run.lane[0], {20, 40}, 14);
  EXPECT_NONFATAL_FAILURE(EXPECT_THAT(run.learner(), AnnouncesEachCopyBack()),
                          "There were no host functions at all.");
}

}  // namespace
}  // namespace matchers

#include "matchers/parts_last.h"

#include <gmock/gmock.h>

#include "matchers/findings.h"
#include "matchers/sample_run.h"

namespace matchers {
namespace {

using std::chrono::microseconds;
using testing::HasSubstr;
using testing::Not;

// Request 1 from 0 us to 100 us; request 2 from 200 us to 500 us, with a kernel that starts 200 us late.
analysis::part two_requests(sample_run& run) {
  run.kernel(run.lane[0], {10, 90}, 12);
  run.kernel(run.lane[0], {400, 490}, 13);
  run.recording().operations[1].issued = microseconds(200);
  run.call("cudaStreamSynchronize", {490, 600}, 14);
  run.learner();
  std::vector<trace::mark>& marks = run.recording().marks;
  const std::vector<trace::mark> requests{{"begin:request 1", microseconds(0), 0, 0},
                                          {"end:request 1", microseconds(100), 1, 1},
                                          {"begin:request 2", microseconds(200), 1, 1},
                                          {"end:request 2", microseconds(500), 3, 2}};
  marks.insert(marks.begin() + 1, requests.begin(), requests.end());
  return analysis::part_of(run.recording(), "learner");
}

TEST(PartsLast, PassesWhenTheSlowestIsFastEnoughAndNotesIt) {
  sample_run run;
  findings_scope scope;
  EXPECT_THAT(two_requests(run), PartsLast("request", 2).at_most(1.5, microseconds(200)));
  EXPECT_THAT(scope.notes(),
              testing::ElementsAre("the slowest took 1.50 times the attainable, allowed 1.50"));
  EXPECT_TRUE(scope.compared_with_calibration());
}

TEST(PartsLast, NamesTheSlowestAndItsWorkThatWaitedLongest) {
  sample_run run;
  findings_scope scope;
  EXPECT_THAT(two_requests(run), Not(PartsLast("request", 2).at_most(1.4, microseconds(200))));
  ASSERT_EQ(scope.failures().size(), 1u);
  EXPECT_EQ(scope.failures()[0].failure, report::run_verdict::too_slow);
  EXPECT_THAT(
      scope.failures()[0].why.seen,
      HasSubstr("Request 2 took 300 us, 1.50 times as long. Of its work, the kernel transform 2 in stream 2 "
                "waited longest: queued at 200 us, started at 400 us."));
  EXPECT_EQ(scope.failures()[0].why.where, "async_copy.cu:13");
}

TEST(PartsLast, DoesNotBlameWorkThatOnlyFollowsOtherWorkOfTheSamePart) {
  sample_run run;
  const auto kernel = run.kernel(run.lane[0], {300, 400}, 12);
  const auto copy = run.copy_to_host(run.lane[0], {400, 500}, 13);
  run.recording().operations[copy - 1].issued = microseconds(0);
  run.recording().operations[kernel - 1].issued = microseconds(0);
  run.recording().operations[copy - 1].waited_for = {
      {.kind = trace::constraint_kind::stream_order, .operation = kernel}};
  run.learner();
  std::vector<trace::mark>& marks = run.recording().marks;
  marks.insert(marks.begin() + 1,
               {{"begin:request 1", microseconds(0), 0, 0}, {"end:request 1", microseconds(500), 2, 2}});
  findings_scope scope;
  EXPECT_THAT(analysis::part_of(run.recording(), "learner"),
              Not(PartsLast("request", 1).at_most(1, microseconds(100))));
  EXPECT_EQ(scope.failures().at(0).why.where, "async_copy.cu:12");
}

TEST(PartsLast, NamesTheCallThatWaitsLongerThanTheWorkTakes) {
  sample_run run;
  run.kernel(run.lane[0], {110, 200}, 12);
  run.recording().operations[0].issued = microseconds(100);
  run.call("cudaDeviceSynchronize", {150, 900}, 14);
  run.learner();
  std::vector<trace::mark>& marks = run.recording().marks;
  marks.insert(marks.begin() + 1,
               {{"begin:request 1", microseconds(0), 0, 0}, {"end:request 1", microseconds(900), 2, 1}});
  findings_scope scope;
  EXPECT_THAT(analysis::part_of(run.recording(), "learner"),
              Not(PartsLast("request", 1).at_most(1, microseconds(200))));
  ASSERT_EQ(scope.failures().size(), 1u);
  EXPECT_THAT(scope.failures()[0].why.seen,
              HasSubstr("All its work was done at 200 us. The host was in cudaDeviceSynchronize "
                        "(async_copy.cu:14) until 900 us: that call waits for more than that work."));
  EXPECT_EQ(scope.failures()[0].why.where, "async_copy.cu:14");
}

TEST(PartsLast, FailsWhenOneIsMissing) {
  sample_run run;
  findings_scope scope;
  EXPECT_THAT(two_requests(run), Not(PartsLast("request", 3).at_most(100, microseconds(200))));
  EXPECT_EQ(scope.failures().at(0).failure, report::run_verdict::requirement_missed);
  EXPECT_EQ(scope.failures().at(0).why.seen, "request 3 of 3 never began or was never ended.");
}

}  // namespace
}  // namespace matchers

#include "matchers/waits_for_recorded_events.h"

#include <gmock/gmock.h>

#include "matchers/findings.h"
#include "matchers/sample_run.h"

namespace matchers {
namespace {

using testing::HasSubstr;
using testing::Not;

// A wait of the second lane for `captured`, on line 14.
sample_run waiting_for(trace::operation_id captured) {
  sample_run run;
  const auto marker = run.kernel(run.lane[1], {0, 1}, 14);
  trace::operation& wait = run.recording().operations[marker - 1];
  wait.kind = trace::operation_kind::event_wait;
  wait.captured = captured;
  run.recording().calls.back().function = trace::api_function::cudaStreamWaitEvent;
  return run;
}

TEST(WaitsForRecordedEvents, PassesWhenTheWaitKnowsItsRecord) {
  EXPECT_THAT(waiting_for(7).learner(), WaitsForRecordedEvents());
}

TEST(WaitsForRecordedEvents, NamesTheLineOfAWaitForNothing) {
  findings_scope scope;
  EXPECT_THAT(waiting_for(0).learner(), Not(WaitsForRecordedEvents()));
  ASSERT_EQ(scope.failures().size(), 1u);
  EXPECT_EQ(scope.failures()[0].failure, report::run_verdict::race_detected);
  EXPECT_THAT(
      scope.failures()[0].why.seen,
      HasSubstr("cudaStreamWaitEvent (async_copy.cu:14) waits for an event that no call had recorded yet."));
  EXPECT_EQ(scope.failures()[0].why.where, "async_copy.cu:14");
}

TEST(WaitsForRecordedEvents, LooksAtWaitsOfTheHostToo) {
  sample_run run;
  run.call("cudaEventSynchronize", {0, 1}, 15);
  EXPECT_THAT(run.learner(), Not(WaitsForRecordedEvents()));
}

}  // namespace
}  // namespace matchers

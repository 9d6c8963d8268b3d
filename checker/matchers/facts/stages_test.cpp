#include "matchers/facts/stages.h"

#include <gmock/gmock.h>

#include "matchers/sample_run.h"

namespace matchers {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

TEST(Stages, KnowsCopiesOfBothDirectionsAndKernels) {
  sample_run run;
  const auto upload = run.copy_to_device(run.lane[0], {0, 10}, 1);
  const auto add = run.kernel(run.lane[0], {10, 30}, 2);
  const auto out = run.copy_to_host(run.lane[0], {30, 35}, 3);
  EXPECT_THAT(operations_of(run.learner().part(), stage::copy_to_device), ElementsAre(upload));
  EXPECT_THAT(operations_of(run.learner().part(), stage::kernel), ElementsAre(add));
  EXPECT_THAT(operations_of(run.learner().part(), stage::copy_to_host), ElementsAre(out));
  EXPECT_EQ(length_of(run.learner().part(), stage::kernel), 20us);
}

TEST(Stages, LeavesOutWhatIsNoStage) {
  sample_run run;
  const auto upload = run.copy_to_device(run.lane[0], {0, 10}, 1);
  const auto event = run.kernel(run.lane[0], {10, 10}, 2);
  run.recording().operations.at(event - 1).kind = trace::operation_kind::event_record;
  const auto inside = run.copy_to_device(run.lane[0], {10, 20}, 3);
  run.recording().operations.at(inside - 1).source = trace::memory_kind::device;
  EXPECT_THAT(staged_operations(run.learner().part()), ElementsAre(upload));
}

TEST(Stages, TimeInCallsGoesFromTheFirstCallToTheLastEnd) {
  sample_run run;
  run.kernel(run.lane[0], {20, 90}, 1);
  run.call("cudaDeviceSynchronize", {21, 92}, 2);
  EXPECT_EQ(time_in_calls(run.learner().part()), 72us);
  EXPECT_EQ(time_in_calls(sample_run().learner().part()), 0us);
}

}  // namespace
}  // namespace matchers

// The rubric of lesson 05: events.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "checking/criterion.h"
#include "matchers/matchers.h"

using namespace checking;
using namespace matchers;

namespace {

using picture = std::vector<float>;

picture smoothened(const picture& right, const picture& weights) {
  picture smooth(right.size());
  for (std::size_t i = 0; i < right.size(); ++i) smooth[i] = right[i] - 2.0f * weights[i % weights.size()];
  return smooth;
}

picture blended(const picture& left, const picture& right, const picture& weights) {
  picture result = smoothened(right, weights);
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i] = 2.0f * (3.0f * left[i] + weights[i % weights.size()]) - result[i];
  }
  return result;
}

picture mirrored(const picture& right, const picture& weights) {
  const picture smooth = smoothened(right, weights);
  return {smooth.rbegin(), smooth.rend()};
}

const operation_set sharpen{"sharpen kernels",
                            [](const trace::operation& operation) { return operation.name == "sharpen"; }};
const operation_set smoothen{"smoothen kernels",
                             [](const trace::operation& operation) { return operation.name == "smoothen"; }};
const operation_set blend{"blend kernels",
                          [](const trace::operation& operation) { return operation.name == "blend"; }};
const operation_set mirror{"mirror kernels",
                           [](const trace::operation& operation) { return operation.name == "mirror"; }};

class Events : public lesson_check {
 public:
  static exercise::message make_request(random_values& values, const requested_work& work) {
    exercise::message request;
    // No multiple of a thread block, and the weights do not divide a picture.
    const std::int64_t elements = work.by_plan(250'007, 60'013);
    request.set("blocks", work.by_plan(16, 12));
    request.set("left", values.quarters(elements, -500, 500));
    request.set("right", values.quarters(elements, -500, 500));
    request.set("weights", values.quarters(work.by_plan(257, 101), -100, 100));
    request.set("kernel_to_copy", 6.0);  // length of a kernel, in lengths of the copy of one picture
    poison::add_to(request);
    return request;
  }

 protected:
  const picture& sent(const char* name) const { return request().values<float>(name); }
  /// The part of the call of milliseconds_of_smoothen().
  matchers::subject timing() const { return part("timing"); }
  trace::nanoseconds kernel_alone() const {
    return trace::nanoseconds(std::llround(answer().number("calibrated.kernel_nanoseconds")));
  }
  double returned_milliseconds() const { return answer().number("milliseconds_of_smoothen"); }
};

SECOND_PROFILE("k20c");

SKELETON_FAILS("BranchesRunSideBySide", "HostQueuesAllWorkBeforeWaiting", "BlendWaitsForNothingElse",
               "EveryEventIsDestroyed", "KernelIsMeasured");

// "Computes both outputs." "May be called again."
CRITERION(Events, EveryElementIsRight, 15, "every element of both results is right") {
  EXPECT_THAT(run(), HasNoFailedCalls());
  const std::int64_t threads = 256;  // threads_per_block in events.h
  EXPECT_THAT(run(), LaunchesBlocksOf(threads, kernels(), request().integer("blocks")));
  EXPECT_THAT(timing(), LaunchesBlocksOf(threads, kernels(), request().integer("blocks")));
  EXPECT_THAT(run(), Returns("blended", blended(sent("left"), sent("right"), sent("weights"))));
  EXPECT_THAT(run(), Returns("mirrored", mirrored(sent("right"), sent("weights"))));
  EXPECT_THAT(run(), ComesFromTheDevice("blended"));
  EXPECT_THAT(run(), ComesFromTheDevice("mirrored"));
  EXPECT_THAT(run(), CopiesNothingInVain());
  EXPECT_THAT(run(), WorkInDeviceMemory(kernels()));
  for (const operation_set& kernel : {sharpen, smoothen, mirror, blend})
    EXPECT_THAT(run(), Launches(1, kernel));
}

// "When it returns, they are complete."
CRITERION(Events, WorkIsOrdered, 20, "whatever touches the same bytes is in order") {
  EXPECT_THAT(run(), WaitsForRecordedEvents());
  EXPECT_THAT(run(), IsOrdered());
  EXPECT_THAT(timing(), IsOrdered());
}

// "an event in place of the wait: `smoothen` needs the weights, and nothing else of the left stream"
// "an event in place of the wait: `blend` needs `smoothen`, and nothing else of the right stream"
CRITERION(Events, HostQueuesAllWorkBeforeWaiting, 15, "the host queues all work before it waits") {
  EXPECT_THAT(run(), QueuesAllWorkBeforeWaiting());
}

// "an event in place of the wait: `smoothen` needs the weights, and nothing else of the left stream"
CRITERION(Events, BranchesRunSideBySide, 15, "smoothen runs while sharpen runs") {
  EXPECT_THAT(run(), Overlaps(smoothen, sharpen).at_least(0.6));
  EXPECT_THAT(run(), WaitsOnlyForWhatItNeeds(smoothen));
  EXPECT_THAT(run(), WorkInFull(kernels()).in_every_launch(kernel_alone()));
  EXPECT_THAT(run(), WorksFor("cycles", kernels()));
}

// "an event in place of the wait: `blend` needs `smoothen`, and nothing else of the right stream"
CRITERION(Events, BlendWaitsForNothingElse, 15, "blend runs while mirror runs") {
  EXPECT_THAT(run(), Overlaps(blend, mirror).at_least(0.6));
  EXPECT_THAT(run(), WaitsOnlyForWhatItNeeds(blend));
}

// "destroy the events that you have made"
CRITERION(Events, EveryEventIsDestroyed, 5, "every event that is made is destroyed") {
  EXPECT_THAT(run(), DestroysItsEvents("`blend_pictures`"));
  EXPECT_THAT(timing(), DestroysItsEvents("`milliseconds_of_smoothen`"));
}

// "Launches `smoothen` on what the device buffers hold and returns how many milliseconds one run of it takes, without
// what the first launch of a kernel costs once." "The device has nothing else to do meanwhile." "measure one run with two events, after a run that is not measured"
CRITERION(Events, KernelIsMeasured, 15, "the time of one kernel is measured with events") {
  EXPECT_THAT(timing(), HasNoFailedCalls());
  EXPECT_THAT(timing(), WorkInFull(smoothen).together(kernel_alone()));
  EXPECT_THAT(timing(), WorksFor("cycles", kernels()));
  EXPECT_THAT(timing(), LeavesOutTheFirstLaunch(smoothen, "milliseconds_of_smoothen"));
  EXPECT_THAT(timing(), MeasuresWithEvents(smoothen, returned_milliseconds()).within(0.1));
}

}  // namespace

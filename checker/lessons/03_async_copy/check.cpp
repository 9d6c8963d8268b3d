// The rubric of lesson 03: asynchronous copies.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "checking/criterion.h"
#include "matchers/matchers.h"

using namespace checking;
using namespace matchers;

namespace {

// No multiple of a thread block. The other plan has more blocks than a block has threads, so they cannot be exchanged.
constexpr std::int64_t usual_elements = 250'007;
constexpr std::int64_t other_elements = 263'171;

std::vector<float> transformed(const std::vector<float>& input, std::int64_t elements) {
  std::vector<float> output(input.size());
  for (std::size_t i = 0; i < input.size(); ++i) {
    output[i] = 3.0f * input[i] + static_cast<float>(i % elements % 1000);
  }
  return output;
}

class AsyncCopy : public lesson_check {
 public:
  static exercise::message make_request(random_values& values, const requested_work& work) {
    exercise::message request;
    const std::int64_t elements = work.by_plan(usual_elements * work.scale_up_to(5), other_elements);
    const std::int64_t batch_count =
        work.by_plan(7, 4);  // odd: one is left over when they are taken in pairs
    request.set("batches", batch_count);
    request.set("elements", elements);
    request.set("input", values.quarters(batch_count * elements, -500, 500));
    request.set("kernel_to_copy", 1.0);     // length of a kernel, in lengths of the copy of one batch
    request.set("host_task_to_copy", 4.0);  // the same for the host task
    poison::add_to(request);
    return request;
  }
};

SECOND_PROFILE("c1060");
SKELETON_FAILS("CopiesOverlapKernels", "HostQueuesAllWorkBeforeWaiting", "HostTaskRunsWhileTheGpuWorks");

// "Copies each batch to the device, runs `transform` on it and copies the result back into its place in work.output."
// "May be called again."
CRITERION(AsyncCopy, EveryElementIsRight, 25, "every element of the result is right") {
  EXPECT_THAT(run(), HasNoFailedCalls());
  const std::int64_t elements = request().integer("elements");
  EXPECT_THAT(run(), Launches(static_cast<std::size_t>(request().integer("batches")), kernels()));
  EXPECT_THAT(run(), LaunchesBlocksOf(256, kernels()));  // threads_per_block in async_copy.h
  EXPECT_THAT(run(), Returns("output", transformed(request().values<float>("input"), elements),
                             in_batches_of(elements)));
  EXPECT_THAT(run(), ComesFromTheDevice("output"));
  EXPECT_THAT(run(), CopiesNothingInVain());
  EXPECT_THAT(run(), WorkInDeviceMemory(kernels()));
}

// "When it returns, work.output is complete."
// "run the host task while the GPU works, and return with a complete output"
CRITERION(AsyncCopy, WorkIsOrdered, 20, "whatever touches the same bytes is in order") {
  EXPECT_THAT(run(), IsOrdered());
}

// "queue all three steps in the stream of the lane, and wait for none of them"
CRITERION(AsyncCopy, HostQueuesAllWorkBeforeWaiting, 15, "the host queues all work before it waits") {
  EXPECT_THAT(run(), QueuesAllWorkBeforeWaiting());
  EXPECT_THAT(run(), UsesTheStreamsItIsGiven());
}

// "Runs work.host_task() once." "run the host task while the GPU works, and return with a complete output"
CRITERION(AsyncCopy, HostTaskRunsWhileTheGpuWorks, 15, "the host task runs while the GPU works") {
  EXPECT_THAT(run(), HostWorksWhileDeviceIsBusy().in_calls(1).at_least(0.8));
}

// "use the two lanes in turn"
CRITERION(AsyncCopy, CopiesOverlapKernels, 25, "copies run while kernels run") {
  EXPECT_THAT(run(), Overlaps(copies(), kernels()).at_least(0.6));
  const trace::nanoseconds alone(std::llround(answer().number("calibrated.kernel_nanoseconds")));
  EXPECT_THAT(run(), WorkInFull(kernels()).in_every_launch(alone));
  EXPECT_THAT(run(), WorksFor("cycles", kernels()));
}

}  // namespace

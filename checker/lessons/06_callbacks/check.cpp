// The rubric of lesson 06: callbacks.
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
constexpr std::int64_t usual_elements = 125'003;
constexpr std::int64_t other_elements = 131'581;

std::vector<float> transformed(const std::vector<float>& input, std::int64_t elements) {
  std::vector<float> output(input.size());
  for (std::size_t i = 0; i < input.size(); ++i) {
    output[i] = 3.0f * input[i] + static_cast<float>(i % elements % 1000);
  }
  return output;
}

class Callbacks : public lesson_check {
 public:
  static exercise::message make_request(random_values& values, const requested_work& work) {
    exercise::message request;
    // More batches than lanes, so that a lane is used again, and no multiple of them. No two plans leave the same remainder, here
    // and below: what suits one remainder only shows.
    const std::int64_t batch_count = work.by_plan(9, 6);
    const std::int64_t elements = work.by_plan(usual_elements * work.scale_up_to(3), other_elements);
    request.set("batches", batch_count);
    request.set("elements", elements);
    // Streams of unequal priority: batches are not complete in the order in which they were queued.
    request.set("driver.lanes_overtake_each_other", work.by_plan(0, 1));
    request.set("input", values.quarters(batch_count * elements, -500, 500));
    // Long kernels: starting a host function costs about as much as a short one (30 us on an H200), and on a
    // real GPU preparing and consuming move a batch in memory as well.
    request.set("kernel_to_copy", 12.0 * static_cast<double>(work.scale));
    // Together longer than a kernel, so that one host thread cannot do both in time.
    request.set("prepare_to_kernel", 0.8);
    request.set("consume_to_kernel", 0.8);
    poison::add_to(request);
    return request;
  }

 protected:
  std::size_t batches() const { return static_cast<std::size_t>(request().integer("batches")); }
};

SECOND_PROFILE("k20c");
SKELETON_FAILS("TheGpuNeverRunsDry", "AHostFunctionAnnouncesEachBatch", "HostFunctionsAreShort");

// "Takes each batch through five steps: prepare(), copy to the device, `transform`, copy back, consume()."
// "Each batch is prepared once and consumed once, in any order." "May be called again."
CRITERION(Callbacks, EveryBatchIsRight, 20, "every batch is prepared and consumed once, and is right") {
  EXPECT_THAT(run(), HasNoFailedCalls());
  const std::int64_t elements = request().integer("elements");
  EXPECT_THAT(run(), Launches(batches(), kernels()));
  EXPECT_THAT(run(),
              LaunchesBlocksOf(256, kernels(), (elements + 255) / 256));  // threads_per_block in callbacks.h
  EXPECT_THAT(run(), HostWorks(2 * batches()));
  EXPECT_THAT(run(), CallsOnceEach("prepare", "batch"));
  EXPECT_THAT(run(), CallsOnceEach("consume", "batch"));
  EXPECT_THAT(run(), Returns("results", transformed(request().values<float>("input"), elements),
                             in_batches_of(elements)));
  EXPECT_THAT(run(), ComesFromTheDevice("output"));
  EXPECT_THAT(run(), CopiesNothingInVain());
  EXPECT_THAT(run(), WorkInDeviceMemory(kernels()));
}

// "When it returns, every batch has been consumed." "return when every batch has been consumed"
CRITERION(Callbacks, WorkIsOrdered, 20, "whatever touches the same bytes is in order") {
  EXPECT_THAT(run(), IsOrdered());
}

// "let the stream announce the batch, and go on with the next one at once"
CRITERION(Callbacks, AHostFunctionAnnouncesEachBatch, 15, "a host function announces each batch") {
  EXPECT_THAT(run(), AnnouncesEachCopyBack());
}

CRITERION(Callbacks, HostFunctionsCallNoCuda, 10, "host functions call no CUDA") {
  EXPECT_THAT(run(), CallsNoCudaInHostFunctions());
}

// "a host function that puts the lane it is given into `complete`"
CRITERION(Callbacks, HostFunctionsAreShort, 15, "host functions only wake somebody up") {
  EXPECT_THAT(run(), HostFunctionsAreShort().at_most(0.3));
}

// "a thread that consumes each batch once it is complete, and frees its lane"
// "let the stream announce the batch, and go on with the next one at once"
CRITERION(Callbacks, TheGpuNeverRunsDry, 20, "there is always a kernel running") {
  EXPECT_THAT(run(), KeepsBusy(kernels()).at_least(0.85));
  const trace::nanoseconds alone(std::llround(answer().number("calibrated.kernel_nanoseconds")));
  EXPECT_THAT(run(), WorkInFull(kernels()).in_every_launch(alone));
  EXPECT_THAT(run(), WorksFor("cycles", kernels()));
}

}  // namespace

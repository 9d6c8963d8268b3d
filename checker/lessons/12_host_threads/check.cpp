// The rubric of lesson 12: host threads.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "checking/criterion.h"
#include "matchers/matchers.h"

using namespace checking;
using namespace matchers;

namespace {

// No multiple of a thread block. On the teaching GPU both are 13 waves of blocks, 40 or smaller ones 80, so that their kernels are
// as long.
constexpr std::int64_t usual_elements = 125'003;
constexpr std::int64_t other_elements = 125'101;

// In lengths of a copy. What a thread does beside its kernel, 4.5 with both copies, fits behind the kernel of another.
constexpr double kernel_units = 5;
constexpr double load_units = 1.5;
constexpr double store_units = 1;

std::vector<float> transformed(const std::vector<float>& input, std::int64_t elements) {
  std::vector<float> output(input.size());
  for (std::size_t i = 0; i < input.size(); ++i) {
    output[i] = 3.0f * input[i] + static_cast<float>(i % elements % 1000);
  }
  return output;
}

class HostThreads : public lesson_check {
 public:
  static exercise::message make_request(random_values& values, const requested_work& work) {
    exercise::message request;
    const std::int64_t elements = work.by_plan(usual_elements * work.scale_up_to(3), other_elements);
    // In the other plan no multiple of the workers: three of them have a batch more.
    const std::int64_t batches = work.by_plan(8, 7);
    request.set("batches", batches);
    request.set("workers", work.by_plan(2, 4));
    request.set("threads", work.by_plan(256, 128));
    request.set("driver.threads_that_cannot_be", work.by_plan(2048, 0));
    request.set("driver.batches_that_cannot_be",
                work.by_plan(2, 1));  // one in each thread, or in one of them
    // Threads do not take turns for ever: in the other plan one is in a batch while another has done two.
    request.set("driver.slow_batch", 1);
    request.set("driver.slow_factor", work.by_plan(1, 15));
    request.set("elements", elements);
    request.set("input", values.quarters(batches * elements, -500, 500));
    // On a real GPU load() and store() also move a batch in memory, which takes longer than the copy of it.
    request.set("unit_to_copy", static_cast<double>(work.scale));
    request.set("kernel_units", kernel_units);
    request.set("load_units", load_units);
    request.set("store_units", store_units);
    poison::add_to(request);
    return request;
  }

 protected:
  /// All kernels, back to back.
  trace::nanoseconds kernels_alone() const {
    const double units = kernel_units * static_cast<double>(request().integer("batches"));
    return trace::nanoseconds(std::llround(units * answer().number("calibrated.unit_nanoseconds")));
  }
};

NULL_STREAM(per_thread);
SECOND_PROFILE("k20c");
SKELETON_FAILS("ThreadsDoNotWaitForEachOther", "LaunchErrorsAreReported");

// "Takes each batch through load(), copy to the device, `transform`, copy back, and store(), in as many host threads as
// there are workers." "Each batch is loaded once and stored once, in any order." "May be called again."
CRITERION(HostThreads, EveryBatchIsRight, 20, "every batch is loaded and stored once, and is right") {
  EXPECT_THAT(run(), HasNoFailedCalls());
  EXPECT_THAT(run(), CallsOnceEach("load", "batch"));
  EXPECT_THAT(run(), CallsOnceEach("store", "batch"));
  const std::int64_t elements = request().integer("elements");
  EXPECT_THAT(run(), Returns("results", transformed(request().values<float>("input"), elements),
                             in_batches_of(elements, "batch")));
  EXPECT_THAT(run(), ComesFromTheDevice("output"));
  EXPECT_THAT(run(), CopiesNothingInVain());
  EXPECT_THAT(run(), WorkInDeviceMemory(kernels()));
  EXPECT_THAT(run(), LaunchesBlocksOf(request().integer("threads"), kernels()));
  EXPECT_THAT(run(), Launches(static_cast<std::size_t>(request().integer("batches")), kernels()));
  EXPECT_THAT(run(), HostWorks(2 * static_cast<std::size_t>(request().integer("batches"))));
}

// "no other thread may touch `staging` from load() until the copy has read it"
// "When it returns, all threads have ended, and all batches are stored, or the error of a launch is returned."
CRITERION(HostThreads, SharedMemoryIsOrdered, 25, "whatever threads and the device share is in order") {
  EXPECT_THAT(run(), IsOrdered());
  EXPECT_THAT(part("too_large_launch"), IsOrdered());
  EXPECT_THAT(run(), JoinsItsThreads());
  EXPECT_THAT(part("too_large_launch"), JoinsItsThreads());
}

// "if the launch failed, return its error"
// "a thread for each worker; when all have ended, return the error of one that has failed"
CRITERION(HostThreads, LaunchErrorsAreReported, 20, "a launch that fails in a thread is reported") {
  EXPECT_THAT(run(), ReportsErrors("learner", "error"));
  EXPECT_THAT(part("too_large_launch"),
              ReportsErrors("too_large_launch", "error.too_large", failing_call::required));
}

// "in as many host threads as there are workers" "Allocates no memory."
// "queue in the default stream of this thread, and wait for no other thread"
CRITERION(HostThreads, ThreadsDoNotWaitForEachOther, 35, "no thread waits for the work of another") {
  EXPECT_THAT(run(), LaunchedByThreads(static_cast<std::size_t>(request().integer("workers")), kernels()));
  EXPECT_THAT(run(), AllocatesNoMemory());
  EXPECT_THAT(run(), ThreadsWaitForTheirOwnWork());
  EXPECT_THAT(run(), ThreadsWorkBesideEachOther(kernels()));
  EXPECT_THAT(run(), KeepsOutOfTheLegacyStream());
  EXPECT_THAT(run(), Lasts(kernels()).at_most(1.2, kernels_alone()));
  EXPECT_THAT(run(), WorkInFull(kernels()).together(kernels_alone()));
  EXPECT_THAT(run(), WorksFor("cycles", kernels()));
}

}  // namespace

// The rubric of lesson 02: pinned memory.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "checking/criterion.h"
#include "matchers/matchers.h"

using namespace checking;
using namespace matchers;

namespace {

// No multiple of a thread block. Three times as many on a real GPU, 4.4 MB: an H200 takes 1.05 MB of pageable memory in
// without letting the host wait; 4.2 MB are enough for any GPU.
constexpr std::int64_t usual_elements = 366'671;
constexpr std::int64_t other_elements = 383'339;

std::vector<float> added_up(const std::vector<float>& input, std::int64_t elements) {
  std::vector<float> sum(static_cast<std::size_t>(elements), 0.0f);
  const auto chunks = static_cast<std::int64_t>(input.size()) / elements;
  for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
    for (std::int64_t i = 0; i < elements; ++i) {
      float& value = sum[static_cast<std::size_t>(i)];
      value =
          2.0f * value + input[static_cast<std::size_t>(chunk * elements + i)] + static_cast<float>(i % 100);
    }
  }
  return sum;
}

class PinnedMemory : public lesson_check {
 public:
  static exercise::message make_request(random_values& values, const requested_work& work) {
    exercise::message request;
    const std::int64_t chunks = work.by_plan(5, 4);
    const std::int64_t elements = work.by_plan(usual_elements, other_elements) * work.scale_up_to(3);
    request.set("chunks", chunks);
    request.set("elements", elements);
    request.set("pinning_budget", elements * std::int64_t{sizeof(float)} * 5 / 2);
    request.set("input", values.quarters(chunks * elements, -500, 500));
    request.set("host_task_to_copy", 0.8);  // length of the host task, in lengths of the copy of a chunk
    poison::add_to(request);
    return request;
  }
};

SECOND_PROFILE("c2050");
SKELETON_FAILS("CopiesComeFromPinnedMemory", "HostTaskRunsWhileCopiesRun", "WhatIsPinnedIsReleased");

// "Takes each chunk, in order, through read_chunk, a copy to the device and `add_chunk`, and copies the sum into
// data.result, at once or by way of pinned memory." "May be called again."
CRITERION(PinnedMemory, EveryElementIsRight, 20, "every element of the result is right") {
  EXPECT_THAT(run(), HasNoFailedCalls());
  EXPECT_THAT(run(), Launches(static_cast<std::size_t>(request().integer("chunks")), kernels()));
  EXPECT_THAT(run(), CallsOnceEach("read_chunk", "chunk", recorded_calls::none));
  EXPECT_THAT(run(), LaunchesBlocksOf(256, kernels()));  // threads_per_block in pinned_memory.h
  EXPECT_THAT(run(),
              Returns("result", added_up(request().values<float>("input"), request().integer("elements"))));
  EXPECT_THAT(run(), ComesFromTheDevice("result"));
  EXPECT_THAT(run(), CopiesNothingInVain());
}

// "When it returns, data.result is complete, and nothing that it pinned is pinned any more."
CRITERION(PinnedMemory, WorkIsOrdered, 15, "whatever touches the same bytes is in order") {
  EXPECT_THAT(run(), IsOrdered());
}

// "Takes each chunk, in order, through read_chunk, a copy to the device and `add_chunk`, and copies the sum into data.result, at
// once or by way of pinned memory."
// "make the memory in which the chunks land pinned"
// "pin the caller's result where it is, for as long as this function needs it"
CRITERION(PinnedMemory, CopiesComeFromPinnedMemory, 25, "copies come from and go to pinned memory") {
  EXPECT_THAT(run(), CopiesUsePinnedMemory());
}

// "Runs data.host_task() once for each chunk and once for the result."
CRITERION(PinnedMemory, HostTaskRunsWhileCopiesRun, 20, "the host task runs while copies run") {
  EXPECT_THAT(run(), HostWorksWhile(copies()).in_calls(request().integer("chunks") + 1).at_least(0.7));
}

// "most bytes to keep pinned at a time: room for two chunks, not for three"
CRITERION(PinnedMemory, PinningStaysInTheBudget, 10,
          "what is pinned stays in the budget, and is pinned once") {
  const auto budget = static_cast<std::size_t>(request().integer("pinning_budget"));
  EXPECT_THAT(run(), PinsAtMost(budget));
  EXPECT_THAT(run(), PinsOnce(budget));
}

// "release what you pinned, each with the call that belongs to it"
// "When it returns, data.result is complete, and nothing that it pinned is pinned any more."
CRITERION(PinnedMemory, WhatIsPinnedIsReleased, 10, "memory is pinned, and all of it released") {
  EXPECT_THAT(run(), ReleasesPinnedMemory());
}

}  // namespace

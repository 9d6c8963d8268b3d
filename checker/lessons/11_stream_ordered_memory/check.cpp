// The rubric of lesson 11: stream-ordered memory.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "checking/criterion.h"
#include "matchers/matchers.h"

using namespace checking;
using namespace matchers;

namespace {

// Floats of each piece: no multiple of a thread block, and the largest and its neighbours fit into the budget.
std::vector<std::int64_t> elements_of(const requested_work& work) {
  if (work.is_of_other_plan) return {20'011, 41'003, 9'001, 33'013, 25'007};
  return {60'007, 18'013, 47'011, 30'011, 9'001, 52'009};
}

constexpr double budget_to_largest = 1.6;

// One after another is 1.0. Where each piece is copied back behind its `consume`, in the same stream, the next `consume` waits for
// that copy: 1.3.
constexpr double min_at_once = 1.2;

std::int64_t sum_of(const std::vector<std::int64_t>& numbers) {
  std::int64_t sum = 0;
  for (const std::int64_t number : numbers) sum += number;
  return sum;
}

std::vector<float> consumed(const std::vector<float>& input, const std::vector<std::int64_t>& elements) {
  std::vector<float> output(input.size());
  for (std::size_t begin = 0, piece = 0; begin < input.size(); ++piece) {
    const std::size_t count = static_cast<std::size_t>(elements[piece % elements.size()]);
    for (std::size_t i = 0; i < count; ++i)
      output[begin + i] = 3.0f * (2.0f * input[begin + i] + 1.0f) + static_cast<float>(i % 1000);
    begin += count;
  }
  return output;
}

const operation_set producers{"kernels `produce`",
                              [](const trace::operation& operation) { return operation.name == "produce"; }};
const operation_set consumers{"kernels `consume`",
                              [](const trace::operation& operation) { return operation.name == "consume"; }};

class StreamOrderedMemory : public lesson_check {
 public:
  static exercise::message make_request(random_values& values, const requested_work& work) {
    exercise::message request;
    const std::vector<std::int64_t> elements = elements_of(work);
    const std::int64_t rounds = work.by_plan(8, 3);
    const std::int64_t largest = *std::max_element(elements.begin(), elements.end());
    request.set("rounds", rounds);
    request.set("elements", elements);
    request.set("budget", static_cast<std::int64_t>(budget_to_largest * static_cast<double>(largest)) * 4);
    request.set("blocks", work.by_plan(8, 6));
    request.set("input", values.quarters(rounds * sum_of(elements), -500, 500));
    request.set("kernel_to_calls", 4.0);
    poison::add_to(request);
    return request;
  }

 protected:
  std::int64_t rounds() const { return request().integer("rounds"); }
  static std::string round_name(std::int64_t round) { return "round " + std::to_string(round); }
  /// What the calls of all rounds take when the memory is there already.
  trace::nanoseconds calls_without_memory() const {
    return host_time_in_calls(part("rounds without memory").facts);
  }
};

SECOND_PROFILE("rtx3090");
SKELETON_FAILS("NobodyWaitsForMemory", "MemoryIsUsedWhileItLives", "ProducerRunsAhead", "PoolKeepsItsMemory");

// "Takes each piece of a round through `produce` and `consume`, with memory of its own between the two."
// "When it returns, work.results is complete." "Called once for each round."
CRITERION(StreamOrderedMemory, EveryPieceIsRight, 20, "every piece is right") {
  EXPECT_THAT(run(), HasNoFailedCalls());
  const std::vector<std::int64_t>& elements = request().values<std::int64_t>("elements");
  EXPECT_THAT(run(), Returns("results", consumed(request().values<float>("input"), elements),
                             in_batches_of(static_cast<std::size_t>(sum_of(elements)), "round")));
  EXPECT_THAT(run(), ComesFromTheDevice("results"));
  EXPECT_THAT(run(), CopiesNothingInVain());
  EXPECT_THAT(run(), WorkInDeviceMemory(kernels()));
  EXPECT_THAT(run(), LaunchesBlocksOf(256, kernels(), request().integer("blocks")));  // threads_per_block
  const std::size_t pieces_of_all_rounds = elements.size() * static_cast<std::size_t>(rounds());
  EXPECT_THAT(run(), Launches(pieces_of_all_rounds, producers));
  EXPECT_THAT(run(), Launches(pieces_of_all_rounds, consumers));
}

// "memory from the pool, in the order of the stream that writes to it"
// "the memory ends behind its last use, and nothing else waits for that"
CRITERION(StreamOrderedMemory, MemoryIsUsedWhileItLives, 25,
          "memory is used after its allocation, and freed after its last use") {
  EXPECT_THAT(run(), IsOrdered());
  EXPECT_THAT(run(), WriteIntoStreamOrderedMemory(producers));
}

// "`consume` waits for `produce`, and the host for neither"
CRITERION(StreamOrderedMemory, NobodyWaitsForMemory, 15,
          "in each round the host queues all work before it waits") {
  for (std::int64_t round = 1; round <= rounds(); ++round)
    EXPECT_THAT(part(round_name(round)), QueuesAllWorkBeforeWaiting());
}

CRITERION(StreamOrderedMemory, ProducerRunsAhead, 15,
          "a piece is produced while the one before is consumed") {
  // In the first round the pool takes its memory from the device.
  for (std::int64_t round = 2; round <= rounds(); ++round) {
    EXPECT_THAT(part(round_name(round)), WaitsOnlyForWhatItNeeds(producers));
    EXPECT_THAT(part(round_name(round)), RunAtOnce(kernels()).on_average_at_least(min_at_once));
  }
  EXPECT_THAT(run(), WorksFor("cycles", kernels()));
}

// "Has at most work.budget bytes of device memory at a time, and frees all of it."
CRITERION(StreamOrderedMemory, MemoryStaysInItsBudget, 10, "memory is freed before much more is allocated") {
  EXPECT_THAT(run(), HoldsDeviceMemoryAtMost(static_cast<std::size_t>(request().integer("budget"))));
  EXPECT_THAT(run(), FreesDeviceMemory());
}

// "Called once, before the first round." "no synchronization may take memory away from the pool"
// "Lets `pool`, from which cudaMallocAsync takes its memory, keep what is freed when the host synchronizes."
CRITERION(StreamOrderedMemory, PoolKeepsItsMemory, 15, "memory costs the host next to nothing") {
  EXPECT_THAT(part("prepare_pool"),
              KeepsInThePool("release_threshold", static_cast<std::size_t>(request().integer("budget"))));
  EXPECT_THAT(run(), HostTimeInCalls().for_memory().at_most(1.0, calls_without_memory(),
                                                            "all calls with memory that is there already"));
}

}  // namespace

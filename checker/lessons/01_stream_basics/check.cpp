// The rubric of lesson 01: stream basics.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "checking/criterion.h"
#include "matchers/matchers.h"

using namespace checking;
using namespace matchers;

namespace {

constexpr std::int64_t chain_count = 4;                // as in stream_basics.h
constexpr std::chrono::microseconds step_length{200};  // so long that launching 24 kernels takes much less

struct expected_result {
  std::vector<float> values;
  std::vector<float> notes;
};

expected_result taken_through_all_steps(const std::vector<float>& start, std::int64_t steps) {
  const auto elements = static_cast<std::int64_t>(start.size()) / chain_count;
  expected_result result{start, std::vector<float>(chain_count * steps)};
  for (std::int64_t chain = 0; chain < chain_count; ++chain) {
    for (std::int64_t step = 0; step < steps; ++step) {
      for (std::int64_t i = 0; i < elements; ++i) {
        float& value = result.values[static_cast<std::size_t>(chain * elements + i)];
        value = 2.0f * value + static_cast<float>(step + i % 100);
      }
      result.notes[static_cast<std::size_t>(chain * steps + step)] =
          result.values[static_cast<std::size_t>((chain + 1) * elements - 1)];
    }
  }
  return result;
}

const operation_set all_steps{"steps",
                              [](const trace::operation& operation) { return operation.name == "advance"; }};

// Whoever copies a value into its note in place of the kernel notes it as well.
const operation_set notes{"notes, by `take_note` or by a copy on the device",
                          [](const trace::operation& operation) {
                            return operation.name == "take_note" || device_copies().holds(operation);
                          }};

class StreamBasics : public lesson_check {
 public:
  static exercise::message make_request(random_values& values, const requested_work& work) {
    exercise::message request;
    const std::int64_t elements = work.by_plan(1003, 2011);  // no multiple of the threads of a block
    request.set("steps", work.by_plan(3, 5));
    request.set("elements", elements);
    request.set("threads", work.by_plan(256, 128));
    request.set("driver.threads_that_cannot_be",
                work.by_plan(4096, 0));  // no GPU has blocks of more than 1024, or of none
    request.set("start", values.quarters(chain_count * elements, -500, 500));
    request.set("step_milliseconds", std::chrono::duration<double, std::milli>(step_length).count());
    poison::add_to(request);
    return request;
  }
};

SECOND_PROFILE("c2050");
SKELETON_FAILS("ChainsRunAtTheSameTime", "EveryStreamIsDestroyed", "LaunchErrorsAreReported");

// "Takes every chain through its steps (0, 1, ...), each followed by a note in the place of that chain and step."
// "May be called again."
CRITERION(StreamBasics, EveryChainIsRight, 20, "every value and every note is right") {
  const std::int64_t steps = request().integer("steps");
  const expected_result expected = taken_through_all_steps(request().values<float>("start"), steps);
  EXPECT_THAT(run(), HasNoFailedCalls());
  EXPECT_THAT(run(), Launches(static_cast<std::size_t>(chain_count * steps), all_steps));
  const std::int64_t threads = request().integer("threads");
  const std::int64_t blocks = (request().integer("elements") + threads - 1) / threads;
  EXPECT_THAT(run(), LaunchesBlocksOf(threads, all_steps, blocks));
  const std::vector<float>& start = request().values<float>("start");
  EXPECT_THAT(run(), Returns("values", expected.values,
                             {static_cast<std::size_t>(request().integer("elements")), "chain", start}));
  EXPECT_THAT(run(), Returns("notes", expected.notes, in_batches_of(steps, "chain")));
  EXPECT_THAT(run(), ComesFromTheDevice("values"));
  EXPECT_THAT(run(), ComesFromTheDevice("notes"));
  EXPECT_THAT(run(), CopiesNothingInVain());
  EXPECT_THAT(run(), Launches(static_cast<std::size_t>(chain_count * steps), notes));
}

// "When it returns, all values and notes are complete, or the first error is returned and none is left for whoever asks
// CUDA next."
// "return with all chains complete and no stream left over"
CRITERION(StreamBasics, WorkIsOrdered, 20, "whatever touches the same bytes is in order") {
  EXPECT_THAT(part("learner_and_reader"), IsOrdered());
  EXPECT_THAT(part("too_large_launch"), IsOrdered());
}

CRITERION(StreamBasics, HostQueuesAllWorkBeforeWaiting, 10, "the host queues all work before it waits") {
  EXPECT_THAT(run(), QueuesAllWorkBeforeWaiting());
}

// "create a stream for each chain" "let the note hold up no other chain"
CRITERION(StreamBasics, ChainsRunAtTheSameTime, 25, "the chains run at the same time") {
  EXPECT_THAT(run(), RunAtOnce(kernels()).on_average_at_least(2.5));
  EXPECT_THAT(run(), WorkInFull(all_steps).in_every_launch(step_length));
  EXPECT_THAT(run(), WorksFor("cycles", all_steps));
}

// "return with all chains complete and no stream left over"
CRITERION(StreamBasics, EveryStreamIsDestroyed, 10, "every stream that is created is destroyed") {
  EXPECT_THAT(run(), DestroysItsStreams());
  EXPECT_THAT(part("too_large_launch"), DestroysItsStreams());
}

// "ask whether a launch failed"
// "When it returns, all values and notes are complete, or the first error is returned and none is left for whoever asks
// CUDA next."
CRITERION(StreamBasics, LaunchErrorsAreReported, 15, "a launch that fails is reported") {
  EXPECT_THAT(run(), ReportsErrors("learner", "error"));
  EXPECT_THAT(part("too_large_launch"),
              ReportsErrors("too_large_launch", "error.too_large", failing_call::required));
}

}  // namespace

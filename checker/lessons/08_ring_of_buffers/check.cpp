// The rubric of lesson 08: ring of buffers.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/part.h"
#include "checking/criterion.h"
#include "exercise/message.h"
#include "matchers/facts/stages.h"
#include "matchers/matchers.h"

using namespace checking;
using namespace matchers;

namespace {

// No multiple of a thread block. On the teaching GPU both are 13 waves of 40 blocks, so that their kernels are as long.
constexpr std::int64_t usual_elements = 125'003;
constexpr std::int64_t other_elements = 123'457;

// Of a kernel, in lengths of a copy. Together with the work of the host they leave two slots no chance: after a
// short kernel the slot of the long one must be stored, loaded and copied before the next can start.
constexpr double long_units = 7;
constexpr double short_units = 1;
constexpr double load_units = 1.5;
constexpr double store_units = 1;

std::vector<float> transformed(const std::vector<float>& input, std::int64_t elements) {
  std::vector<float> output(input.size());
  for (std::size_t i = 0; i < input.size(); ++i) {
    output[i] = 3.0f * input[i] + static_cast<float>(i % elements % 1000);
  }
  return output;
}

const operation_set copies_in{"copies to the device", [](const trace::operation& operation) {
                                return copies().holds(operation) && trace::direction_of(operation) ==
                                                                        trace::copy_direction::host_to_device;
                              }};

class RingOfBuffers : public lesson_check {
 public:
  static exercise::message make_request(random_values& values, const requested_work& work) {
    exercise::message request;
    const std::int64_t elements = work.by_plan(usual_elements * work.scale_up_to(3), other_elements);
    // No multiple of the slots, so that the last round is not full, and with another remainder in each plan; in the usual one as
    // many long kernels as short ones.
    const std::int64_t steps = work.by_plan(10, 7);
    request.set("slots", work.by_plan(3, 5));
    request.set("steps", steps);
    request.set("driver.long_every", work.by_plan(2, 3));
    request.set("elements", elements);
    request.set("input", values.quarters(steps * elements, -500, 500));
    // On a real GPU load() and store() also move a step in memory, which takes longer than the copy of it.
    request.set("unit_to_copy", static_cast<double>(work.scale));
    request.set("long_units", long_units);
    request.set("short_units", short_units);
    request.set("load_units", load_units);
    request.set("store_units", store_units);
    poison::add_to(request);
    return request;
  }

 protected:
  /// All kernels, back to back.
  trace::nanoseconds kernels_alone() const {
    const std::int64_t steps = request().integer("steps");
    const std::int64_t long_every = request().integer("driver.long_every");
    const std::int64_t long_steps = (steps + long_every - 1) / long_every;
    const double units =
        static_cast<double>(long_steps) * long_units + static_cast<double>(steps - long_steps) * short_units;
    return trace::nanoseconds(std::llround(units * answer().number("calibrated.unit_nanoseconds")));
  }
};

// Of the two copies of a step.
constexpr double copy_units = 2;

SWEEP({.function = "process_steps()",
       .parameters = {{{.name = "slots", .min = 1, .max = 8, .usual = {1, 2, 3, 4, 6}},
                       {.name = "longest", .min = 4, .max = 7, .usual = {4, 5, 6, 7}}}},
       .expected =
           [](const exercise::message& request) {
             const auto results = transformed(request.values<float>("input"), request.integer("elements"));
             return exercise::digest(results.data(), results.size() * sizeof(float));
           },
       .bounds =
           [](const trace::recording& recording, const exercise::message& request,
              const exercise::message& answer) {
             // As they ran: what two events around a kernel measure is a little longer.
             const trace::nanoseconds kernels_alone =
                 length_of(analysis::part_of(recording, "sweep 0"), stage::kernel);
             const double unit = answer.number("calibrated.unit_nanoseconds");
             const trace::nanoseconds others(std::llround(unit * (load_units + copy_units + store_units)));
             return sweep_bounds{.serial = kernels_alone + request.integer("steps") * others,
                                 .attainable = kernels_alone + others};
           }});

SECOND_PROFILE("c1060");  // one copy engine
SKELETON_FAILS("KernelsNeverPause", "HostWaitsForSlotsOnly");

// "Takes each step through load(), copy to the device, `transform`, copy back, and store()." "May be called again."
// "Each step is loaded once, computed in one launch and stored once, in any order."
// "When it returns, every step has been stored." "store the steps that are still in the slots"
CRITERION(RingOfBuffers, EveryStepIsRight, 25, "every step is loaded and stored once, and is right") {
  EXPECT_THAT(run(), HasNoFailedCalls());
  EXPECT_THAT(run(), CallsOnceEach("load", "step"));
  EXPECT_THAT(run(), CallsOnceEach("store", "step"));
  const std::int64_t elements = request().integer("elements");
  EXPECT_THAT(run(), Returns("results", transformed(request().values<float>("input"), elements),
                             in_batches_of(elements, "step")));
  EXPECT_THAT(run(), ComesFromTheDevice("output"));
  EXPECT_THAT(run(), CopiesNothingInVain());
  EXPECT_THAT(run(), WorkInDeviceMemory(kernels()));
  // threads_per_block in ring_of_buffers.h
  EXPECT_THAT(run(), LaunchesBlocksOf(256, kernels(), (elements + 255) / 256));
  EXPECT_THAT(run(), Launches(static_cast<std::size_t>(request().integer("steps")), kernels()));
  EXPECT_THAT(run(), HostWorks(2 * static_cast<std::size_t>(request().integer("steps"))));
}

// "if the slot holds an earlier step, wait for its event, and store that step"
CRITERION(RingOfBuffers, NoSlotIsReusedTooEarly, 25, "nothing writes to a buffer before its reader is done") {
  EXPECT_THAT(run(), IsOrdered());
}

// "if the slot holds an earlier step, wait for its event, and store that step" "take the slots in turn"
// "Allocates no memory."
CRITERION(RingOfBuffers, HostWaitsForSlotsOnly, 25,
          "the host waits for the slot it needs, and for no younger step") {
  EXPECT_THAT(run(), AllocatesNoMemory());
  const auto younger = static_cast<std::size_t>(request().integer("slots")) - 1;
  EXPECT_THAT(run(), QueuesAhead(kernels()).by(younger));
  EXPECT_THAT(run(), QueuesAhead(copies_in).by(younger));
}

// "events in place of the waits: each stream waits for the one before it, the host for none; the slot's result stays
// where it is until the slot is needed"
CRITERION(RingOfBuffers, KernelsNeverPause, 25, "there is always a kernel running") {
  EXPECT_THAT(run(), Lasts(kernels()).at_most(1.2, kernels_alone()));
  // Where copies are short beside kernels, as on a real GPU, the kernels do not get long by waiting for them.
  EXPECT_THAT(run(), Overlaps(copies(), kernels()).at_least(0.6));
  EXPECT_THAT(run(), WorkInFull(kernels()).together(kernels_alone()));
  // Which kernel made a step is known where no step is wrong.
  const std::int64_t elements = request().integer("elements");
  if (answer().values<float>("results") == transformed(request().values<float>("input"), elements)) {
    EXPECT_THAT(run(), EachBatchWorksFor("cycles", "results", static_cast<std::size_t>(elements)));
  }
}

}  // namespace

// pipeline.h: matchers of work that is cut into chunks, copied in, computed and copied back.
//
//     EXPECT_THAT(run(), QueuesChunks("plan"));
//     EXPECT_THAT(run(), ReachesOverlapEfficiency().at_least(0.8));
#pragma once

#include <optional>
#include <string>

#include "matchers/matcher.h"

namespace matchers {

/// The learner's function `planner` asks the device whose number is answered under `device` (cudaDeviceGetAttribute or
/// cudaGetDeviceProperties), in this call or an earlier one, and its answer holds, under `name`, how many copy engines that device
/// has. Fails with requirement_missed; not observable when the recording does not know the device. Where it does not say which
/// device was asked, any question will do.
matcher AsksForCopyEngines(std::string planner, std::string name, std::string device);

/// The work is cut and queued as a plan says, which is answered as integers: with the name "plan", in plan.chunks kernels,
/// in as many streams as plan.streams says (or as there are chunks), which take turns, chunk by chunk when plan.is_breadth_first is 0, where a copy
/// back is queued before the copies of later chunks to the device, else step by step: all copies to the device, then all
/// kernels, then all copies back. At least two kernels; only the order of the calls counts, not when things
/// ran. Fails with requirement_missed.
matcher QueuesChunks(std::string plan);

/// An operation that is not in the stream whose turn it is.
struct strayed_step {
  std::size_t chunk = 0;
  std::string own_stream{};  ///< "streams[0]"
};

/// Of a step of one chunk, where the plan of that name has streams of an array: nothing when it is in the stream of its chunk, or
/// when that is not known.
std::optional<strayed_step> step_out_of_turn(const run_facts& run, trace::operation_id step,
                                             const std::string& plan);

/// At least `fraction` of what overlap can gain on this device is gained:
/// (serial - actual) / (serial - attainable), see attainable_time.h and analysis::overlap_efficiency. Fails
/// with no_overlap when next to nothing is gained, else with too_slow. Not observable where overlap can gain
/// less than a tenth of the serial time; inconclusive when more is gained than can be. `planner`: the learner's function that chooses
/// chunks, streams and order, to which a choice that gains too little leads.
struct ReachesOverlapEfficiency {
  std::string planner = "";
  matcher at_least(double fraction) const;
};

}  // namespace matchers

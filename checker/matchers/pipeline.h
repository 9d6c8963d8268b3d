// pipeline.h: matchers of work that is cut into chunks, copied in, computed and copied back.
//
//     EXPECT_THAT(run(), QueuesChunks(issue_order::breadth_first));
//     EXPECT_THAT(run(), ReachesOverlapEfficiency().at_least(0.8));
#pragma once

#include <string>

#include "matchers/matcher.h"

namespace matchers {

/// The learner's part asks the device (cudaDeviceGetAttribute or cudaGetDeviceProperties), and its answer
/// holds, under `name`, the number of copy engines of device 0. Fails with requirement_missed; not observable
/// when the recording names no device.
matcher AsksForCopyEngines(std::string name);

/// In which order the steps of chunks are queued.
enum class issue_order {
  depth_first,    ///< chunk by chunk: a copy back is queued before the copies of later chunks to the device
  breadth_first,  ///< step by step: all copies to the device, then all kernels, then all copies back
};

/// At least two kernels are queued with their copies in that order. Only the order of the calls counts, not
/// when things ran. Fails with requirement_missed.
matcher QueuesChunks(issue_order order);

/// At least `fraction` of what overlap can gain on this device is gained:
/// (serial - actual) / (serial - attainable), see attainable_time.h and analysis::overlap_efficiency. Fails
/// with no_overlap when next to nothing is gained, else with too_slow. Not observable where overlap can gain
/// less than a tenth of the serial time; inconclusive when more is gained than can be.
struct ReachesOverlapEfficiency {
  matcher at_least(double fraction) const;
};

}  // namespace matchers

// attainable_time.h: how fast a chunked pipeline can be on this device, from what its parts of calibration
// measured.
//
// drive.cpp makes three parts before the learner's code. "serial": the whole work in one chunk, one step
// after another. "duplex": one copy in each direction at the same time. "pieces": one array of the serial
// part, copied to the device in many pieces, the streams taking turns.
//
//     matchers::attainable best = matchers::attainable_time(recording);
#pragma once

#include <cstdint>

#include "trace/recording.h"

namespace matchers {

/// What calibration measured, and the time that follows from it.
struct attainable {
  trace::nanoseconds serial{0};          ///< the whole work, one step after another
  trace::nanoseconds to_device{0};       ///< all copies to the device, disturbed by those to the host
  trace::nanoseconds kernel{0};          ///< all of it in one launch
  trace::nanoseconds to_host{0};         ///< all copies to the host, disturbed by those to the device
  trace::nanoseconds per_copy{0};        ///< what one more copy costs, however small
  trace::nanoseconds physical_limit{0};  ///< the busiest engine without a gap and undisturbed
  std::uint64_t blocks = 0;              ///< of the launch that did all of the kernel's work
  int copy_engines = 0;                  ///< as the recording says
  int chunks = 0;                        ///< the best number of them, 1 to 64
  trace::nanoseconds time{0};            ///< with that number, by the pipeline law
};

/// Throws std::out_of_range when a part is missing, std::runtime_error when one is empty.
attainable attainable_time(const trace::recording& recording);

/// Where the chunks are fixed: `batches` times the work of the serial part, with at most `lanes` of
/// them on the device at once, because there are no more buffers. The part "pieces" is not needed.
attainable attainable_time_of_batches(const trace::recording& recording, int batches, int lanes);

}  // namespace matchers

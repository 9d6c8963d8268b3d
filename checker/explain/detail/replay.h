// replay.h: what a part of a recording would have taken, had the program been a little different.
//
// A program (program.h) is run on the simulated GPU of device/. Replayed as it was it takes the time that the virtual GPU recorded, to the
// nanosecond; for another backend the difference tells how far the replay can be trusted.
//
//     const explain::program run = explain::program_of(part, h200);
//     const trace::nanoseconds again = explain::replay(run, h200).duration;
#pragma once

#include <vector>

#include "device/profile.h"
#include "explain/detail/program.h"
#include "trace/recording.h"

namespace explain {

/// When everything of a replay began and ended.
struct replay_times {
  /// From the first step to the end of the device work; the largest time there is when it never ends.
  trace::nanoseconds duration{0};
  std::vector<trace::nanoseconds> start;  ///< by number of the operation
  std::vector<trace::nanoseconds> end;
};

/// Runs the program on that GPU.
replay_times replay(const program& program, const device::profile& gpu);

}  // namespace explain

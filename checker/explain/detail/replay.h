// replay.h: runs a program (program.h) on the simulated GPU of device/.
//
// The unchanged program of a virtual GPU takes the recorded time, to the nanosecond. For another backend the difference
// is the error of the replay.
//
//     const explain::program run = explain::program_of(part, h200);
//     const trace::nanoseconds again = explain::replay(run, h200).duration;
#pragma once

#include <vector>

#include "device/profile.h"
#include "explain/detail/program.h"
#include "trace/recording.h"

namespace explain {

/// The times of a replay.
struct replay_times {
  /// From the first step to the end of the device work; nanoseconds::max() when it never ends.
  trace::nanoseconds duration{0};
  std::vector<trace::nanoseconds> start;  ///< by number of the operation
  std::vector<trace::nanoseconds> end;
};

/// Runs the program to its end.
replay_times replay(const program& program, const device::profile& gpu);

}  // namespace explain

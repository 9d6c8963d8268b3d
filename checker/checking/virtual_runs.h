// virtual_runs.h: the runs of one check on the virtual GPU: under every schedule, and as is on a second profile.
//
// The plain run measures lengths in its calibration; the runs under the other schedules are given them. The second
// profile is another GPU and measures its own. What does not wait for the calibration runs side by side.
//
//     observed.runs = checking::virtual_runs(observed, options, {profile, second_profile});
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "exercise/launch.h"
#include "matchers/facts/scheduled_run.h"
#include "trace/recording.h"

namespace checking {

/// Files of profiles.
struct virtual_gpus {
  std::filesystem::path usual;
  std::filesystem::path second;  ///< "": none
  std::uint32_t devices = 1;     ///< of the same profile, in each run
};

/// False when the program of the plain run would do the same under that schedule: nothing of it can come late, and no thread
/// lets another one go on, which other schedules do in another order.
bool can_change(trace::schedule_kind schedule, const trace::recording& plain);

/// The runs of the requests in `observed`, the plain one first, the second profile last. `options` has everything but the
/// requests and what chooses schedule and profile. Runs that could only say the same as one that cannot be judged are left out, and so are
/// those that can_change() nothing.
/// Throws std::runtime_error when the calibration is of no use.
std::vector<matchers::scheduled_run> virtual_runs(const matchers::observations& observed,
                                                  exercise::launch_options options,
                                                  const virtual_gpus& profiles);

}  // namespace checking

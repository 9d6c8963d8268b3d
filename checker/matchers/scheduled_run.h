// scheduled_run.h: one run of the exercise program, and the runs of a whole check: on the virtual GPU under
// one schedule each, on a real one several times the same.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "device/profile.h"
#include "exercise/launch.h"
#include "exercise/message.h"

namespace matchers {

/// One run of the exercise program.
struct scheduled_run {
  /// "as-is", "slow-copies", "slow-kernels", "late-pageable"; or "gpu-1", "gpu-2", ...
  std::string schedule;
  exercise::outcome outcome;
};

/// Whether other programs used the GPU during a run that was recorded: what took too long proves nothing
/// then.
bool was_disturbed(const scheduled_run& run);

/// The schedules of every check, the plain one first. The others are as legal: a right program is right under
/// all.
const std::vector<std::string>& all_schedules();

/// The name of a run on a real GPU, counted from 1.
std::string name_of_gpu_run(std::size_t number);

/// "in the plain run", "in the run with copies ten times slower", ...: how a schedule reads in a sentence.
std::string in_words(const std::string& schedule);

/// Everything that a check observed. On the virtual GPU the first run is the plain one.
struct observations {
  exercise::message request;  ///< what all runs were fed from
  std::vector<scheduled_run> runs;
  std::optional<device::profile> gpu;  ///< of the virtual GPU; without it explanations do without a replay
};

}  // namespace matchers

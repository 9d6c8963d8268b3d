// scheduled_run.h: one run of the exercise program, and the runs of a whole check: on the virtual GPU under
// one schedule each, on a real one several times the same.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analysis/part.h"
#include "exercise/launch.h"
#include "exercise/message.h"

namespace matchers {

/// One run of the exercise program.
struct scheduled_run {
  std::string
      schedule;  ///< "as-is", "slow-copies", "slow-kernels", "late-pageable"; or "gpu-1", "gpu-2", ...
  exercise::outcome outcome;  ///< what came back
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

/// Everything the criteria of a lesson look at. The first run is the plain one; on a real GPU the one whose
/// recording is looked at.
struct observations {
  exercise::message request;        ///< what all runs were fed from
  std::vector<scheduled_run> runs;  ///< never empty
  analysis::part learner;           ///< the learner's part of the first run; points into `runs`
};

}  // namespace matchers

// scheduled_run.h: one run of the exercise program under one schedule of the virtual GPU, and the runs of a
// whole check.
#pragma once

#include <string>
#include <vector>

#include "analysis/part.h"
#include "exercise/launch.h"
#include "exercise/message.h"

namespace harness {

struct scheduled_run {
  std::string schedule;  ///< "as-is", "slow-copies", "slow-kernels" or "late-pageable"
  exercise::outcome outcome;
};

/// The schedules of every check, the plain one first. The others are as legal: a right program is right under
/// all.
const std::vector<std::string>& all_schedules();

/// "in the plain run", "in the run with copies ten times slower", ...: how a schedule reads in a sentence.
std::string in_words(const std::string& schedule);

/// Everything the criteria of a lesson look at. The first run is the plain one.
struct observations {
  exercise::message request;
  std::vector<scheduled_run> runs;
  analysis::part learner;  ///< the learner's part of the plain run; points into `runs`
};

}  // namespace harness

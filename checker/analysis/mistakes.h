// mistakes.h: what a whole run shows to be wrong with the program: races and misuse of CUDA.
//
//     const analysis::mistakes mistakes = analysis::mistakes_in(recording, analysis::program_end::by_itself);
#pragma once

#include <optional>
#include <vector>

#include "analysis/misuse.h"
#include "analysis/race_diagnosis.h"
#include "trace/recording.h"

namespace analysis {

/// Whether the program came to an end that gives it the chance to clean up.
enum class program_end { by_itself, cut_short };

/// What was found wrong in a run, whatever its lesson asks.
struct mistakes {
  std::optional<std::vector<race_diagnosis>> races;  ///< nothing when the recording does not know accesses
  std::vector<analysis::misuse> misuse;              ///< in the order of the calls
};

/// What was not freed counts only for a program that ended by itself.
mistakes mistakes_in(const trace::recording& recording, program_end end);

}  // namespace analysis

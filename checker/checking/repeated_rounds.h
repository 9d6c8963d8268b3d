// repeated_rounds.h: one verdict a criterion from several runs on a real GPU, none of which is quite like
// another.
//
// A criterion that measures passes when its median run passes. Without knowing what was measured, the runs
// that passed and failed tell it: the interval that holds the median with 93 % confidence lies between two of
// the sorted runs (a sign test), so as long as few enough runs disagree it lies on one side of what is
// required. Otherwise more runs are needed. What no measurement excuses (wrong data, failed calls, races)
// fails at once.
//
//     checking::repeated_verdict so_far = checking::verdict_of_rounds(rounds);
//     if (!so_far.is_decided) run_again();
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "report/result.h"

namespace checking {

/// What all criteria said of one run.
struct round {
  std::vector<report::criterion_result> criteria;  ///< in the order of the rubric
  bool was_disturbed = false;  ///< other processes used the GPU: what took too long proves nothing
};

/// What several rounds say together.
struct repeated_verdict {
  /// In the order of the rubric, with the words of the round that speaks for the rest.
  std::vector<report::criterion_result> criteria;
  bool is_decided = true;  ///< false: more rounds could change what is inconclusive now
};

/// Numbers of rounds after which to look; after the last one, what is undecided stays inconclusive.
const std::vector<std::size_t>& rounds_to_look_after();

/// How many of that many rounds may disagree with the others; nothing when there are too few rounds to tell.
std::optional<std::size_t> max_that_disagree(std::size_t rounds);

/// `speaker` is the round whose words are taken where it agrees with the verdict: the one of median length.
/// All rounds hold the same criteria; there is at least one.
repeated_verdict verdict_of_rounds(const std::vector<round>& rounds, std::size_t speaker);

}  // namespace checking

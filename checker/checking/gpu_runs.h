// gpu_runs.h: the runs of one check on this machine's GPU: the same program on the same inputs, several
// times.
//
// Each run is a process of its own that calibrates itself on the device before the learner's part; so what a
// run is measured against was measured next to it, and calibration and learner's part take turns.
//
//     checking::gpu_runs runs(request, program, source);
//     if (auto failure = runs.extend_to(5)) ...
//     const observations& first = runs.look_at(0);
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <vector>

#include "matchers/findings.h"
#include "matchers/scheduled_run.h"

namespace checking {

/// Runs of one exercise program on this machine's GPU, from one request.
class gpu_runs {
 public:
  /// `source` is the file of the learner.
  gpu_runs(exercise::message request, std::filesystem::path program, std::filesystem::path source);

  /// How many runs there are so far.
  std::size_t count() const { return seen_.runs.size(); }
  /// Runs the program until there are that many runs, or one that cannot be judged: then says why.
  std::optional<matchers::finding> extend_to(std::size_t count);

  /// The observations with that run in front. Valid until the next call of look_at or extend_to.
  const matchers::observations& look_at(std::size_t run);
  /// The run of that number, counted from 0 in the order in which they ran.
  const matchers::scheduled_run& run(std::size_t number) const { return seen_.runs[place_of(number)]; }
  /// The run whose learner's part took the median time. Needs a run that can be judged.
  std::size_t median() const;

 private:
  std::size_t place_of(std::size_t run) const;

  std::filesystem::path program_;
  std::filesystem::path source_;
  matchers::observations seen_;
  std::vector<std::size_t> numbers_;  // of the runs in seen_.runs, which changes its order
};

}  // namespace checking

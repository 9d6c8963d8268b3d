// gpu_runs.h: the runs of one check on this machine's GPU: the same program on the same inputs, several
// times.
//
// Each run is a process of its own that calibrates itself on the device before the learner's part; so what a
// run is measured against was measured next to it, and calibration and learner's part take turns.
//
//     checking::gpu_runs runs(requests, program, source);
//     if (auto failure = runs.extend_to(5)) ...
//     evaluate(rubric, runs.observed(), 0);
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>

#include "checking/run_failure.h"
#include "matchers/facts/scheduled_run.h"

namespace checking {

/// Runs of one exercise program on this machine's GPU, from the same requests.
class gpu_runs {
 public:
  /// `observed` holds the requests; `source` is the file of the learner.
  gpu_runs(matchers::observations observed, std::filesystem::path program, std::filesystem::path source);

  /// Runs the program until there are that many runs, or one that cannot be judged: then says why.
  std::optional<run_failure> extend_to(std::size_t count);
  std::size_t count() const { return observed_.runs.size(); }
  /// The runs in their order.
  const matchers::observations& observed() const { return observed_; }
  /// The number of the run whose learner's part took the median time. Every run must be one that can be judged.
  std::size_t median() const;

 private:
  std::filesystem::path program_;
  std::filesystem::path source_;
  exercise::sealed_requests requests_;
  matchers::observations observed_;
};

}  // namespace checking

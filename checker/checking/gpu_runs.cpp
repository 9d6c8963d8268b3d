#include "checking/gpu_runs.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "analysis/part.h"

namespace checking {

gpu_runs::gpu_runs(matchers::observations observed, std::filesystem::path program,
                   std::filesystem::path source)
    : program_(std::move(program)),
      source_(std::move(source)),
      requests_(observed.requests()),
      observed_(std::move(observed)) {}

std::optional<run_failure> gpu_runs::extend_to(std::size_t count) {
  while (this->count() < count) {
    exercise::launch_options options;
    options.program = program_;
    options.own_sources = {source_};
    options.requests = requests_;
    // Code is loaded at the start: loading at a launch may wait for the device.
    options.environment = {{"CUDA_MODULE_LOADING", "EAGER"}};
    observed_.runs.push_back({.gpu_number = this->count() + 1, .outcome = exercise::launch(options)});
    if (auto failure = failure_of(observed_.runs.back(), observed_.source)) return failure;
  }
  return std::nullopt;
}

std::size_t gpu_runs::median() const {
  std::vector<std::pair<trace::nanoseconds, std::size_t>> lengths;
  for (std::size_t i = 0; i < count(); ++i) {
    lengths.emplace_back(analysis::part_of(*observed_.runs[i].outcome.recording, "learner").duration(), i);
  }
  std::sort(lengths.begin(), lengths.end());
  return lengths[lengths.size() / 2].second;
}

}  // namespace checking

#include "checking/gpu_runs.h"

#include <algorithm>
#include <utility>

#include "checking/run_failure.h"

namespace checking {

gpu_runs::gpu_runs(exercise::message request, std::filesystem::path program, std::filesystem::path source)
    : program_(std::move(program)), source_(std::move(source)) {
  seen_.request = std::move(request);
}

std::optional<matchers::finding> gpu_runs::extend_to(std::size_t count) {
  while (this->count() < count) {
    exercise::launch_options options;
    options.program = program_;
    options.own_sources = {source_};
    options.request = seen_.request;
    // Code is loaded at the start: loading at a launch may wait for the device.
    options.environment = {{"CUDA_MODULE_LOADING", "EAGER"}};
    numbers_.push_back(this->count());
    seen_.runs.push_back({matchers::name_of_gpu_run(numbers_.size()), exercise::launch(options)});
    if (auto failure = failure_of(seen_.runs.back())) return failure;
  }
  return std::nullopt;
}

std::size_t gpu_runs::place_of(std::size_t run) const {
  return static_cast<std::size_t>(std::find(numbers_.begin(), numbers_.end(), run) - numbers_.begin());
}

const matchers::observations& gpu_runs::look_at(std::size_t run) {
  const std::size_t place = place_of(run);
  std::swap(seen_.runs.front(), seen_.runs.at(place));
  std::swap(numbers_.front(), numbers_.at(place));
  seen_.learner = analysis::part_of(*seen_.runs.front().outcome.seen, "learner");
  return seen_;
}

std::size_t gpu_runs::median() const {
  std::vector<std::pair<trace::nanoseconds, std::size_t>> lengths;
  for (std::size_t i = 0; i < count(); ++i) {
    lengths.emplace_back(analysis::part_of(*run(i).outcome.seen, "learner").duration(), i);
  }
  std::sort(lengths.begin(), lengths.end());
  return lengths[lengths.size() / 2].second;
}

}  // namespace checking

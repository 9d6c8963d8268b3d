#include "matchers/scheduled_run.h"

#include <algorithm>

namespace matchers {

namespace {

const std::string gpu_run = "gpu-";

}  // namespace

bool was_disturbed(const scheduled_run& run) {
  if (!run.outcome.seen) return false;
  const auto& notes = run.outcome.seen->diagnostics;
  return std::any_of(notes.begin(), notes.end(),
                     [](const auto& note) { return note.kind == trace::diagnostic_kind::other_work; });
}

std::string name_of_gpu_run(std::size_t number) { return gpu_run + std::to_string(number); }

const std::vector<std::string>& all_schedules() {
  static const std::vector<std::string> schedules{"as-is", "slow-copies", "slow-kernels", "late-pageable"};
  return schedules;
}

std::string in_words(const std::string& schedule) {
  if (schedule == "as-is") return "in the plain run";
  if (schedule == "slow-copies") return "in the run with copies ten times slower";
  if (schedule == "slow-kernels") return "in the run with kernels ten times slower";
  if (schedule == "late-pageable") return "in the run with pageable copies done as late as allowed";
  if (schedule.rfind(gpu_run, 0) == 0) return "in run " + schedule.substr(gpu_run.size()) + " on the GPU";
  return "in the run under the schedule " + schedule;
}

}  // namespace matchers

#include "harness/scheduled_run.h"

namespace harness {

const std::vector<std::string>& all_schedules() {
  static const std::vector<std::string> schedules{"as-is", "slow-copies", "slow-kernels", "late-pageable"};
  return schedules;
}

std::string in_words(const std::string& schedule) {
  if (schedule == "as-is") return "in the plain run";
  if (schedule == "slow-copies") return "in the run with copies ten times slower";
  if (schedule == "slow-kernels") return "in the run with kernels ten times slower";
  if (schedule == "late-pageable") return "in the run with pageable copies done as late as allowed";
  return "in the run under the schedule " + schedule;
}

}  // namespace harness

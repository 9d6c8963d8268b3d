#include "cuda_runtime/run_settings.h"

#include <chrono>
#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <string>

#include "cuda_runtime/default_profile.h"
#include "trace/run_control.h"
#include "trace/words.h"

namespace cuda_runtime {
namespace {

std::string setting(const char* name, const char* otherwise) {
  const char* const value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : otherwise;
}

trace::schedule_kind schedule() {
  const std::string word = setting("STREAMLINGS_SCHEDULE", "as-is");
  if (const auto schedule = trace::value_of<trace::schedule_kind>(word)) return *schedule;
  throw std::runtime_error("STREAMLINGS_SCHEDULE: there is no schedule named \"" + word +
                           "\"; there are as-is, slow-copies, slow-kernels and late-pageable");
}

/// At most 64: sets of devices have one bit a device.
std::uint32_t devices() {
  const int number = std::atoi(setting("STREAMLINGS_DEVICES", "1").c_str());
  if (number < 1 || number > 64) throw std::runtime_error("STREAMLINGS_DEVICES: must be from 1 to 64");
  return static_cast<std::uint32_t>(number);
}

/// A program that is started by itself needs no file beside the library.
device::profile default_profile() {
  std::istringstream text{std::string(default_profile_text)};
  return device::read_profile(text, "teaching.json");
}

}  // namespace

run_settings settings_of_this_run() {
  trace::backend_settings asked;
  if (const trace::run_control* control = trace::current_run_control()) {
    asked = control->settings;
  } else {
    asked = {setting("STREAMLINGS_PROFILE", ""),
             schedule(),
             devices(),
             std::chrono::seconds(std::atoll(setting("STREAMLINGS_VIRTUAL_SECONDS", "0").c_str())),
             trace::sharing_for(1),
             false,
             std::nullopt};
  }
  run_settings result{.gpu = asked.profile.empty() ? default_profile() : device::load_profile(asked.profile)};
  result.is_recorded = trace::current_run_control() != nullptr;
  result.devices = asked.devices;
  result.schedule = asked.schedule;
  result.virtual_time_limit = asked.virtual_time_limit;
  const trace::cuda_variables variables = asked.variables.value_or(trace::cuda_variables_here());
  result.work_queues = variables.work_queues;
  result.sharing = asked.sharing;
  result.launches_block = variables.launches_block;
  return result;
}

}  // namespace cuda_runtime

#include "audit/audit.h"

#include <fmt/core.h>

#include <exception>

#include "audit/calls_and_operations.h"
#include "audit/contradiction.h"
#include "audit/device_replay.h"
#include "audit/host_times.h"

namespace audit {
namespace {

void require_expected_gpu(const trace::recording& recording, const device::profile& gpu,
                          const trace::backend_settings& settings) {
  const bool is_same_run = recording.backend == "virtual" && recording.profile == gpu.short_name &&
                           recording.schedule == settings.schedule &&
                           recording.devices.size() == settings.devices;
  if (!is_same_run)
    throw contradiction{"The recording is of another GPU, or of another schedule, than was asked for."};
  for (std::uint32_t ordinal = 0; ordinal < settings.devices; ++ordinal) {
    const trace::device made{ordinal, gpu.name, gpu.compute_capability,
                             static_cast<std::uint32_t>(gpu.multiprocessors),
                             static_cast<std::uint32_t>(gpu.copy_engines)};
    if (recording.devices[ordinal] != made)
      throw contradiction{fmt::format("Device {} is not the GPU that was asked for.", ordinal)};
  }
}

}  // namespace

std::optional<std::string> first_contradiction(const trace::recording& recording, const device::profile& gpu,
                                               const trace::backend_settings& settings) {
  try {
    require_expected_gpu(recording, gpu, settings);
    require_operations_of_calls(recording);
    device_replay again(recording, gpu, settings);
    again.run();
    require_times_of_calls(recording, gpu, settings, again);
  } catch (const contradiction& found) {
    return found.sentence;
  }
  return std::nullopt;
}

}  // namespace audit

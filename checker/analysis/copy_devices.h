// copy_devices.h: from which device to which a copy goes.
#pragma once

#include <cstdint>
#include <optional>

#include "trace/recording.h"

namespace analysis {

/// Ordinals.
struct device_pair {
  std::uint32_t source = 0;
  std::uint32_t destination = 0;
};

/// Of a copy between two devices; nothing of any other, and where the recording has no accesses.
std::optional<device_pair> devices_between(const trace::recording& recording, const trace::operation& copy);

}  // namespace analysis

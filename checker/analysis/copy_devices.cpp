#include "analysis/copy_devices.h"

namespace analysis {

namespace {

std::optional<std::uint32_t> device_of_side(const trace::recording& recording, const trace::operation& copy,
                                            trace::access_mode side) {
  if (!copy.accesses) return std::nullopt;
  for (const trace::access& access : *copy.accesses) {
    if (access.mode == side && !access.bytes.is_empty())
      return recording.allocation_at(access.allocation).device;
  }
  return std::nullopt;
}

}  // namespace

std::optional<device_pair> devices_between(const trace::recording& recording, const trace::operation& copy) {
  if (!copy.source || !copy.destination ||
      trace::direction_of(copy) != trace::copy_direction::device_to_device)
    return std::nullopt;
  const auto source = device_of_side(recording, copy, trace::access_mode::read);
  const auto destination = device_of_side(recording, copy, trace::access_mode::write);
  if (!source || !destination || *source == *destination) return std::nullopt;
  return device_pair{*source, *destination};
}

}  // namespace analysis

// copy_engine.h: routes, durations and engines of copies.
//
// A copy first waits its latency, then moves bytes. While both directions of the host link move bytes, each
// takes `duplex_slowdown` times as long (a fluid model: the rest of a copy is re-timed whenever the other
// side begins or ends). Not here: which copy is next (schedule_engines.cpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "device/profile.h"

namespace device {

/// Source and destination of a copy.
enum class copy_route {
  host_to_device,
  device_to_host,
  device_to_device,  ///< inside one device
  host_to_host,
  peer,         ///< from one device to another, directly
  peer_staged,  ///< from one device to another, through the host
};

/// Duration of the moving part of a copy when nothing disturbs it, in ns. `host_bandwidth` (GB/s) limits
/// copies through staged pageable memory; 0: no limit.
double transfer_ns(const profile& gpu, copy_route route, std::size_t bytes, double host_bandwidth);
/// Time before the first byte, in ns.
double latency_ns(const profile& gpu, copy_route route);
/// The engine that serves a route: with one copy engine both directions share it; copies inside the device
/// and copies between devices have their own.
std::uint32_t engine_of(const profile& gpu, copy_route route);
/// Host to device, device to host, inside a device, host to host, between devices.
inline constexpr std::uint32_t engine_count = 5;

/// The transfers in progress on the two directions of one host link.
class host_link {
 public:
  explicit host_link(double duplex_slowdown) : slowdown_(duplex_slowdown) {}

  /// Begins a transfer of `work_ns` (undisturbed) in direction 0 or 1.
  void begin(nanoseconds now, std::uint32_t direction, double work_ns);
  void end(nanoseconds now, std::uint32_t direction);
  bool is_moving(std::uint32_t direction) const { return lanes_[direction].is_moving; }
  /// The end of the transfer if nothing else begins or ends.
  nanoseconds end_of(nanoseconds now, std::uint32_t direction) const;

 private:
  struct lane {
    bool is_moving = false;
    double left_ns = 0;  // of undisturbed time
  };
  void progress(nanoseconds now);
  double rate() const { return lanes_[0].is_moving && lanes_[1].is_moving ? 1 / slowdown_ : 1; }

  double slowdown_;
  std::array<lane, 2> lanes_;
  nanoseconds updated_{0};
};

}  // namespace device

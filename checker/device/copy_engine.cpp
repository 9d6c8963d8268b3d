#include "device/copy_engine.h"

#include <algorithm>
#include <cmath>

namespace device {

double transfer_ns(const profile& gpu, copy_route route, std::size_t bytes, double host_bandwidth) {
  double bandwidth = 0;
  switch (route) {
    case copy_route::host_to_device:
      bandwidth = gpu.h2d_bandwidth;
      break;
    case copy_route::device_to_host:
      bandwidth = gpu.d2h_bandwidth;
      break;
    case copy_route::device_to_device:
      bandwidth = gpu.d2d_bandwidth;
      break;
    case copy_route::host_to_host:
      bandwidth = gpu.pageable_h2d_bandwidth;
      break;
    case copy_route::peer:
      bandwidth = gpu.peer_bandwidth;
      break;
    case copy_route::peer_staged:
      bandwidth = gpu.peer_staged_bandwidth;
      break;
  }
  if (host_bandwidth > 0) bandwidth = std::min(bandwidth, host_bandwidth);
  return static_cast<double>(bytes) / bandwidth;
}

double latency_ns(const profile& gpu, copy_route route) {
  switch (route) {
    case copy_route::host_to_device:
      return gpu.h2d_latency;
    case copy_route::device_to_host:
      return gpu.d2h_latency;
    case copy_route::device_to_device:
      return gpu.d2d_latency;
    case copy_route::host_to_host:
      return gpu.pageable_latency;
    case copy_route::peer:
      return gpu.peer_latency;
    case copy_route::peer_staged:
      return gpu.peer_staged_latency;
  }
  return 0;
}

std::uint32_t engine_of(const profile& gpu, copy_route route) {
  if (route == copy_route::peer || route == copy_route::peer_staged) return engine_count - 1;
  const auto engine = static_cast<std::uint32_t>(route);
  return route == copy_route::device_to_host && gpu.copy_engines < 2 ? 0 : engine;
}

void host_link::progress(nanoseconds now) {
  const double done = static_cast<double>((now - updated_).count()) * rate();
  for (lane& lane : lanes_) {
    if (lane.is_moving) lane.left_ns = std::max(0.0, lane.left_ns - done);
  }
  updated_ = now;
}

void host_link::begin(nanoseconds now, std::uint32_t direction, double work_ns) {
  progress(now);
  lanes_[direction] = {true, work_ns};
}

void host_link::end(nanoseconds now, std::uint32_t direction) {
  progress(now);
  lanes_[direction] = {};
}

nanoseconds host_link::end_of(nanoseconds now, std::uint32_t direction) const {
  host_link later = *this;
  later.progress(now);
  return now +
         nanoseconds(static_cast<std::int64_t>(std::ceil(later.lanes_[direction].left_ns / rate() - 1e-6)));
}

}  // namespace device

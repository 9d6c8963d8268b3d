#include "device/host_model.h"

#include <algorithm>
#include <cmath>

namespace device {

nanoseconds issue_latency(const profile& gpu, trace::operation_kind kind) {
  return from_ns(moves_bytes(kind) ? gpu.copy_issue_latency : gpu.launch_latency);
}

nanoseconds wait_return_latency(const profile& gpu) {
  return nanoseconds(static_cast<std::int64_t>(gpu.synchronize_return));
}

bool has_room_for_launch(const profile& gpu, const schedule& devices, std::uint32_t device) {
  return devices.pending_launches(device) < static_cast<std::size_t>(gpu.launch_queue);
}

double staging_bandwidth(const profile& gpu, copy_route route) {
  switch (route) {
    case copy_route::host_to_device:
      return gpu.pageable_h2d_bandwidth;
    case copy_route::device_to_host:
      return gpu.pageable_d2h_bandwidth;
    case copy_route::device_to_device:
    case copy_route::host_to_host:
    case copy_route::peer:
    case copy_route::peer_staged:
      break;
  }
  return 0;
}

nanoseconds stage_source(const profile& gpu, request& copy) {
  const double gb_per_second = staging_bandwidth(gpu, copy.route);  // the same as bytes/ns
  const std::size_t first = std::min(copy.bytes, gpu.staging_buffer);
  copy.staged_bytes = copy.bytes - first;
  copy.host_bandwidth = copy.staged_bytes > 0 ? gb_per_second : 0;
  return from_ns(gpu.pageable_latency) + from_ns(static_cast<double>(first) / gb_per_second);
}

}  // namespace device

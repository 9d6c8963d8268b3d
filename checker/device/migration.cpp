#include "device/migration.h"

namespace device {

double prefetch_ns(const profile& gpu, copy_route route, std::size_t bytes) {
  const auto pages = static_cast<double>((bytes + managed_page_bytes - 1) / managed_page_bytes);
  const double more =
      route == copy_route::device_to_host ? gpu.prefetched_page_to_host : gpu.prefetched_page_to_device;
  return transfer_ns(gpu, route, bytes, 0) + pages * more;
}

double fault_ns(const profile& gpu, copy_route route, const moved_pages& moved) {
  const double more =
      route == copy_route::device_to_host ? gpu.faulted_page_to_host : gpu.faulted_page_to_device;
  return transfer_ns(gpu, route, moved.bytes, 0) + static_cast<double>(moved.pages) * more;
}

}  // namespace device

#include "device/host_model.h"

#include <gtest/gtest.h>

#include "device/tiny_gpu.h"

namespace device {
namespace {

profile staging_gpu() {
  profile gpu = tiny_gpu();
  gpu.pageable_latency = 100;
  gpu.pageable_h2d_bandwidth = 2;
  gpu.pageable_d2h_bandwidth = 4;
  gpu.staging_buffer = 1000;
  return gpu;
}

TEST(HostModel, ASmallPageableCopyIsStagedInItsCall) {
  request copy;
  copy.kind = trace::operation_kind::copy;
  copy.route = copy_route::host_to_device;
  copy.bytes = 600;
  EXPECT_EQ(stage_source(staging_gpu(), copy), nanoseconds(100 + 300));
  EXPECT_EQ(copy.staged_bytes, 0U);
  EXPECT_EQ(copy.host_bandwidth, 0);
}

TEST(HostModel, ALargePageableCopyLeavesTheRestForLater) {
  request copy;
  copy.kind = trace::operation_kind::copy;
  copy.route = copy_route::host_to_device;
  copy.bytes = 5000;
  EXPECT_EQ(stage_source(staging_gpu(), copy), nanoseconds(100 + 500));
  EXPECT_EQ(copy.staged_bytes, 4000U);
  EXPECT_EQ(copy.host_bandwidth, 2);
}

TEST(HostModel, OnlyCopiesBetweenHostAndDeviceAreStaged) {
  EXPECT_EQ(staging_bandwidth(staging_gpu(), copy_route::host_to_device), 2);
  EXPECT_EQ(staging_bandwidth(staging_gpu(), copy_route::device_to_host), 4);
  EXPECT_EQ(staging_bandwidth(staging_gpu(), copy_route::device_to_device), 0);
  EXPECT_EQ(staging_bandwidth(staging_gpu(), copy_route::peer_staged), 0);
}

}  // namespace
}  // namespace device

#include "device/copy_engine.h"

#include <gtest/gtest.h>

#include "device/tiny_gpu.h"

namespace device {
namespace {

nanoseconds at(long long time) { return nanoseconds(time); }

TEST(CopyEngine, ATransferTakesItsBytesAtTheBandwidthOfItsRoute) {
  profile gpu = tiny_gpu();
  gpu.h2d_bandwidth = 2;
  gpu.d2h_bandwidth = 4;
  gpu.d2d_bandwidth = 8;
  gpu.pageable_h2d_bandwidth = 0.5;
  EXPECT_EQ(transfer_ns(gpu, copy_route::host_to_device, 800, 0), 400);
  EXPECT_EQ(transfer_ns(gpu, copy_route::device_to_host, 800, 0), 200);
  EXPECT_EQ(transfer_ns(gpu, copy_route::device_to_device, 800, 0), 100);
  EXPECT_EQ(transfer_ns(gpu, copy_route::host_to_host, 800, 0), 1600);
}

TEST(CopyEngine, TheHostLimitsATransferOnlyWhenItIsTheSlowerSide) {
  const profile gpu = tiny_gpu();
  EXPECT_EQ(transfer_ns(gpu, copy_route::host_to_device, 100, 0.5), 200);
  EXPECT_EQ(transfer_ns(gpu, copy_route::host_to_device, 100, 3), 100);
}

TEST(CopyEngine, EachRouteHasItsLatency) {
  profile gpu = tiny_gpu();
  gpu.h2d_latency = 1;
  gpu.d2h_latency = 2;
  gpu.d2d_latency = 3;
  gpu.pageable_latency = 4;
  EXPECT_EQ(latency_ns(gpu, copy_route::host_to_device), 1);
  EXPECT_EQ(latency_ns(gpu, copy_route::device_to_host), 2);
  EXPECT_EQ(latency_ns(gpu, copy_route::device_to_device), 3);
  EXPECT_EQ(latency_ns(gpu, copy_route::host_to_host), 4);
}

TEST(CopyEngine, TheTwoDirectionsShareAnEngineOnlyWhenThereIsOne) {
  profile gpu = tiny_gpu();
  EXPECT_NE(engine_of(gpu, copy_route::host_to_device), engine_of(gpu, copy_route::device_to_host));
  gpu.copy_engines = 1;
  EXPECT_EQ(engine_of(gpu, copy_route::host_to_device), engine_of(gpu, copy_route::device_to_host));
  EXPECT_NE(engine_of(gpu, copy_route::host_to_device), engine_of(gpu, copy_route::device_to_device));
}

TEST(HostLink, ATransferAloneTakesItsTime) {
  host_link link(1.5);
  link.begin(at(10), 0, 100);
  EXPECT_TRUE(link.is_moving(0));
  EXPECT_FALSE(link.is_moving(1));
  EXPECT_EQ(link.end_of(at(10), 0), at(110));
  EXPECT_EQ(link.end_of(at(60), 0), at(110));
}

TEST(HostLink, WhileBothDirectionsMoveEachIsSlower) {
  host_link link(1.5);
  link.begin(at(0), 0, 100);
  link.begin(at(40), 1, 60);
  EXPECT_EQ(link.end_of(at(40), 0), at(130));
  EXPECT_EQ(link.end_of(at(40), 1), at(130));
  link.end(at(130), 1);
  EXPECT_FALSE(link.is_moving(1));
  EXPECT_EQ(link.end_of(at(130), 0), at(130));
}

TEST(HostLink, WhatIsLeftOfATransferIsFastAgainWhenTheOtherHasEnded) {
  host_link link(2);
  link.begin(at(0), 0, 100);
  link.begin(at(0), 1, 30);
  EXPECT_EQ(link.end_of(at(0), 1), at(60));
  link.end(at(60), 1);
  EXPECT_EQ(link.end_of(at(60), 0), at(130));
}

TEST(HostLink, ATransferEndsAtAWholeNanosecond) {
  host_link link(1.5);
  link.begin(at(0), 0, 10.25);
  EXPECT_EQ(link.end_of(at(0), 0), at(11));
}

}  // namespace
}  // namespace device

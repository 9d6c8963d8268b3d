#include "device/copy_engine.h"

#include <gtest/gtest.h>

#include "device/tiny_gpu.h"

namespace device {
namespace {

nanoseconds ns(long long time) { return nanoseconds(time); }

TEST(CopyEngine, ATransferTakesItsBytesAtTheBandwidthOfItsRoute) {
  profile model = tiny_gpu();
  model.h2d_bandwidth = 2;
  model.d2h_bandwidth = 4;
  model.d2d_bandwidth = 8;
  model.pageable_h2d_bandwidth = 0.5;
  EXPECT_EQ(transfer_ns(model, copy_route::host_to_device, 800, 0), 400);
  EXPECT_EQ(transfer_ns(model, copy_route::device_to_host, 800, 0), 200);
  EXPECT_EQ(transfer_ns(model, copy_route::device_to_device, 800, 0), 100);
  EXPECT_EQ(transfer_ns(model, copy_route::host_to_host, 800, 0), 1600);
}

TEST(CopyEngine, TheHostLimitsATransferOnlyWhenItIsTheSlowerSide) {
  const profile model = tiny_gpu();
  EXPECT_EQ(transfer_ns(model, copy_route::host_to_device, 100, 0.5), 200);
  EXPECT_EQ(transfer_ns(model, copy_route::host_to_device, 100, 3), 100);
}

TEST(CopyEngine, EachRouteHasItsLatency) {
  profile model = tiny_gpu();
  model.h2d_latency = 1;
  model.d2h_latency = 2;
  model.d2d_latency = 3;
  model.pageable_latency = 4;
  EXPECT_EQ(latency_ns(model, copy_route::host_to_device), 1);
  EXPECT_EQ(latency_ns(model, copy_route::device_to_host), 2);
  EXPECT_EQ(latency_ns(model, copy_route::device_to_device), 3);
  EXPECT_EQ(latency_ns(model, copy_route::host_to_host), 4);
}

TEST(CopyEngine, TheTwoDirectionsShareAnEngineOnlyWhenThereIsOne) {
  profile model = tiny_gpu();
  EXPECT_NE(engine_of(model, copy_route::host_to_device), engine_of(model, copy_route::device_to_host));
  model.copy_engines = 1;
  EXPECT_EQ(engine_of(model, copy_route::host_to_device), engine_of(model, copy_route::device_to_host));
  EXPECT_NE(engine_of(model, copy_route::host_to_device), engine_of(model, copy_route::device_to_device));
}

TEST(HostLink, ATransferAloneTakesItsTime) {
  host_link link(1.5);
  link.begin(ns(10), 0, 100);
  EXPECT_TRUE(link.is_moving(0));
  EXPECT_FALSE(link.is_moving(1));
  EXPECT_EQ(link.end_of(ns(10), 0), ns(110));
  EXPECT_EQ(link.end_of(ns(60), 0), ns(110));
}

TEST(HostLink, WhileBothDirectionsMoveEachIsSlower) {
  host_link link(1.5);
  link.begin(ns(0), 0, 100);
  link.begin(ns(40), 1, 60);
  EXPECT_EQ(link.end_of(ns(40), 0), ns(130));
  EXPECT_EQ(link.end_of(ns(40), 1), ns(130));
  link.end(ns(130), 1);
  EXPECT_FALSE(link.is_moving(1));
  EXPECT_EQ(link.end_of(ns(130), 0), ns(130));
}

TEST(HostLink, WhatIsLeftOfATransferIsFastAgainWhenTheOtherHasEnded) {
  host_link link(2);
  link.begin(ns(0), 0, 100);
  link.begin(ns(0), 1, 30);
  EXPECT_EQ(link.end_of(ns(0), 1), ns(60));
  link.end(ns(60), 1);
  EXPECT_EQ(link.end_of(ns(60), 0), ns(130));
}

TEST(HostLink, ATransferEndsAtAWholeNanosecond) {
  host_link link(1.5);
  link.begin(ns(0), 0, 10.25);
  EXPECT_EQ(link.end_of(ns(0), 0), ns(11));
}

}  // namespace
}  // namespace device

// tiny_gpu.h: a profile for tests, small enough to schedule in the head.
//
// Two multiprocessors hold two blocks and 64 threads each; a cycle is a nanosecond, and so is a byte of a
// copy. Nothing has latency: a test sets what it is about.
//
//     device::profile gpu = device::tiny_gpu();
//     gpu.duplex_slowdown = 1.5;
#pragma once

#include "device/profile.h"

namespace device {

inline profile tiny_gpu() {
  profile gpu;
  gpu.short_name = "tiny";
  gpu.name = "Tiny GPU";
  gpu.compute_capability = "9.0";
  gpu.multiprocessors = 2;
  gpu.clock = 1000;
  gpu.threads_per_multiprocessor = 64;
  gpu.blocks_per_multiprocessor = 2;
  gpu.threads_per_block = 64;
  gpu.warp_size = 32;
  gpu.shared_memory_per_multiprocessor = 1000;
  gpu.shared_memory_per_block = 1000;
  gpu.global_memory = 1 << 20;
  gpu.memory_bandwidth = 1;
  gpu.resident_grids = 16;
  gpu.work_queues = 8;
  gpu.max_work_queues = 8;
  gpu.copy_engines = 2;
  gpu.copy_queues = 8;
  gpu.h2d_bandwidth = 1;
  gpu.d2h_bandwidth = 1;
  gpu.d2d_bandwidth = 1;
  gpu.peer_bandwidth = 2;
  gpu.peer_staged_bandwidth = 0.5;
  gpu.duplex_slowdown = 1;
  gpu.memset_bandwidth = 1;
  gpu.pageable_h2d_bandwidth = 0.5;
  gpu.pageable_d2h_bandwidth = 0.5;
  gpu.staging_buffer = 100;
  gpu.event_resolution = 1;
  return gpu;
}

}  // namespace device

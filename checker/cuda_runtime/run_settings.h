// run_settings.h: which GPUs, which schedule, and what CUDA's own variables say.
#pragma once

#include <cstddef>
#include <cstdint>

#include "device/profile.h"
#include "trace/recording.h"
#include "trace/run_control.h"

namespace cuda_runtime {

/// How pageable memory is treated by asynchronous copies; the documentation allows both.
enum class pageable_policy {
  staged,  ///< as current drivers do: the host stages a copy to the device, and waits for a copy from it
  late,    ///< the source is read, and the destination written, when the copy runs, like pinned memory
};

/// Fixed for the whole run.
struct run_settings {
  device::profile gpu;
  std::size_t devices = 1;  ///< 1 to 64
  trace::schedule_kind schedule = trace::schedule_kind::as_is;
  trace::nanoseconds virtual_time_limit{0};  ///< 0: none
  std::uint32_t work_queues = 0;             ///< CUDA_DEVICE_MAX_CONNECTIONS; 0: as the GPU has
  bool launches_block = false;               ///< CUDA_LAUNCH_BLOCKING
  trace::block_sharing sharing{};            ///< of a kernel's blocks
  /// False: nobody will ask for the recording. Lists of operations that have ended are not kept.
  bool is_recorded = true;

  pageable_policy pageable() const {
    return schedule == trace::schedule_kind::late_pageable ? pageable_policy::late : pageable_policy::staged;
  }
};

/// What the starting program asked for (trace/run_control.h); in a program that was started alone, what the variables
/// STREAMLINGS_PROFILE, _DEVICES, _SCHEDULE, _VIRTUAL_SECONDS and those of trace::sharing_for() say. Throws std::exception for a setting that cannot be
/// used.
run_settings settings_of_this_run();

}  // namespace cuda_runtime

// other_work.h: detects other processes that use the GPU, through the driver's management library (NVML).
//
//     const real_gpu::other_work watched;
//     ...
//     watched.disturbances();   // one diagnostic "other_work" a process
#pragma once

#include <vector>

#include "trace/recording.h"

namespace real_gpu {

/// Watches all GPUs of the machine from its construction.
class other_work {
 public:
  other_work();

  /// A diagnostic "other_work" for each other process that computed on a GPU since then. Where the driver
  /// does not report who computed, for each that could have. Empty without NVML.
  std::vector<trace::diagnostic> disturbances() const;

 private:
  unsigned long long began_ = 0;  // microseconds of the system clock
};

}  // namespace real_gpu

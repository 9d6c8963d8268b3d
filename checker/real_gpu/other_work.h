// other_work.h: whether other processes use the GPU too, as the driver's management library (NVML) tells.
//
//     const real_gpu::other_work watched;
//     ...
//     watched.seen_since_it_began();   // one diagnostic "other_work" a process
#pragma once

#include <vector>

#include "trace/recording.h"

namespace real_gpu {

/// Looks at all GPUs of the machine, from its construction on.
class other_work {
 public:
  /// Watches from now on.
  other_work();

  /// A diagnostic "other_work" for each process, beside this one, that computed on a GPU in the meantime.
  /// Where the driver does not tell who computed, for each that could have. Without NVML, nothing.
  std::vector<trace::diagnostic> disturbances() const;

 private:
  unsigned long long began_ = 0;  // microseconds of the system clock
};

}  // namespace real_gpu

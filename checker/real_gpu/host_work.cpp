// host_work() of workload.h.
#include <chrono>

#include "real_gpu/cupti_recorder.h"

void host_work(std::chrono::nanoseconds duration) {
  const real_gpu::nanoseconds start = real_gpu::cupti_recorder::get().now();
  const auto end = std::chrono::steady_clock::now() + duration;
  while (std::chrono::steady_clock::now() < end) {
  }
  real_gpu::cupti_recorder::get().add_host_work(start, __builtin_return_address(0));
}

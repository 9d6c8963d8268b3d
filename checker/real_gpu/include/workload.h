// workload.h: what lessons use beside CUDA. Each backend has its own workload.h with the same two functions.
#pragma once

#include <cuda_runtime.h>

#include <chrono>

/// Keeps the calling host thread busy for that long.
void host_work(std::chrono::nanoseconds duration);

/// Keeps the calling thread of a kernel busy for that many cycles of the multiprocessor's clock.
static __device__ inline void spin_cycles(long long cycles) {
  const long long begin = clock64();
  while (clock64() - begin < cycles) {
  }
}

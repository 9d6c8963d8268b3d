// workload.h: what lessons use beside CUDA. Each backend has its own workload.h with the same two functions.
#pragma once
#pragma GCC system_header  // warnings are for the code of the program

#include <chrono>

#include "cuda_runtime.h"

/// Keeps the host busy for that long; on the virtual GPU by letting virtual time pass.
void host_work(std::chrono::nanoseconds duration);

/// Keeps the calling thread of a kernel busy for that many cycles of the multiprocessor's clock.
__device__ void spin_cycles(long long cycles);

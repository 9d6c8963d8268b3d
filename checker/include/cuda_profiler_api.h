// cuda_profiler_api.h: where programs for CUDA 12 and older find cudaProfilerStart and cudaProfilerStop,
// which cuda_runtime.h has here.
#pragma once

#include "cuda_runtime.h"

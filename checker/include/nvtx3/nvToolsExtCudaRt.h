// nvToolsExtCudaRt.h: NVTX: names for streams, which timelines and reports show.
// @see NVTX C API Reference, CUDA Runtime API resource naming
#pragma once
#pragma GCC system_header  // warnings are for the code of the program

#include "../cuda_runtime.h"
#include "nvToolsExt.h"

extern "C" void nvtxNameCudaStreamA(cudaStream_t stream, const char* name);
#define nvtxNameCudaStream nvtxNameCudaStreamA

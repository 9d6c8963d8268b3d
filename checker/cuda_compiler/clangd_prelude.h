// clangd_prelude.h: lets clangd read .cu files. It comes before them in the compile commands for editors
// (clangd.cmake), and in no build.
//
// clang's own CUDA mode understands kernels and launches, and asks for functions that devices can call. Here
// everything that the virtual GPU's headers declare can be called from both sides.
#pragma once

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((managed))
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))

// The C library has these names too, for itself.
#define __sinf c_sinf
#define __cosf c_cosf
#define __tanf c_tanf
#define __tanhf c_tanhf
#define __expf c_expf
#define __exp10f c_exp10f
#define __logf c_logf
#define __log2f c_log2f
#define __log10f c_log10f
#define __powf c_powf
#define __sincosf c_sincosf
#define printf c_printf
#include <math.h>
#include <stdio.h>
#undef __sinf
#undef __cosf
#undef __tanf
#undef __tanhf
#undef __expf
#undef __exp10f
#undef __logf
#undef __log2f
#undef __log10f
#undef __powf
#undef __sincosf
#undef printf

// A builtin of clang, for devices only.
#define __syncthreads virtual_gpu_syncthreads

#include <stdlib.h>

#pragma clang force_cuda_host_device begin
#include <string.h>
#pragma clang force_cuda_host_device end

#include <cstring>
#include <ctime>
#include <type_traits>

#pragma clang force_cuda_host_device begin
#include "cuda_runtime.h"
// What clang makes of <<<...>>>, by its version of CUDA.
extern "C" unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes = 0,
                                                cudaStream_t stream = 0);
extern "C" int cudaConfigureCall(dim3 grid, dim3 block, size_t shared_bytes = 0, cudaStream_t stream = 0);
#pragma clang force_cuda_host_device end

#include <cstdio>

// cuda_runtime.h: the CUDA names that a program sees on the virtual GPU. It is included before every .cu file, as nvcc
// does; including it once more is harmless.
#pragma once
#pragma GCC system_header  // warnings are for the code of the program

#include <math.h>
#include <stdlib.h>
#include <cstring>
#include <ctime>
#include <type_traits>

#include "cuda_runtime_api.h"
#include "device_language.h"
#include "not_modelled.h"

template <typename Value>
__attribute__((always_inline)) inline cudaError_t cudaMalloc(Value** devPtr, size_t size) {
  return ::cudaMalloc(reinterpret_cast<void**>(devPtr), size);
}
template <typename Value>
__attribute__((always_inline)) inline cudaError_t cudaMallocHost(Value** ptr, size_t size) {
  return ::cudaMallocHost(reinterpret_cast<void**>(ptr), size);
}
template <typename Value>
__attribute__((always_inline)) inline cudaError_t cudaMallocHost(Value** ptr, size_t size, unsigned int flags) {
  return ::cudaHostAlloc(reinterpret_cast<void**>(ptr), size, flags);
}
template <typename Value>
__attribute__((always_inline)) inline cudaError_t cudaHostAlloc(Value** pHost, size_t size, unsigned int flags) {
  return ::cudaHostAlloc(reinterpret_cast<void**>(pHost), size, flags);
}
template <typename Value>
__attribute__((always_inline)) inline cudaError_t cudaHostGetDevicePointer(Value** pDevice, void* pHost, unsigned int flags) {
  return ::cudaHostGetDevicePointer(reinterpret_cast<void**>(pDevice), pHost, flags);
}
__attribute__((always_inline)) inline cudaError_t cudaEventCreate(cudaEvent_t* event, unsigned int flags) {
  return ::cudaEventCreateWithFlags(event, flags);
}

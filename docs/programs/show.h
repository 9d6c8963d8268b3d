// show.h: what the programs of the pages share: calls that are checked, a kernel of a given length, and
// streams, events and memory that end with their scope.
//
//     const show::stream mine;
//     show::work<<<4, 256, 0, mine>>>(device, count, show::cycles_of(500));   // half a millisecond
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

#include "workload.h"

#define CHECK(call) show::check((call), #call, __LINE__)

namespace show {

inline void check(cudaError_t error, const char* call, int line) {
  if (error == cudaSuccess) return;
  std::printf("line %d: %s returned %s\n", line, call, cudaGetErrorName(error));
  std::exit(1);
}

/// Cycles of the current device that take so many microseconds.
inline long long cycles_of(int microseconds) {
  int kilohertz = 0;
  CHECK(cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate, 0));
  return static_cast<long long>(microseconds) * kilohertz / 1000;
}

/// Adds one to each element, and keeps each thread busy for that many cycles.
static __global__ void work(float* data, int count, long long cycles) {
  spin_cycles(cycles);
  const int all = static_cast<int>(gridDim.x * blockDim.x);
  for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < count; i += all) data[i] += 1.0f;
}

/// A stream, destroyed with its scope. It has no order with the default stream unless the flags say so.
class stream {
 public:
  explicit stream(unsigned flags = cudaStreamNonBlocking) {
    CHECK(cudaStreamCreateWithFlags(&handle_, flags));
  }
  ~stream() { CHECK(cudaStreamDestroy(handle_)); }
  stream(const stream&) = delete;
  stream& operator=(const stream&) = delete;
  operator cudaStream_t() const { return handle_; }

 private:
  cudaStream_t handle_ = nullptr;
};

/// An event, destroyed with its scope.
class event {
 public:
  event() { CHECK(cudaEventCreate(&handle_)); }
  ~event() { CHECK(cudaEventDestroy(handle_)); }
  event(const event&) = delete;
  event& operator=(const event&) = delete;
  operator cudaEvent_t() const { return handle_; }

 private:
  cudaEvent_t handle_ = nullptr;
};

/// Memory of the device for so many floats, freed with its scope.
class device_memory {
 public:
  explicit device_memory(int count) {
    CHECK(cudaMalloc(&begin_, static_cast<std::size_t>(count) * sizeof(float)));
  }
  ~device_memory() { CHECK(cudaFree(begin_)); }
  device_memory(const device_memory&) = delete;
  device_memory& operator=(const device_memory&) = delete;
  operator float*() const { return begin_; }

 private:
  float* begin_ = nullptr;
};

/// Pinned memory of the host for so many floats, all zero, freed with its scope.
class pinned_memory {
 public:
  explicit pinned_memory(int count) {
    CHECK(cudaMallocHost(&begin_, static_cast<std::size_t>(count) * sizeof(float)));
    for (int i = 0; i < count; ++i) begin_[i] = 0.0f;
  }
  ~pinned_memory() { CHECK(cudaFreeHost(begin_)); }
  pinned_memory(const pinned_memory&) = delete;
  pinned_memory& operator=(const pinned_memory&) = delete;
  operator float*() const { return begin_; }

 private:
  float* begin_ = nullptr;
};

inline float milliseconds_between(cudaEvent_t begin, cudaEvent_t end) {
  float milliseconds = 0;
  CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
  return milliseconds;
}

}  // namespace show

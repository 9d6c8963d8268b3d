// chunks.h: what the planted programs share: an array that goes through the GPU in chunks.
//
// Each program holds one cause that keeps work from overlapping; compiled with -D CURED it does not. Its
// first line names the cause, and the GPU on which it shows.
#pragma once

#include <cuda_runtime.h>
#include <workload.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

inline void check(cudaError_t status, int line) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "line %d: %s\n", line, cudaGetErrorString(status));
  std::exit(1);
}
#define CHECKED(call) check((call), __LINE__)

constexpr int stream_count = 4;
constexpr int threads_per_block = 256;

/// Adds one to each element, in at least that many cycles.
__global__ void add_one(const float* in, float* out, int count, long long cycles) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  spin_cycles(cycles);
  if (i < count) out[i] = in[i] + 1;
}

/// An array of chunks in host memory, and its place on the device.
struct chunked_array {
  int chunks = 0;
  int elements = 0;  ///< of a chunk
  bool is_pinned = true;
  float* host_in = nullptr;
  float* host_out = nullptr;
  float* device_in = nullptr;
  float* device_out = nullptr;

  chunked_array(int chunk_count, int chunk_elements, bool pinned = true)
      : chunks(chunk_count), elements(chunk_elements), is_pinned(pinned) {
    const size_t bytes = size_t(chunks) * chunk_bytes();
    if (is_pinned) {
      CHECKED(cudaMallocHost(&host_in, bytes));
      CHECKED(cudaMallocHost(&host_out, bytes));
    } else {
      host_in = static_cast<float*>(std::malloc(bytes));
      host_out = static_cast<float*>(std::malloc(bytes));
    }
    CHECKED(cudaMalloc(&device_in, bytes));
    CHECKED(cudaMalloc(&device_out, bytes));
    for (int i = 0; i < chunks * elements; ++i) host_in[i] = float(i % 1000);
    std::memset(host_out, 0, bytes);
  }
  ~chunked_array() {
    CHECKED(cudaFree(device_in));
    CHECKED(cudaFree(device_out));
    if (is_pinned) {
      CHECKED(cudaFreeHost(host_in));
      CHECKED(cudaFreeHost(host_out));
    } else {
      std::free(host_in);
      std::free(host_out);
    }
  }

  size_t chunk_bytes() const { return size_t(elements) * sizeof(float); }
  int blocks() const { return (elements + threads_per_block - 1) / threads_per_block; }
  size_t at(int chunk) const { return size_t(chunk) * elements; }

  void copy_in(int chunk, cudaStream_t stream) const {
    CHECKED(cudaMemcpyAsync(device_in + at(chunk), host_in + at(chunk), chunk_bytes(), cudaMemcpyHostToDevice,
                            stream));
  }
  void compute(int chunk, long long cycles, cudaStream_t stream) const {
    add_one<<<blocks(), threads_per_block, 0, stream>>>(device_in + at(chunk), device_out + at(chunk),
                                                        elements, cycles);
  }
  void copy_out(int chunk, cudaStream_t stream) const {
    CHECKED(cudaMemcpyAsync(host_out + at(chunk), device_out + at(chunk), chunk_bytes(),
                            cudaMemcpyDeviceToHost, stream));
  }

  /// Exits with 1 unless every element is right.
  void expect_right() const {
    for (int i = 0; i < chunks * elements; ++i) {
      if (host_out[i] == host_in[i] + 1) continue;
      std::printf("element %d is wrong\n", i);
      std::exit(1);
    }
  }
};

struct stream_set {
  cudaStream_t streams[32];
  int count = 0;

  explicit stream_set(int number) : count(number) {
    for (int i = 0; i < count; ++i) CHECKED(cudaStreamCreate(&streams[i]));
  }
  ~stream_set() {
    for (int i = 0; i < count; ++i) CHECKED(cudaStreamDestroy(streams[i]));
  }
  cudaStream_t operator[](int chunk) const { return streams[chunk % count]; }
};

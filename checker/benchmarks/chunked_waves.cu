// Sines and cosines over an array in chunks, each copied in, computed and copied out in one of four streams.
//
//     ./streamlings run checker/benchmarks/chunked_waves.cu -- 1048576 8
//
// Arguments: the elements, and the rounds of arithmetic for each. With -D NATIVE and a host compiler it is a loop on one core.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#ifndef NATIVE
#include "cuda_runtime.h"
#define ON_BOTH __host__ __device__
#else
#define ON_BOTH
#endif

ON_BOTH float wave(float x, int rounds) {
  for (int i = 0; i < rounds; ++i) {
    const float s = sinf(x);
    const float c = cosf(x);
    x += sqrtf(s * s + c * c);
  }
  return x;
}

#ifndef NATIVE
__global__ void add_waves(float* values, int first, int count, int rounds) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) values[first + i] = wave(values[first + i], rounds);
}

static void compute(float* host, int elements, int rounds) {
  constexpr int stream_count = 4;
  constexpr int threads = 256;
  const std::size_t bytes = elements * sizeof(float);
  float* device = nullptr;
  cudaMalloc(&device, bytes);
  cudaHostRegister(host, bytes, cudaHostRegisterDefault);
  cudaStream_t streams[stream_count];
  const int chunk = (elements + stream_count - 1) / stream_count;
  for (int i = 0; i < stream_count; ++i) {
    cudaStreamCreate(&streams[i]);
    const int first = i * chunk;
    const int count = chunk < elements - first ? chunk : elements - first;
    const std::size_t chunk_bytes = count * sizeof(float);
    cudaMemcpyAsync(device + first, host + first, chunk_bytes, cudaMemcpyHostToDevice, streams[i]);
    add_waves<<<(count + threads - 1) / threads, threads, 0, streams[i]>>>(device, first, count, rounds);
    cudaMemcpyAsync(host + first, device + first, chunk_bytes, cudaMemcpyDeviceToHost, streams[i]);
  }
  cudaDeviceSynchronize();
  for (const cudaStream_t stream : streams) cudaStreamDestroy(stream);
  cudaHostUnregister(host);
  cudaFree(device);
}
#else
static void compute(float* values, int elements, int rounds) {
  for (int i = 0; i < elements; ++i) values[i] = wave(values[i], rounds);
}
#endif

int main(int count, char** arguments) {
  const int elements = count > 1 ? std::atoi(arguments[1]) : 1 << 20;
  const int rounds = count > 2 ? std::atoi(arguments[2]) : 8;
  std::vector<float> values(elements, 0.5f);
  compute(values.data(), elements, rounds);
  std::printf("%.1f\n", values[elements / 2]);
  return 0;
}

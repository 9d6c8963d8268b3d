// Several streams that all use the same two buffers, as a first attempt often does: it runs, and is a race.
// Once with one stream, once with one a task. The kernel only spins.
#include <cstdint>
#include <vector>

#include "check.h"

__global__ void spin(int64_t cycles) {
  const int64_t begin = clock64();
  int64_t spent = 0;
  while (spent < cycles) spent = clock64() - begin;
}

static float run(float* host, int width, int tasks, int streams) {
  const int bytes = width * width * sizeof(float);
  float* device = nullptr;
  CUDA(cudaMalloc((void**)&device, bytes));
  std::vector<cudaStream_t> stream(streams);
  for (cudaStream_t& one_stream : stream) CUDA(cudaStreamCreate(&one_stream));
  cudaEvent_t begin, end;
  CUDA(cudaEventCreate(&begin));
  CUDA(cudaEventCreate(&end));
  const dim3 block(16, 16);
  const dim3 grid(width / block.x / 8, width / block.y / 8);

  CUDA(cudaEventRecord(begin));
  for (int task = 0; task < tasks; ++task) {
    cudaStream_t const mine = stream[task % streams];
    CUDA(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, mine));
    spin<<<grid, block, 0, mine>>>(200'000);
    CUDA(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, mine));
  }
  CUDA(cudaEventRecord(end));
  CUDA(cudaDeviceSynchronize());
  float milliseconds = 0;
  CUDA(cudaEventElapsedTime(&milliseconds, begin, end));
  for (cudaStream_t one_stream : stream) CUDA(cudaStreamDestroy(one_stream));
  CUDA(cudaFree(device));
  return milliseconds;
}

int main() {
  int overlaps = 0;
  CUDA(cudaDeviceGetAttribute(&overlaps, cudaDevAttrGpuOverlap, 0));
  std::printf("the device %s copies and kernels\n", overlaps ? "overlaps" : "does not overlap");
  constexpr int width = 512;
  float* host = nullptr;
  CUDA(cudaMallocHost((void**)&host, width * width * sizeof(float)));
  for (int i = 0; i < width * width; ++i) host[i] = static_cast<float>(i);
  run(host, width, 1, 1);  // the first launch is slow
  const float one = run(host, width, 4, 1);
  const float four = run(host, width, 4, 4);
  std::printf("1 stream %.3f ms, 4 streams %.3f ms\n", one, four);
  CUDA(cudaFreeHost(host));
  return claim(four < 0.9f * one, "four streams are faster than one, although they race");
}

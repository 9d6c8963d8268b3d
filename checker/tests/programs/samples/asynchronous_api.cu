// After the sample asyncAPI: the host issues a copy in, a kernel and a copy out, and counts until they are
// done. CUDA's own clock (events) says how long the device took, the host's how long the calls took.
#include <chrono>

#include "check.h"

__global__ void increase(int* data, int by) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  data[i] = data[i] + by;
}

int main() {
  constexpr int elements = 1 << 24;
  constexpr size_t bytes = elements * sizeof(int);
  constexpr int by = 26;
  int* host = nullptr;
  int* device = nullptr;
  CUDA(cudaMallocHost(&host, bytes));
  CUDA(cudaMalloc(&device, bytes));
  for (int i = 0; i < elements; ++i) host[i] = 0;
  CUDA(cudaMemset(device, 255, bytes));
  cudaEvent_t begin, end;
  CUDA(cudaEventCreate(&begin));
  CUDA(cudaEventCreate(&end));
  increase<<<elements / 512, 512>>>(device, by);  // the first launch is slow
  CUDA(cudaDeviceSynchronize());

  const auto host_begin = std::chrono::steady_clock::now();
  CUDA(cudaEventRecord(begin, 0));
  CUDA(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, 0));
  increase<<<elements / 512, 512, 0, 0>>>(device, by);
  CUDA(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, 0));
  CUDA(cudaEventRecord(end, 0));
  const std::chrono::duration<float, std::milli> calls = std::chrono::steady_clock::now() - host_begin;

  unsigned long rounds = 0;
  while (cudaEventQuery(end) == cudaErrorNotReady) ++rounds;
  float milliseconds = 0;
  CUDA(cudaEventElapsedTime(&milliseconds, begin, end));
  std::printf("the device took %.3f ms, the calls %.3f ms\n", milliseconds, calls.count());
  std::printf("the host counted %lu rounds meanwhile\n", rounds);

  bool is_right = true;
  for (int i = 0; i < elements; ++i) is_right = is_right && host[i] == by;
  return claim(is_right, "every element was increased") +
         claim(rounds > 0, "the host was free while the device worked") +
         claim(calls.count() < 0.2f * milliseconds, "the calls return long before the work is done");
}

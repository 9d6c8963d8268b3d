// After the sample simpleHyperQ: two dependent short kernels in each of 32 streams, issued stream by stream.
// With one work queue, neighbours wait for each other (false dependencies); with several queues chains run
// beside each other.
#include "check.h"

constexpr int chains = 32;
constexpr long long cycles = 2'000'000;

__device__ long long spin(long long count) {
  const long long begin = clock64();
  long long spent = 0;
  while (spent < count) spent = clock64() - begin;
  return spent;
}

__global__ void first(long long* spent, long long count) { spent[0] = spin(count); }
__global__ void second(long long* spent, long long count) { spent[1] = spin(count); }

int main() {
  cudaDeviceProp device;
  CUDA(cudaGetDeviceProperties(&device, 0));
  long long* spent = nullptr;
  CUDA(cudaMalloc(&spent, 2 * chains * sizeof *spent));
  cudaStream_t stream[chains];
  for (cudaStream_t& one_stream : stream) CUDA(cudaStreamCreate(&one_stream));
  cudaEvent_t begin, end;
  CUDA(cudaEventCreate(&begin));
  CUDA(cudaEventCreate(&end));

  const auto time_of = [&](int used) {
    CUDA(cudaEventRecord(begin, 0));
    for (int i = 0; i < used; ++i) {
      first<<<1, 1, 0, stream[i]>>>(spent + 2 * i, cycles);
      second<<<1, 1, 0, stream[i]>>>(spent + 2 * i, cycles);
    }
    CUDA(cudaEventRecord(end, 0));
    CUDA(cudaEventSynchronize(end));
    float milliseconds = 0;
    CUDA(cudaEventElapsedTime(&milliseconds, begin, end));
    return milliseconds;
  };
  time_of(1);  // the first launches are slow
  const float one = time_of(1);
  const float all = time_of(chains);

  long long min_cycles = cycles;
  long long result[2 * chains];
  CUDA(cudaMemcpy(result, spent, sizeof result, cudaMemcpyDeviceToHost));
  for (long long spent_cycles : result) min_cycles = spent_cycles < min_cycles ? spent_cycles : min_cycles;
  std::printf(
      "%s\none chain %.3f ms; %d chains: serial %.3f ms, fully concurrent %.3f ms, measured %.3f ms\n",
      device.name, one, chains, chains * one, one, all);
  const bool has_queues = device.major * 10 + device.minor >= 35;
  return claim(min_cycles >= cycles, "every kernel ran its cycles") +
         claim(all >= 0.99f * one, "all chains take at least as long as one") +
         claim(has_queues ? all < 0.3f * chains * one : all > 0.5f * chains * one,
               has_queues ? "with several work queues chains overlap"
                          : "with one work queue only neighbours overlap");
}

// After the sample StreamPriorities: a long kernel of many blocks in a stream of low priority, and behind it
// one in a stream of high priority. The urgent one gets the multiprocessors as soon as blocks of the other
// one end.
#include "check.h"

constexpr int waves = 8;
constexpr long long cycles = 1'000'000;

__global__ void work(long long count) {
  const long long begin = clock64();
  while (clock64() - begin < count) {
  }
}

int main() {
  int least = 0;
  int greatest = 0;
  CUDA(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  std::printf("priorities from %d (low) to %d (high)\n", least, greatest);
  if (least == greatest) return claim(true, "this GPU has no priorities");
  cudaDeviceProp device;
  CUDA(cudaGetDeviceProperties(&device, 0));
  const int threads = device.maxThreadsPerBlock;
  const int a_wave = device.multiProcessorCount * (device.maxThreadsPerMultiProcessor / threads);

  cudaStream_t low, high;
  CUDA(cudaStreamCreateWithPriority(&low, cudaStreamNonBlocking, least));
  CUDA(cudaStreamCreateWithPriority(&high, cudaStreamNonBlocking, greatest));
  cudaEvent_t begin, low_end, high_end;
  CUDA(cudaEventCreate(&begin));
  CUDA(cudaEventCreate(&low_end));
  CUDA(cudaEventCreate(&high_end));

  const auto end_times = [&](cudaStream_t urgent, float& low_time, float& urgent_time) {
    work<<<1, 1, 0, low>>>(1);  // the first launch is slow
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaEventRecord(begin, low));
    work<<<waves * a_wave, threads, 0, low>>>(cycles);
    CUDA(cudaEventRecord(low_end, low));
    work<<<a_wave, threads, 0, urgent>>>(cycles);
    CUDA(cudaEventRecord(high_end, urgent));
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaEventElapsedTime(&low_time, begin, low_end));
    CUDA(cudaEventElapsedTime(&urgent_time, begin, high_end));
  };
  float low_time = 0, high_time = 0;
  end_times(high, low_time, high_time);
  std::printf("low priority ends at %.3f ms, high priority at %.3f ms\n", low_time, high_time);
  cudaStream_t also_low;
  CUDA(cudaStreamCreateWithPriority(&also_low, cudaStreamNonBlocking, least));
  float first_time = 0, second_time = 0;
  end_times(also_low, first_time, second_time);
  std::printf("both of low priority: %.3f ms and %.3f ms\n", first_time, second_time);
  return claim(high_time < 0.5f * low_time, "the urgent kernel, issued later, ends long before the other") +
         claim(second_time > first_time * 0.95f, "with equal priorities the later kernel ends last");
}

// cause: shared_queue gpu: teaching cured by: CUDA_DEVICE_MAX_CONNECTIONS=32
// Eight work queues: the ninth stream shares that of the first, whose second kernel waits for its first.
#include "planted/chunks.h"

__global__ void wait_a_while(float* result, long long cycles) {
  spin_cycles(cycles);
  if (threadIdx.x == 0) *result += 1;
}

int main() {
  constexpr int pairs = 8;
  const stream_set streams(2 * pairs);
  float* results;
  CHECKED(cudaMalloc(&results, 2 * pairs * sizeof(float)));
  for (int i = 0; i < pairs; ++i) {
    wait_a_while<<<1, 32, 0, streams[i]>>>(results + i, 300'000);
    wait_a_while<<<1, 32, 0, streams[i]>>>(results + i, 300'000);
  }
  for (int i = 0; i < pairs; ++i) wait_a_while<<<1, 32, 0, streams[pairs + i]>>>(results + pairs + i, 500'000);
  CHECKED(cudaDeviceSynchronize());
  CHECKED(cudaFree(results));
}

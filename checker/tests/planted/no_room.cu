// cause: no_room gpu: teaching
// Ten multiprocessors hold eight blocks each: 80 small blocks fill them all, although few threads run.
#include "planted/chunks.h"

__global__ void wait_a_while(float* result, long long cycles) {
  spin_cycles(cycles);
  if (threadIdx.x == 0) result[blockIdx.x] = 1;
}

#ifdef CURED
constexpr int blocks = 10, threads = 256;
#else
constexpr int blocks = 80, threads = 32;
#endif

int main() {
  const stream_set streams(stream_count);
  float* results;
  CHECKED(cudaMalloc(&results, stream_count * blocks * sizeof(float)));
  for (int i = 0; i < stream_count; ++i)
    wait_a_while<<<blocks, threads, 0, streams[i]>>>(results + i * blocks, 500'000);
  CHECKED(cudaDeviceSynchronize());
  CHECKED(cudaFree(results));
}

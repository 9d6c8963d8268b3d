// cause: event_recorded_again gpu: teaching
// One stream copies in, another adds up: with one event for all chunks, recorded again and again before
// anybody waits, every wait is for the last copy.
#include "planted/chunks.h"

__global__ void add_up(const float* in, float* sums, int count, long long cycles) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  spin_cycles(cycles);
  if (i < count) sums[i] += in[i];
}

int main() {
  const chunked_array work(8, 32 * 1024);
  const stream_set streams(2);
  cudaEvent_t copied[8];
  for (cudaEvent_t& event : copied) CHECKED(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
#ifdef CURED
  const auto event_of = [&](int chunk) { return copied[chunk]; };
#else
  const auto event_of = [&](int) { return copied[0]; };
#endif
  for (int chunk = 0; chunk < work.chunks; ++chunk) {
    work.copy_in(chunk, streams[0]);
    CHECKED(cudaEventRecord(event_of(chunk), streams[0]));
  }
  for (int chunk = 0; chunk < work.chunks; ++chunk) {
    CHECKED(cudaStreamWaitEvent(streams[1], event_of(chunk), 0));
    add_up<<<work.blocks(), threads_per_block, 0, streams[1]>>>(work.device_in + work.at(chunk),
                                                                work.device_out, work.elements, 5'000);
  }
  CHECKED(cudaDeviceSynchronize());
  for (cudaEvent_t event : copied) CHECKED(cudaEventDestroy(event));
}

// cause: synchronization gpu: teaching, also inferred
// Kernels work on managed memory in place. The host reads it only at the end, but waits after each.
#include "planted/chunks.h"

int main() {
  constexpr int kernels = 8, elements = 8 * 1024;
  float* data;
  CHECKED(cudaMallocManaged(&data, size_t(kernels) * elements * sizeof(float)));
  for (int i = 0; i < kernels * elements; ++i) data[i] = float(i % 100);
  const stream_set streams(stream_count);
  for (int i = 0; i < kernels; ++i) {
    float* const part = data + size_t(i) * elements;
    add_one<<<elements / threads_per_block, threads_per_block, 0, streams[i]>>>(part, part, elements, 50'000);
#ifndef CURED
    CHECKED(cudaStreamSynchronize(streams[i]));
#endif
  }
  CHECKED(cudaDeviceSynchronize());
  for (int i = 0; i < kernels * elements; ++i) {
    if (data[i] != float(i % 100) + 1) std::exit(1);
  }
  CHECKED(cudaFree(data));
}

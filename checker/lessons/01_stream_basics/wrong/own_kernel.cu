// fails: ChainsRunAtTheSameTime also: EveryChainIsRight
// where: 19 cause: no_kernels
// A kernel of its own computes the values, and does none of the work.
#include "stream_basics.h"

__global__ void fast(float* values, int n, int step) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] = 2.0f * values[i] + static_cast<float>(step + i % 100);
}

cudaError_t run_chains(const chains& work) {
  cudaStream_t streams[chain_count] = {};
  for (int c = 0; c < chain_count; ++c) cudaStreamCreate(&streams[c]);

  for (int step = 0; step < work.steps; ++step) {
    for (int chain = 0; chain < chain_count; ++chain) {
      float* values = work.values + static_cast<std::size_t>(chain) * work.elements;
      float* note = work.notes + static_cast<std::size_t>(chain) * work.steps + step;
      fast<<<work.blocks, work.threads, 0, streams[chain]>>>(values, work.elements, step);
      take_note<<<1, 1, 0, streams[chain]>>>(values, work.elements, note);
    }
  }

  const cudaError_t error = cudaGetLastError();
  cudaDeviceSynchronize();
  for (int c = 0; c < chain_count; ++c) cudaStreamDestroy(streams[c]);
  return error;
}

// on a GPU: ChainsRunAtTheSameTime
// Each stream is destroyed right behind its chain: its work goes on, and the next stream does not wait for it.
// Beside an H100 the host takes so long in cudaStreamCreate that 2.4 chains run at a time.
#include "stream_basics.h"

static cudaError_t queue_chain(const chains& work, int chain) {
  float* const values = work.values + static_cast<std::size_t>(chain) * work.elements;
  cudaStream_t stream;
  if (const cudaError_t error = cudaStreamCreate(&stream); error != cudaSuccess) return error;
  cudaError_t error = cudaSuccess;
  for (int step = 0; step < work.steps && error == cudaSuccess; ++step) {
    advance<<<work.blocks, work.threads, 0, stream>>>(values, work.elements, step, work.cycles);
    error = cudaGetLastError();
    if (error != cudaSuccess) break;
    take_note<<<1, 1, 0, stream>>>(values, work.elements, work.notes + static_cast<std::size_t>(chain) * work.steps + step);
  }
  cudaStreamDestroy(stream);
  return error;
}

cudaError_t run_chains(const chains& work) {
  cudaError_t error = cudaSuccess;
  for (int chain = 0; chain < chain_count && error == cudaSuccess; ++chain) error = queue_chain(work, chain);
  cudaDeviceSynchronize();
  return error;
}

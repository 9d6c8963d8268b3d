// fails: EveryChainIsRight
// where: 19 cause: launches_miscounted
// The chains are serial; idle kernels beside them make the average look good.
#include "stream_basics.h"

cudaError_t run_chains(const chains& work) {
  cudaStream_t streams[chain_count] = {};
  for (cudaStream_t& stream : streams) cudaStreamCreate(&stream);
  float* scratch = nullptr;
  cudaMalloc(&scratch, 3 * sizeof(float) * work.elements);
  cudaMemset(scratch, 0, 3 * sizeof(float) * work.elements);

  for (int step = 0; step < work.steps; ++step) {
    for (int chain = 0; chain < chain_count; ++chain) {
      float* values = work.values + static_cast<std::size_t>(chain) * work.elements;
      float* note = work.notes + static_cast<std::size_t>(chain) * work.steps + step;
      advance<<<work.blocks, work.threads, 0, streams[0]>>>(values, work.elements, step, work.cycles);
      for (int other = 1; other < chain_count; ++other)
        advance<<<work.blocks, work.threads, 0, streams[other]>>>(scratch + (other - 1) * work.elements, work.elements, step, work.cycles);
      take_note<<<1, 1, 0, streams[0]>>>(values, work.elements, note);
    }
  }

  const cudaError_t error = cudaGetLastError();
  cudaDeviceSynchronize();
  for (cudaStream_t stream : streams) cudaStreamDestroy(stream);
  cudaFree(scratch);
  return error;
}

// fails: EveryChainIsRight
// where: 16 cause: wrong_block_size
// One block more than the step has: its threads find nothing to do, and the place of a block is taken.
#include "stream_basics.h"

cudaError_t run_chains(const chains& work) {
  cudaStream_t streams[chain_count] = {};
  for (int chain = 0; chain < chain_count; ++chain) {
    cudaStreamCreate(&streams[chain]);
  }

  for (int step = 0; step < work.steps; ++step) {
    for (int chain = 0; chain < chain_count; ++chain) {
      float* values = work.values + static_cast<std::size_t>(chain) * work.elements;
      float* note = work.notes + static_cast<std::size_t>(chain) * work.steps + step;
      advance<<<work.blocks + 1, work.threads, 0, streams[chain]>>>(values, work.elements, step, work.cycles);
      take_note<<<1, 1, 0, streams[chain]>>>(values, work.elements, note);
    }
  }

  const cudaError_t error = cudaGetLastError();

  cudaDeviceSynchronize();
  for (int chain = 0; chain < chain_count; ++chain) {
    cudaStreamDestroy(streams[chain]);
  }
  return error;
}

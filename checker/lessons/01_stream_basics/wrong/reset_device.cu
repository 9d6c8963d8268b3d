// fails: EveryChainIsRight
// where: 22 cause: wrong_release
// on a GPU: verdict:crashed
// The reset destroys the streams, and everything that the caller had made.
#include "stream_basics.h"

cudaError_t run_chains(const chains& work) {
  cudaStream_t streams[chain_count] = {};
  for (int c = 0; c < chain_count; ++c) cudaStreamCreate(&streams[c]);

  for (int step = 0; step < work.steps; ++step) {
    for (int chain = 0; chain < chain_count; ++chain) {
      float* values = work.values + static_cast<std::size_t>(chain) * work.elements;
      float* note = work.notes + static_cast<std::size_t>(chain) * work.steps + step;
      advance<<<work.blocks, work.threads, 0, streams[chain]>>>(values, work.elements, step, work.cycles);
      take_note<<<1, 1, 0, streams[chain]>>>(values, work.elements, note);
    }
  }

  const cudaError_t error = cudaGetLastError();
  cudaDeviceSynchronize();
  cudaDeviceReset();
  return error;
}

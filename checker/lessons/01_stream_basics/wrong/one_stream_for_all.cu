// fails: ChainsRunAtTheSameTime
// where: 14 cause: one_stream
// A stream of its own, but the same for all chains: one long chain.
#include "stream_basics.h"

cudaError_t run_chains(const chains& work) {
  cudaStream_t stream;
  cudaStreamCreate(&stream);

  for (int step = 0; step < work.steps; ++step) {
    for (int chain = 0; chain < chain_count; ++chain) {
      float* values = work.values + static_cast<std::size_t>(chain) * work.elements;
      float* note = work.notes + static_cast<std::size_t>(chain) * work.steps + step;
      advance<<<work.blocks, work.threads, 0, stream>>>(values, work.elements, step, work.cycles);
      take_note<<<1, 1, 0, stream>>>(values, work.elements, note);
    }
  }

  const cudaError_t error = cudaGetLastError();
  cudaDeviceSynchronize();
  cudaStreamDestroy(stream);
  return error;
}

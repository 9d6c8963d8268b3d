// fails: LaunchErrorsAreReported
// where: 7 cause: launch_not_tried
// The launch that cannot work is not even tried, and the error is a guess.
#include "stream_basics.h"

cudaError_t run_chains(const chains& work) {
  if (work.threads > 1024) return cudaErrorInvalidConfiguration;
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
  for (int c = 0; c < chain_count; ++c) cudaStreamDestroy(streams[c]);
  return error;
}

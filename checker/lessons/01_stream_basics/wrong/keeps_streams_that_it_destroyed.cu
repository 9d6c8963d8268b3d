// fails: EveryChainIsRight also: HostQueuesAllWorkBeforeWaiting, ChainsRunAtTheSameTime, EveryStreamIsDestroyed, verdict:crashed
// where: 19 cause: failed_call
// The streams are made in the first call only, and destroyed in each.
#include "stream_basics.h"

cudaError_t run_chains(const chains& work) {
  static cudaStream_t streams[chain_count] = {};
  static bool are_made = false;
  if (!are_made) {
    for (cudaStream_t& stream : streams) cudaStreamCreate(&stream);
  }
  are_made = true;

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
  for (cudaStream_t stream : streams) cudaStreamDestroy(stream);
  return error;
}

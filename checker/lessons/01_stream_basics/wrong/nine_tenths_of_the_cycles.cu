// fails: ChainsRunAtTheSameTime
// where: 16 cause: wrong_argument
// on a GPU: ChainsRunAtTheSameTime
// Nine tenths of the cycles: their times are too near to those of all of them to tell.
#include "stream_basics.h"

cudaError_t run_chains(const chains& work) {
  cudaStream_t streams[chain_count] = {};
  for (cudaStream_t& stream : streams) cudaStreamCreate(&stream);

  for (int step = 0; step < work.steps; ++step) {
    for (int chain = 0; chain < chain_count; ++chain) {
      float* values = work.values + static_cast<std::size_t>(chain) * work.elements;
      float* note = work.notes + static_cast<std::size_t>(chain) * work.steps + step;

      advance<<<work.blocks, work.threads, 0, streams[chain]>>>(values, work.elements, step,
                                                                work.cycles * 9 / 10);

      take_note<<<1, 1, 0, streams[chain]>>>(values, work.elements, note);
    }
  }

  const cudaError_t error = cudaGetLastError();

  cudaDeviceSynchronize();
  for (cudaStream_t stream : streams) cudaStreamDestroy(stream);
  return error;
}

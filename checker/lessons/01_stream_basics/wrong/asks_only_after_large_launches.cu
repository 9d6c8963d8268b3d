// fails: LaunchErrorsAreReported
// where: 22 cause: error_not_returned
// Asks for an error only where there are too many threads: a launch without any fails too, and nobody is told.
#include <vector>

#include "stream_basics.h"

cudaError_t run_chains(const chains& work) {
  std::vector<cudaStream_t> streams(chain_count);
  for (cudaStream_t& stream : streams) cudaStreamCreate(&stream);
  for (int step = 0; step < work.steps; ++step) {
    for (int chain = 0; chain < chain_count; ++chain) {
      float* values = work.values + static_cast<std::size_t>(chain) * work.elements;
      advance<<<work.blocks, work.threads, 0, streams[chain]>>>(values, work.elements, step, work.cycles);
      take_note<<<1, 1, 0, streams[chain]>>>(
          values, work.elements, work.notes + static_cast<std::size_t>(chain) * work.steps + step);
    }
  }
  constexpr int max_threads = 1024;
  cudaError_t error = cudaSuccess;
  if (work.threads > max_threads) {
    error = cudaGetLastError();
  }
  for (cudaStream_t stream : streams) {
    cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
  }
  return error;
}

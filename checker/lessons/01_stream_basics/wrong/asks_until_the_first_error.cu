// fails: LaunchErrorsAreReported
// where: 16 cause: error_left_behind
// Asks until there is an error: those of the later launches stay for the next caller.
#include "stream_basics.h"

cudaError_t run_chains(const chains& work) {
  cudaStream_t streams[chain_count] = {};
  for (cudaStream_t& stream : streams) cudaStreamCreate(&stream);
  cudaError_t error = cudaSuccess;

  for (int step = 0; step < work.steps; ++step) {
    for (int chain = 0; chain < chain_count; ++chain) {
      float* values = work.values + static_cast<std::size_t>(chain) * work.elements;
      float* note = work.notes + static_cast<std::size_t>(chain) * work.steps + step;
      advance<<<work.blocks, work.threads, 0, streams[chain]>>>(values, work.elements, step, work.cycles);
      if (error == cudaSuccess) error = cudaGetLastError();
      take_note<<<1, 1, 0, streams[chain]>>>(values, work.elements, note);
      if (error == cudaSuccess) error = cudaGetLastError();
    }
  }

  cudaDeviceSynchronize();
  for (cudaStream_t stream : streams) cudaStreamDestroy(stream);
  return error;
}

// on a GPU: ChainsRunAtTheSameTime
// Each chain has a thread of its own, which waits for its stream and asks for its errors: CUDA keeps the last error of
// each thread apart.
// Beside an H200 the threads wait for each other in cudaStreamCreate: 1.4 chains at a time.
#include <thread>

#include "stream_basics.h"

static cudaError_t run_chain(const chains& work, int chain) {
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  float* values = work.values + static_cast<std::size_t>(chain) * work.elements;
  float* notes = work.notes + static_cast<std::size_t>(chain) * work.steps;
  for (int step = 0; step < work.steps; ++step) {
    advance<<<work.blocks, work.threads, 0, stream>>>(values, work.elements, step, work.cycles);
    take_note<<<1, 1, 0, stream>>>(values, work.elements, notes + step);
  }
  const cudaError_t error = cudaGetLastError();
  cudaStreamSynchronize(stream);
  cudaStreamDestroy(stream);
  return error;
}

cudaError_t run_chains(const chains& work) {
  cudaError_t errors[chain_count] = {};
  std::thread threads[chain_count];
  for (int chain = 0; chain < chain_count; ++chain) {
    threads[chain] = std::thread([&work, &errors, chain] { errors[chain] = run_chain(work, chain); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const cudaError_t error : errors) {
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

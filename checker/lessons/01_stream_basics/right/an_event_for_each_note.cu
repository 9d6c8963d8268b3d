// The notes go into a stream of their own. Events keep each between its step and the next.
#include "stream_basics.h"

cudaError_t run_chains(const chains& work) {
  cudaStream_t streams[chain_count] = {};
  cudaStream_t notes[chain_count] = {};
  cudaEvent_t stepped[chain_count];
  cudaEvent_t noted[chain_count];
  for (int chain = 0; chain < chain_count; ++chain) {
    cudaStreamCreateWithFlags(&streams[chain], cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&notes[chain], cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&stepped[chain], cudaEventDisableTiming);
    cudaEventCreateWithFlags(&noted[chain], cudaEventDisableTiming);
  }

  for (int step = 0; step < work.steps; ++step) {
    for (int chain = 0; chain < chain_count; ++chain) {
      float* values = work.values + static_cast<std::size_t>(chain) * work.elements;
      float* note = work.notes + static_cast<std::size_t>(chain) * work.steps + step;
      if (step > 0) cudaStreamWaitEvent(streams[chain], noted[chain], 0);
      advance<<<work.blocks, work.threads, 0, streams[chain]>>>(values, work.elements, step, work.cycles);
      cudaEventRecord(stepped[chain], streams[chain]);
      cudaStreamWaitEvent(notes[chain], stepped[chain], 0);
      take_note<<<1, 1, 0, notes[chain]>>>(values, work.elements, note);
      cudaEventRecord(noted[chain], notes[chain]);
    }
  }

  const cudaError_t error = cudaGetLastError();
  cudaDeviceSynchronize();
  for (int chain = 0; chain < chain_count; ++chain) {
    cudaStreamDestroy(streams[chain]);
    cudaStreamDestroy(notes[chain]);
    cudaEventDestroy(stepped[chain]);
    cudaEventDestroy(noted[chain]);
  }
  return error;
}

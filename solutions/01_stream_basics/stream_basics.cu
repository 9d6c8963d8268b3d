// Lesson 01: stream basics. README.md explains the idea, stream_basics.h says what you are given.
#include "stream_basics.h"

cudaError_t run_chains(const chains& work) {
  // TODO 1, done: a stream keeps its own operations in order and knows nothing of other streams. One for each
  // chain is just the order that the work needs.
  cudaStream_t streams[chain_count] = {};
  for (cudaStream_t& stream : streams) cudaStreamCreate(&stream);
  // end of TODO 1

  for (int step = 0; step < work.steps; ++step) {
    for (int chain = 0; chain < chain_count; ++chain) {
      float* values = work.values + static_cast<std::size_t>(chain) * work.elements;
      float* note = work.notes + static_cast<std::size_t>(chain) * work.steps + step;

      advance<<<work.blocks, work.threads, 0, streams[chain]>>>(values, work.elements, step, work.cycles);

      // TODO 2, done: in the stream of its chain the note comes after its step and before the next. In the
      // default stream it would wait for all chains, and all chains for it.
      take_note<<<1, 1, 0, streams[chain]>>>(values, work.elements, note);
      // end of TODO 2
    }
  }

  // TODO 3, done: a launch returns nothing. Its error waits here, also past later launches that succeed.
  const cudaError_t error = cudaGetLastError();
  // end of TODO 3

  // TODO 4, done: on the way out of a failed launch too. The wait comes first only so that one wait will do;
  // destroying a stream would not wait for its work.
  cudaDeviceSynchronize();
  for (cudaStream_t stream : streams) cudaStreamDestroy(stream);
  return error;
  // end of TODO 4
}

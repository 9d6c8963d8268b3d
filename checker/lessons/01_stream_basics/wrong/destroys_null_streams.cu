// fails: EveryChainIsRight also: ChainsRunAtTheSameTime, LaunchErrorsAreReported
// where: 40 cause: failed_call
// The vector begins with a handle 0 for each chain, which cannot be destroyed.
#include "stream_basics.h"

#include <vector>

cudaError_t run_chains(const chains& work) {
  // TODO 1, done: a stream keeps its own operations in order and knows nothing of other streams. One for each
  // chain is just the order that the work needs.
  std::vector<cudaStream_t> streams(chain_count);
  for (int chain = 0; chain < chain_count; ++chain) {
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    streams.push_back(stream);
  }
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

// cause: needless_wait gpu: teaching
// Each chunk waits for the chunk before it, as if it needed something of it.
#include "planted/chunks.h"

int main() {
  const chunked_array work(8, 32 * 1024);
  const stream_set streams(stream_count);
  cudaEvent_t done[8];
  for (cudaEvent_t& event : done) CHECKED(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  for (int chunk = 0; chunk < work.chunks; ++chunk) {
#ifndef CURED
    if (chunk > 0) CHECKED(cudaStreamWaitEvent(streams[chunk], done[chunk - 1], 0));
#endif
    work.copy_in(chunk, streams[chunk]);
    work.compute(chunk, 5'000, streams[chunk]);
    work.copy_out(chunk, streams[chunk]);
    CHECKED(cudaEventRecord(done[chunk], streams[chunk]));
  }
  CHECKED(cudaDeviceSynchronize());
  for (const cudaEvent_t event : done) CHECKED(cudaEventDestroy(event));
  work.expect_right();
}

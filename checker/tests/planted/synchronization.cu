// cause: synchronization gpu: teaching, also inferred
#include "planted/chunks.h"

int main() {
  const chunked_array work(8, 32 * 1024);
  const stream_set streams(stream_count);
  for (int chunk = 0; chunk < work.chunks; ++chunk) {
    work.copy_in(chunk, streams[chunk]);
    work.compute(chunk, 5'000, streams[chunk]);
    work.copy_out(chunk, streams[chunk]);
#ifndef CURED
    CHECKED(cudaStreamSynchronize(streams[chunk]));
#endif
  }
  CHECKED(cudaDeviceSynchronize());
  work.expect_right();
}

// cause: issue_order gpu: c1060
// One copy engine with one queue: behind a copy back, which waits for its kernel, the next copy in waits too.
#include "planted/chunks.h"

int main() {
  const chunked_array work(4, 256 * 1024);
  const stream_set streams(stream_count);
#ifdef CURED
  for (int chunk = 0; chunk < work.chunks; ++chunk) work.copy_in(chunk, streams[chunk]);
  for (int chunk = 0; chunk < work.chunks; ++chunk) work.compute(chunk, 50'000, streams[chunk]);
  for (int chunk = 0; chunk < work.chunks; ++chunk) work.copy_out(chunk, streams[chunk]);
#else
  for (int chunk = 0; chunk < work.chunks; ++chunk) {
    work.copy_in(chunk, streams[chunk]);
    work.compute(chunk, 50'000, streams[chunk]);
    work.copy_out(chunk, streams[chunk]);
  }
#endif
  CHECKED(cudaDeviceSynchronize());
  work.expect_right();
}

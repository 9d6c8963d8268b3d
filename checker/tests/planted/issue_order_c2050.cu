// cause: issue_order gpu: c2050
// Kernels issued one after another signal their end together: each copy back waits for the last kernel.
#include "planted/chunks.h"

int main() {
  const chunked_array work(4, 256 * 1024);
  const stream_set streams(stream_count);
#ifdef CURED
  for (int chunk = 0; chunk < work.chunks; ++chunk) {
    work.copy_in(chunk, streams[chunk]);
    work.compute(chunk, 20'000, streams[chunk]);
    work.copy_out(chunk, streams[chunk]);
  }
#else
  for (int chunk = 0; chunk < work.chunks; ++chunk) work.copy_in(chunk, streams[chunk]);
  for (int chunk = 0; chunk < work.chunks; ++chunk) work.compute(chunk, 20'000, streams[chunk]);
  for (int chunk = 0; chunk < work.chunks; ++chunk) work.copy_out(chunk, streams[chunk]);
#endif
  CHECKED(cudaDeviceSynchronize());
  work.expect_right();
}

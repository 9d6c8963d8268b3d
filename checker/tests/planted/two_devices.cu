// cause: synchronization gpu: teaching devices: 2, also inferred
// Half of the work is on each of two devices, but the host waits for one before it issues to the other.
#include "planted/chunks.h"

int main() {
  CHECKED(cudaSetDevice(0));
  const chunked_array first(8, 32 * 1024);
  const stream_set first_streams(stream_count);
  CHECKED(cudaSetDevice(1));
  const chunked_array second(8, 32 * 1024);
  const stream_set second_streams(stream_count);
  CHECKED(cudaSetDevice(0));
  for (int chunk = 0; chunk < first.chunks; ++chunk) {
    first.copy_in(chunk, first_streams[chunk]);
    first.compute(chunk, 10'000, first_streams[chunk]);
    first.copy_out(chunk, first_streams[chunk]);
  }
#ifndef CURED
  CHECKED(cudaDeviceSynchronize());
#endif
  CHECKED(cudaSetDevice(1));
  for (int chunk = 0; chunk < second.chunks; ++chunk) {
    second.copy_in(chunk, second_streams[chunk]);
    second.compute(chunk, 10'000, second_streams[chunk]);
    second.copy_out(chunk, second_streams[chunk]);
  }
  CHECKED(cudaDeviceSynchronize());
  CHECKED(cudaSetDevice(0));
  CHECKED(cudaDeviceSynchronize());
  first.expect_right();
  second.expect_right();
}

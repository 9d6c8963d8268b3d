// cause: host_function gpu: teaching, also inferred
// A function of the host in the stream holds up what is behind it, and the kernels of all streams.
#include "planted/chunks.h"

#include <chrono>

static void note(void*) { host_work(std::chrono::microseconds(60)); }

int main() {
  const chunked_array work(8, 32 * 1024);
  const stream_set streams(stream_count);
  for (int chunk = 0; chunk < work.chunks; ++chunk) {
    work.copy_in(chunk, streams[chunk]);
#ifndef CURED
    CHECKED(cudaLaunchHostFunc(streams[chunk], note, nullptr));
#endif
    work.compute(chunk, 5'000, streams[chunk]);
    work.copy_out(chunk, streams[chunk]);
  }
#ifdef CURED
  for (int chunk = 0; chunk < work.chunks; ++chunk) note(nullptr);
#endif
  CHECKED(cudaDeviceSynchronize());
  work.expect_right();
}

// cause: one_stream gpu: teaching, also inferred
#include "planted/chunks.h"

#ifdef CURED
constexpr int streams_used = stream_count;
#else
constexpr int streams_used = 1;
#endif

int main() {
  const chunked_array work(8, 32 * 1024);
  const stream_set streams(streams_used);
  for (int chunk = 0; chunk < work.chunks; ++chunk) {
    work.copy_in(chunk, streams[chunk]);
    work.compute(chunk, 5'000, streams[chunk]);
    work.copy_out(chunk, streams[chunk]);
  }
  CHECKED(cudaDeviceSynchronize());
  work.expect_right();
}

// cause: pageable_memory gpu: teaching, also inferred
#include "planted/chunks.h"

#ifdef CURED
constexpr bool is_pinned = true;
#else
constexpr bool is_pinned = false;
#endif

int main() {
  const chunked_array work(8, 32 * 1024, is_pinned);
  const stream_set streams(stream_count);
  for (int chunk = 0; chunk < work.chunks; ++chunk) {
    work.copy_in(chunk, streams[chunk]);
    work.compute(chunk, 5'000, streams[chunk]);
    work.copy_out(chunk, streams[chunk]);
  }
  CHECKED(cudaDeviceSynchronize());
  work.expect_right();
}

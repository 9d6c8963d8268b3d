// cause: one_piece gpu: teaching
#include "planted/chunks.h"

#ifdef CURED
constexpr int chunks = 8;
#else
constexpr int chunks = 1;
#endif

int main() {
  const chunked_array work(chunks, 1024 * 1024 / chunks);
  const stream_set streams(stream_count);
  for (int chunk = 0; chunk < work.chunks; ++chunk) {
    work.copy_in(chunk, streams[chunk]);
    work.compute(chunk, 500, streams[chunk]);
    work.copy_out(chunk, streams[chunk]);
  }
  CHECKED(cudaDeviceSynchronize());
  work.expect_right();
}

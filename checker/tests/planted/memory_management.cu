// cause: memory_management gpu: teaching, also inferred
// Each chunk takes its device memory for itself, and cudaFree lets the host wait for the whole device.
#include "planted/chunks.h"

int main() {
  const chunked_array work(8, 128 * 1024);
  const stream_set streams(stream_count);
#ifdef CURED
  float* scratch_of_all;
  CHECKED(cudaMalloc(&scratch_of_all, work.chunks * work.chunk_bytes()));
#endif
  for (int chunk = 0; chunk < work.chunks; ++chunk) {
    float* scratch;
#ifdef CURED
    scratch = scratch_of_all + work.at(chunk);
#else
    CHECKED(cudaMalloc(&scratch, work.chunk_bytes()));
#endif
    work.copy_in(chunk, streams[chunk]);
    add_one<<<work.blocks(), threads_per_block, 0, streams[chunk]>>>(work.device_in + work.at(chunk), scratch,
                                                                    work.elements, 5'000);
    CHECKED(cudaMemcpyAsync(work.host_out + work.at(chunk), scratch, work.chunk_bytes(), cudaMemcpyDeviceToHost,
                            streams[chunk]));
#ifndef CURED
    CHECKED(cudaFree(scratch));
#endif
  }
  CHECKED(cudaDeviceSynchronize());
  work.expect_right();
#ifdef CURED
  CHECKED(cudaFree(scratch_of_all));
#endif
}

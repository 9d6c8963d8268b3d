// cause: memory_management gpu: teaching
// Buffers come from the memory pool of the device, in stream order: no one waits for the device, but the first call
// takes the host the time in which the pool gets its memory.
#include "planted/chunks.h"

int main() {
  const chunked_array work(8, 32 * 1024);
  const stream_set streams(stream_count);
  for (int chunk = 0; chunk < work.chunks; ++chunk) {
    const cudaStream_t stream = streams[chunk];
#ifdef CURED
    float* const buffer = work.device_in + work.at(chunk);
#else
    float* buffer;
    CHECKED(cudaMallocAsync(&buffer, work.chunk_bytes(), stream));
#endif
    CHECKED(cudaMemcpyAsync(buffer, work.host_in + work.at(chunk), work.chunk_bytes(), cudaMemcpyHostToDevice,
                            stream));
    add_one<<<work.blocks(), threads_per_block, 0, stream>>>(buffer, work.device_out + work.at(chunk),
                                                             work.elements, 5'000);
#ifndef CURED
    CHECKED(cudaFreeAsync(buffer, stream));
#endif
    work.copy_out(chunk, stream);
  }
  CHECKED(cudaDeviceSynchronize());
  work.expect_right();
}

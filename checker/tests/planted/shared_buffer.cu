// cause: shared_buffer gpu: teaching
// All chunks go through the same buffers of the device, one after another.
#include "planted/chunks.h"

int main() {
  const chunked_array work(8, 32 * 1024);
  const stream_set streams(stream_count);
  cudaEvent_t done[8];
  for (cudaEvent_t& event : done) CHECKED(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  for (int chunk = 0; chunk < work.chunks; ++chunk) {
    const cudaStream_t stream = streams[chunk];
#ifdef CURED
    float *const in = work.device_in + work.at(chunk), *const out = work.device_out + work.at(chunk);
#else
    float *const in = work.device_in, *const out = work.device_out;
    if (chunk > 0) CHECKED(cudaStreamWaitEvent(stream, done[chunk - 1], 0));
#endif
    CHECKED(cudaMemcpyAsync(in, work.host_in + work.at(chunk), work.chunk_bytes(), cudaMemcpyHostToDevice,
                            stream));
    add_one<<<work.blocks(), threads_per_block, 0, stream>>>(in, out, work.elements, 5'000);
    CHECKED(cudaMemcpyAsync(work.host_out + work.at(chunk), out, work.chunk_bytes(), cudaMemcpyDeviceToHost,
                            stream));
    CHECKED(cudaEventRecord(done[chunk], stream));
  }
  CHECKED(cudaDeviceSynchronize());
  for (const cudaEvent_t event : done) CHECKED(cudaEventDestroy(event));
  work.expect_right();
}

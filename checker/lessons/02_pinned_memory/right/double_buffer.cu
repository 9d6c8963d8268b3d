// Two buffers in turn, reading ahead, events.
#include "pinned_memory.h"
void add_up(const chunked_data& data) {
  const std::size_t bytes = sizeof(float) * data.elements;
  float* landing[2];
  cudaEvent_t read[2];
  for (int i = 0; i < 2; ++i) {
    cudaMallocHost((void**)&landing[i], bytes);
    cudaEventCreateWithFlags(&read[i], cudaEventDisableTiming);
  }
  for (int c = 0; c < data.chunks; ++c) {
    if (c >= 2) cudaEventSynchronize(read[c % 2]);
    data.read_chunk(c, landing[c % 2]);
    cudaMemcpyAsync(data.device_chunk, landing[c % 2], bytes, cudaMemcpyHostToDevice, data.stream);
    cudaEventRecord(read[c % 2], data.stream);
    add_chunk<<<data.blocks, threads_per_block, 0, data.stream>>>(data.device_sum, data.device_chunk, data.elements, c);
    data.host_task();
  }
  cudaStreamSynchronize(data.stream);
  cudaMemcpyAsync(landing[0], data.device_sum, bytes, cudaMemcpyDeviceToHost, data.stream);
  data.host_task();
  cudaStreamSynchronize(data.stream);
  for (int i = 0; i < data.elements; ++i) data.result[i] = landing[0][i];
  for (int i = 0; i < 2; ++i) {
    cudaFreeHost(landing[i]);
    cudaEventDestroy(read[i]);
  }
}

// fails: CopiesComeFromPinnedMemory
// where: 16 cause: nothing_queued
// The kernel writes into the mapped result, so the sum is never copied.
#include "pinned_memory.h"

void add_up(const chunked_data& data) {
  const std::size_t bytes = static_cast<std::size_t>(data.elements) * sizeof(float);
  float* landing = nullptr;
  cudaMallocHost(&landing, bytes);
  cudaHostRegister(data.result, bytes, cudaHostRegisterMapped);
  float* mapped = nullptr;
  cudaHostGetDevicePointer(&mapped, data.result, 0);

  for (int chunk = 0; chunk < data.chunks; ++chunk) {
    data.read_chunk(chunk, landing);
    cudaMemcpyAsync(data.device_chunk, landing, bytes, cudaMemcpyHostToDevice, data.stream);
    add_chunk<<<data.blocks, threads_per_block, 0, data.stream>>>(mapped, data.device_chunk, data.elements,
                                                                  chunk);
    data.host_task();
    cudaStreamSynchronize(data.stream);
  }

  data.host_task();
  cudaStreamSynchronize(data.stream);

  cudaHostUnregister(data.result);
  cudaFreeHost(landing);
}

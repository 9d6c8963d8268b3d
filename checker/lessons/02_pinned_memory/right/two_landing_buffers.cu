// The next chunk lands while the one before is still being copied. The result goes through one of the two.
#include <cstring>

#include "pinned_memory.h"

void add_up(const chunked_data& data) {
  const std::size_t bytes = static_cast<std::size_t>(data.elements) * sizeof(float);
  float* landing[2] = {};
  cudaEvent_t copied[2];
  for (int i = 0; i < 2; ++i) {
    cudaMallocHost(&landing[i], bytes);
    cudaEventCreateWithFlags(&copied[i], cudaEventDisableTiming);
  }

  for (int chunk = 0; chunk < data.chunks; ++chunk) {
    const int mine = chunk % 2;
    if (chunk >= 2) cudaEventSynchronize(copied[mine]);
    data.read_chunk(chunk, landing[mine]);
    cudaMemcpyAsync(data.device_chunk, landing[mine], bytes, cudaMemcpyHostToDevice, data.stream);
    cudaEventRecord(copied[mine], data.stream);
    add_chunk<<<data.blocks, threads_per_block, 0, data.stream>>>(data.device_sum, data.device_chunk,
                                                                  data.elements, chunk);
    data.host_task();
  }
  cudaMemcpyAsync(landing[0], data.device_sum, bytes, cudaMemcpyDeviceToHost, data.stream);
  data.host_task();
  cudaStreamSynchronize(data.stream);
  std::memcpy(data.result, landing[0], bytes);

  for (int i = 0; i < 2; ++i) {
    cudaFreeHost(landing[i]);
    cudaEventDestroy(copied[i]);
  }
}

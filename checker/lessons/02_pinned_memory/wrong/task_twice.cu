// fails: HostTaskRunsWhileCopiesRun
// where: 23 cause: host_task_miscounted
// The work for the CPU is done twice for each chunk.
#include "pinned_memory.h"

void add_up(const chunked_data& data) {
  const std::size_t bytes = static_cast<std::size_t>(data.elements) * sizeof(float);
  float* landing = nullptr;
  cudaMallocHost(&landing, bytes);
  cudaHostRegister(data.result, bytes, cudaHostRegisterDefault);

  for (int chunk = 0; chunk < data.chunks; ++chunk) {
    data.read_chunk(chunk, landing);
    cudaMemcpyAsync(data.device_chunk, landing, bytes, cudaMemcpyHostToDevice, data.stream);
    add_chunk<<<data.blocks, threads_per_block, 0, data.stream>>>(data.device_sum, data.device_chunk,
                                                                  data.elements, chunk);
    data.host_task();
    data.host_task();
    cudaStreamSynchronize(data.stream);
  }

  cudaMemcpyAsync(data.result, data.device_sum, bytes, cudaMemcpyDeviceToHost, data.stream);
  data.host_task();
  cudaStreamSynchronize(data.stream);

  cudaHostUnregister(data.result);
  cudaFreeHost(landing);
}

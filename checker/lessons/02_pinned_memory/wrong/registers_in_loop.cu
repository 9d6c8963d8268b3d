// fails: PinningStaysInTheBudget
// where: 13 cause: pinned_again
// on a GPU: HostTaskRunsWhileCopiesRun
// The result is pinned anew for each chunk: the same memory counts each time.
#include "pinned_memory.h"

void add_up(const chunked_data& data) {
  const std::size_t bytes = static_cast<std::size_t>(data.elements) * sizeof(float);
  float* landing = nullptr;
  cudaMallocHost(&landing, bytes);

  for (int chunk = 0; chunk < data.chunks; ++chunk) {
    cudaHostRegister(data.result, bytes, cudaHostRegisterDefault);
    data.read_chunk(chunk, landing);
    cudaMemcpyAsync(data.device_chunk, landing, bytes, cudaMemcpyHostToDevice, data.stream);
    add_chunk<<<data.blocks, threads_per_block, 0, data.stream>>>(data.device_sum, data.device_chunk,
                                                                  data.elements, chunk);
    data.host_task();
    cudaStreamSynchronize(data.stream);
    if (chunk + 1 < data.chunks) cudaHostUnregister(data.result);
  }

  cudaMemcpyAsync(data.result, data.device_sum, bytes, cudaMemcpyDeviceToHost, data.stream);
  data.host_task();
  cudaStreamSynchronize(data.stream);

  cudaHostUnregister(data.result);
  cudaFreeHost(landing);
}

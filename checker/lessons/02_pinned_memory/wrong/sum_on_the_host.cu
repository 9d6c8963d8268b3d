// fails: EveryElementIsRight
// where: 32 cause: result_of_the_host
// on a GPU: EveryElementIsRight
// The CPU adds the chunks up as well, and puts its sum over that of the GPU. What host code writes is not observable on a GPU.
#include <vector>

#include "pinned_memory.h"

void add_up(const chunked_data& data) {
  const std::size_t bytes = static_cast<std::size_t>(data.elements) * sizeof(float);

  float* landing = nullptr;
  cudaMallocHost(&landing, bytes);

  cudaHostRegister(data.result, bytes, cudaHostRegisterDefault);

  std::vector<float> sum(static_cast<std::size_t>(data.elements));
  for (int chunk = 0; chunk < data.chunks; ++chunk) {
    data.read_chunk(chunk, landing);
    for (int i = 0; i < data.elements; ++i) sum[i] = 2.0f * sum[i] + landing[i] + static_cast<float>(i % 100);
    cudaMemcpyAsync(data.device_chunk, landing, bytes, cudaMemcpyHostToDevice, data.stream);
    add_chunk<<<data.blocks, threads_per_block, 0, data.stream>>>(data.device_sum, data.device_chunk,
                                                                  data.elements, chunk);
    data.host_task();                    // meant to run while the chunk is copied
    cudaStreamSynchronize(data.stream);  // the next chunk lands in the same memory
  }

  cudaMemcpyAsync(data.result, data.device_sum, bytes, cudaMemcpyDeviceToHost, data.stream);
  data.host_task();
  cudaStreamSynchronize(data.stream);

  for (int i = 0; i < data.elements; ++i) data.result[i] = sum[i];
  cudaHostUnregister(data.result);
  cudaFreeHost(landing);
}

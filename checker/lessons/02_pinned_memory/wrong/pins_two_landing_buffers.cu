// fails: PinningStaysInTheBudget
// where: 10 cause: pinned_too_much
// Two landing buffers in turn, of which one would do.
#include "pinned_memory.h"

void add_up(const chunked_data& data) {
  const std::size_t bytes = static_cast<std::size_t>(data.elements) * sizeof(float);

  float* both = nullptr;
  cudaMallocHost(&both, bytes * 2);
  cudaHostRegister(data.result, bytes, cudaHostRegisterDefault);

  for (int chunk = 0; chunk < data.chunks; ++chunk) {
    float* landing = both + static_cast<std::size_t>(chunk % 2) * data.elements;
    data.read_chunk(chunk, landing);
    cudaMemcpyAsync(data.device_chunk, landing, bytes, cudaMemcpyHostToDevice, data.stream);
    add_chunk<<<data.blocks, threads_per_block, 0, data.stream>>>(data.device_sum, data.device_chunk,
                                                                  data.elements, chunk);
    data.host_task();
    cudaStreamSynchronize(data.stream);
  }

  cudaMemcpyAsync(data.result, data.device_sum, bytes, cudaMemcpyDeviceToHost, data.stream);
  data.host_task();
  cudaStreamSynchronize(data.stream);

  cudaHostUnregister(data.result);
  cudaFreeHost(both);
}

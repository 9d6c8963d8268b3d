// fails: PinningStaysInTheBudget
// where: 10 cause: pinned_too_much
// The landing buffer has room for two chunks, of which only the first is used.
#include "pinned_memory.h"

void add_up(const chunked_data& data) {
  const std::size_t bytes = static_cast<std::size_t>(data.elements) * sizeof(float);

  float* landing = nullptr;
  cudaMallocHost(&landing, 2 * bytes);

  cudaHostRegister(data.result, bytes, cudaHostRegisterDefault);

  for (int chunk = 0; chunk < data.chunks; ++chunk) {
    data.read_chunk(chunk, landing);
    cudaMemcpyAsync(data.device_chunk, landing, bytes, cudaMemcpyHostToDevice, data.stream);
    add_chunk<<<data.blocks, threads_per_block, 0, data.stream>>>(data.device_sum, data.device_chunk,
                                                                  data.elements, chunk);
    data.host_task();                    // meant to run while the chunk is copied
    cudaStreamSynchronize(data.stream);  // the next chunk lands in the same memory
  }

  cudaMemcpyAsync(data.result, data.device_sum, bytes, cudaMemcpyDeviceToHost, data.stream);
  data.host_task();
  cudaStreamSynchronize(data.stream);

  cudaHostUnregister(data.result);
  cudaFreeHost(landing);
}

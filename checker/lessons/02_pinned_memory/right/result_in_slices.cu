// Pins the result slice by slice, never more than 1 MiB of it at a time. std::min comes with CUDA's headers.
#include "pinned_memory.h"

void add_up(const chunked_data& data) {
  const std::size_t bytes = static_cast<std::size_t>(data.elements) * sizeof(float);

  float* landing = nullptr;
  cudaMallocHost(&landing, bytes);

  for (int chunk = 0; chunk < data.chunks; ++chunk) {
    data.read_chunk(chunk, landing);
    cudaMemcpyAsync(data.device_chunk, landing, bytes, cudaMemcpyHostToDevice, data.stream);
    add_chunk<<<data.blocks, threads_per_block, 0, data.stream>>>(data.device_sum, data.device_chunk,
                                                                  data.elements, chunk);
    data.host_task();
    cudaStreamSynchronize(data.stream);
  }

  constexpr std::size_t slice = 1 << 20;
  for (std::size_t begin = 0; begin < bytes; begin += slice) {
    char* const to = reinterpret_cast<char*>(data.result) + begin;
    const std::size_t size = std::min(slice, bytes - begin);
    cudaHostRegister(to, size, cudaHostRegisterDefault);
    cudaMemcpyAsync(to, reinterpret_cast<const char*>(data.device_sum) + begin, size, cudaMemcpyDeviceToHost,
                    data.stream);
    if (begin == 0) data.host_task();
    cudaStreamSynchronize(data.stream);
    cudaHostUnregister(to);
  }

  cudaFreeHost(landing);
}

// fails: WhatIsPinnedIsReleased
// where: 32 cause: freed_while_registered
// on a GPU: WhatIsPinnedIsReleased
// The buffer is given back before it is made ordinary memory again. No call of CUDA tells of the free() on a GPU.
#include <cstdlib>

#include "pinned_memory.h"

void add_up(const chunked_data& data) {
  const std::size_t bytes = static_cast<std::size_t>(data.elements) * sizeof(float);
  const std::size_t pages = (bytes + 4095) / 4096 * 4096;

  auto* const landing = static_cast<float*>(std::aligned_alloc(4096, pages));
  cudaHostRegister(landing, pages, cudaHostRegisterDefault);

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
  std::free(landing);
  cudaHostUnregister(landing);
}

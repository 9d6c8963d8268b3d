// fails: EveryElementIsRight also: CopiesComeFromPinnedMemory, HostTaskRunsWhileCopiesRun, WhatIsPinnedIsReleased
// where: 25 cause: host_task_miscounted
// The result of the first call is kept and handed out again: right as long as the chunks are the same.
#include "pinned_memory.h"

#include <algorithm>
#include <cstring>
#include <vector>

void add_up(const chunked_data& data) {
  const std::size_t bytes = static_cast<std::size_t>(data.elements) * sizeof(float);

  static std::vector<float> kept;
  if (!kept.empty()) {
    std::memcpy(data.result, kept.data(), std::min(bytes, kept.size() * sizeof(float)));
    return;
  }

  float* landing = nullptr;
  cudaMallocHost(&landing, bytes);

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
  kept.assign(data.result, data.result + data.elements);
}

// fails: WhatIsPinnedIsReleased
// where: 8 cause: never_released
// The room for the chunks is pinned before main(), and released behind it.
#include "pinned_memory.h"

static struct room {
  float* memory = nullptr;
  room() { cudaMallocHost(&memory, 1'600'000); }
  ~room() { cudaFreeHost(memory); }
} of_all_calls;

void add_up(const chunked_data& data) {
  const std::size_t bytes = static_cast<std::size_t>(data.elements) * sizeof(float);

  // TODO 1, done: pinned from birth, once and outside the loop, because pinning takes longer than a copy. One
  // buffer serves all chunks, so the budget holds however many there are.
  float* const landing = of_all_calls.memory;
  // end of TODO 1

  // TODO 2, done: this memory is the caller's and stays where it is; it is pinned in place.
  cudaHostRegister(data.result, bytes, cudaHostRegisterDefault);
  // end of TODO 2

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

  // TODO 3, done: after the wait, and each with its own call. The caller's memory is its own again.
  cudaHostUnregister(data.result);
  // end of TODO 3
}

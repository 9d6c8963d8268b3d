// fails: verdict:timeout
// where: 18
// A loop that asks, and stops for no answer.
#include "pinned_memory.h"

void add_up(const chunked_data& data) {
  const std::size_t bytes = static_cast<std::size_t>(data.elements) * sizeof(float);

  // TODO 1: make the memory in which the chunks land pinned (about 2 lines)
  float* landing = new float[data.elements];
  // end of TODO 1

  // TODO 2: pin the caller's result where it is, for as long as this function needs it (about 1 line)
  // end of TODO 2

  for (int chunk = 0; chunk < data.chunks; ++chunk) {
    data.read_chunk(chunk, landing);
    while (true) cudaStreamQuery(nullptr);
    cudaMemcpyAsync(data.device_chunk, landing, bytes, cudaMemcpyHostToDevice, data.stream);
    add_chunk<<<data.blocks, threads_per_block, 0, data.stream>>>(data.device_sum, data.device_chunk,
                                                                  data.elements, chunk);
    data.host_task();                    // meant to run while the chunk is copied
    cudaStreamSynchronize(data.stream);  // the next chunk lands in the same memory
  }

  cudaMemcpyAsync(data.result, data.device_sum, bytes, cudaMemcpyDeviceToHost, data.stream);
  data.host_task();
  cudaStreamSynchronize(data.stream);

  // TODO 3: release what you pinned, each with the call that belongs to it (about 2 lines)
  delete[] landing;
  // end of TODO 3
}

// Breadth first: the same step of both lanes side by side, two batches at a time.
#include "async_copy.h"

namespace {

const float* input_of(const batches& work, int batch) {
  return work.input + static_cast<std::size_t>(batch) * work.elements;
}
float* output_of(const batches& work, int batch) {
  return work.output + static_cast<std::size_t>(batch) * work.elements;
}

void queue_round(const batches& work, int first, int size) {
  const std::size_t bytes = static_cast<std::size_t>(work.elements) * sizeof(float);
  for (int i = 0; i < size; ++i) {
    const lane& mine = work.lanes[i];
    cudaMemcpyAsync(mine.device_input, input_of(work, first + i), bytes, cudaMemcpyDefault, mine.stream);
  }
  for (int i = 0; i < size; ++i) {
    const lane& mine = work.lanes[i];
    transform<<<work.blocks, threads_per_block, 0, mine.stream>>>(mine.device_input, mine.device_output,
                                                                  work.elements, work.cycles);
  }
  for (int i = 0; i < size; ++i) {
    const lane& mine = work.lanes[i];
    cudaMemcpyAsync(output_of(work, first + i), mine.device_output, bytes, cudaMemcpyDefault, mine.stream);
  }
}

}  // namespace

void process_batches(const batches& work) {
  for (int first = 0; first < work.count; first += 2) {
    queue_round(work, first, work.count - first < 2 ? work.count - first : 2);
  }
  work.host_task();
  cudaDeviceSynchronize();
}

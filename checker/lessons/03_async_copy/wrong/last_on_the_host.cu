// fails: EveryElementIsRight
// where: 15 cause: launches_miscounted
// The CPU computes the last batch.
#include "async_copy.h"

void process_batches(const batches& work) {
  const std::size_t bytes = static_cast<std::size_t>(work.elements) * sizeof(float);

  for (int batch = 0; batch < work.count - 1; ++batch) {
    const float* input = work.input + static_cast<std::size_t>(batch) * work.elements;
    float* output = work.output + static_cast<std::size_t>(batch) * work.elements;
    const lane& mine = work.lanes[batch % 2];

    cudaMemcpyAsync(mine.device_input, input, bytes, cudaMemcpyHostToDevice, mine.stream);
    transform<<<work.blocks, threads_per_block, 0, mine.stream>>>(mine.device_input, mine.device_output, work.elements,
                                                                  work.cycles);
    cudaMemcpyAsync(output, mine.device_output, bytes, cudaMemcpyDeviceToHost, mine.stream);
  }

  work.host_task();
  const std::size_t at = static_cast<std::size_t>(work.count - 1) * work.elements;
  for (int i = 0; i < work.elements; ++i) work.output[at + i] = 3.0f * work.input[at + i] + static_cast<float>(i % 1000);
  cudaDeviceSynchronize();
}

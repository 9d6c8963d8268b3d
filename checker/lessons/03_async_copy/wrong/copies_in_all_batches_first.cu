// fails: EveryElementIsRight
// where: 12 cause: result_of_another_batch
// All copies to the device come first, so each lane has the last of its batches when its first kernel reads.
#include "async_copy.h"

void process_batches(const batches& work) {
  const std::size_t bytes = static_cast<std::size_t>(work.elements) * sizeof(float);

  for (int batch = 0; batch < work.count; ++batch) {
    const float* input = work.input + static_cast<std::size_t>(batch) * work.elements;
    const lane& mine = work.lanes[batch % 2];
    cudaMemcpyAsync(mine.device_input, input, bytes, cudaMemcpyHostToDevice, mine.stream);
  }
  for (int batch = 0; batch < work.count; ++batch) {
    float* output = work.output + static_cast<std::size_t>(batch) * work.elements;
    const lane& mine = work.lanes[batch % 2];
    transform<<<work.blocks, threads_per_block, 0, mine.stream>>>(mine.device_input, mine.device_output,
                                                                  work.elements, work.cycles);
    cudaMemcpyAsync(output, mine.device_output, bytes, cudaMemcpyDeviceToHost, mine.stream);
  }
  work.host_task();
  cudaDeviceSynchronize();
}

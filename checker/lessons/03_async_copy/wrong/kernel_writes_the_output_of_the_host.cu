// fails: EveryElementIsRight
// where: 15 cause: wrong_argument
// on a GPU: EveryElementIsRight
// The kernel writes into the pinned output itself: nothing is copied back.
#include "async_copy.h"

void process_batches(const batches& work) {
  const std::size_t bytes = static_cast<std::size_t>(work.elements) * sizeof(float);

  for (int batch = 0; batch < work.count; ++batch) {
    const float* input = work.input + static_cast<std::size_t>(batch) * work.elements;
    float* output = work.output + static_cast<std::size_t>(batch) * work.elements;
    const lane& mine = work.lanes[batch % 2];
    cudaMemcpyAsync(mine.device_input, input, bytes, cudaMemcpyHostToDevice, mine.stream);
    transform<<<work.blocks, threads_per_block, 0, mine.stream>>>(mine.device_input, output, work.elements,
                                                                  work.cycles);
  }

  work.host_task();
  cudaDeviceSynchronize();
}

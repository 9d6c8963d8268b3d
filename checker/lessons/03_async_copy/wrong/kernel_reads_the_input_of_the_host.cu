// fails: EveryElementIsRight
// where: 14 cause: wrong_argument
// on a GPU: EveryElementIsRight
// The kernel reads the pinned input itself: nothing is copied to the device.
#include "async_copy.h"

void process_batches(const batches& work) {
  const std::size_t bytes = static_cast<std::size_t>(work.elements) * sizeof(float);

  for (int batch = 0; batch < work.count; ++batch) {
    const float* input = work.input + static_cast<std::size_t>(batch) * work.elements;
    float* output = work.output + static_cast<std::size_t>(batch) * work.elements;
    const lane& mine = work.lanes[batch % 2];
    transform<<<work.blocks, threads_per_block, 0, mine.stream>>>(input, mine.device_output, work.elements,
                                                                  work.cycles);
    cudaMemcpyAsync(output, mine.device_output, bytes, cudaMemcpyDeviceToHost, mine.stream);
  }

  work.host_task();
  cudaDeviceSynchronize();
}

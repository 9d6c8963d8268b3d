// fails: EveryElementIsRight also: WorkIsOrdered
// where: 14 cause: failed_call
// on a GPU: verdict:crashed
// The number of batches is kept from the first call.
#include "async_copy.h"

void process_batches(const batches& work) {
  const std::size_t bytes = static_cast<std::size_t>(work.elements) * sizeof(float);
  static const int count = work.count;
  for (int batch = 0; batch < count; ++batch) {
    const float* input = work.input + static_cast<std::size_t>(batch) * work.elements;
    float* output = work.output + static_cast<std::size_t>(batch) * work.elements;
    const lane& mine = work.lanes[batch % 2];
    cudaMemcpyAsync(mine.device_input, input, bytes, cudaMemcpyHostToDevice, mine.stream);
    transform<<<work.blocks, threads_per_block, 0, mine.stream>>>(mine.device_input, mine.device_output, work.elements, work.cycles);
    cudaMemcpyAsync(output, mine.device_output, bytes, cudaMemcpyDeviceToHost, mine.stream);
  }
  work.host_task();
  cudaDeviceSynchronize();
}

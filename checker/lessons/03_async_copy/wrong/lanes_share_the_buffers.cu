// fails: WorkIsOrdered also: EveryElementIsRight
// where: 13 cause: buffer_reused
// Two streams, one pair of device buffers: a batch overwrites the one before it.
#include "async_copy.h"

void process_batches(const batches& work) {
  const std::size_t bytes = static_cast<std::size_t>(work.elements) * sizeof(float);

  for (int batch = 0; batch < work.count; ++batch) {
    const float* input = work.input + static_cast<std::size_t>(batch) * work.elements;
    float* output = work.output + static_cast<std::size_t>(batch) * work.elements;

    const lane mine = {work.lanes[batch % 2].stream, work.lanes[0].device_input, work.lanes[0].device_output};

    cudaMemcpyAsync(mine.device_input, input, bytes, cudaMemcpyHostToDevice, mine.stream);
    transform<<<work.blocks, threads_per_block, 0, mine.stream>>>(mine.device_input, mine.device_output,
                                                                  work.elements, work.cycles);
    cudaMemcpyAsync(output, mine.device_output, bytes, cudaMemcpyDeviceToHost, mine.stream);
  }

  work.host_task();
  cudaDeviceSynchronize();
}

// fails: WorkIsOrdered also: EveryElementIsRight
// where: 13 cause: buffer_reused
// The buffers change with every second batch, the streams with every batch.
#include "async_copy.h"

void process_batches(const batches& work) {
  const std::size_t bytes = static_cast<std::size_t>(work.elements) * sizeof(float);

  for (int batch = 0; batch < work.count; ++batch) {
    const float* input = work.input + static_cast<std::size_t>(batch) * work.elements;
    float* output = work.output + static_cast<std::size_t>(batch) * work.elements;

    const cudaStream_t stream = work.lanes[batch % 2].stream;
    const lane& mine = work.lanes[(batch / 2) % 2];

    cudaMemcpyAsync(mine.device_input, input, bytes, cudaMemcpyHostToDevice, stream);
    transform<<<work.blocks, threads_per_block, 0, stream>>>(mine.device_input, mine.device_output,
                                                             work.elements, work.cycles);
    cudaMemcpyAsync(output, mine.device_output, bytes, cudaMemcpyDeviceToHost, stream);
  }

  work.host_task();
  cudaDeviceSynchronize();
}

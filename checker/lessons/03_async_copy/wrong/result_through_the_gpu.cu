// fails: EveryElementIsRight
// where: 22 cause: result_of_the_host
// on a GPU: EveryElementIsRight
// The kernel works on other memory: what is copied back was computed by the CPU and copied to the device.
// Which memory a kernel uses is not observable on a GPU.
#include "async_copy.h"

void process_batches(const batches& work) {
  const std::size_t bytes = static_cast<std::size_t>(work.elements) * sizeof(float);

  for (int batch = 0; batch < work.count; ++batch) {
    const float* input = work.input + static_cast<std::size_t>(batch) * work.elements;
    float* output = work.output + static_cast<std::size_t>(batch) * work.elements;

    const lane& mine = work.lanes[batch % 2];

    cudaMemcpyAsync(mine.device_input, input, bytes, cudaMemcpyHostToDevice, mine.stream);
    transform<<<work.blocks, threads_per_block, 0, mine.stream>>>(mine.device_input, mine.device_output,
                                                                  work.elements, work.cycles);
    for (int i = 0; i < work.elements; ++i) output[i] = 3.0f * input[i] + static_cast<float>(i % 1000);
    cudaMemcpyAsync(mine.device_output, output, bytes, cudaMemcpyHostToDevice, mine.stream);
    cudaMemcpyAsync(output, mine.device_output, bytes, cudaMemcpyDeviceToHost, mine.stream);
  }

  work.host_task();
  cudaDeviceSynchronize();
}

// fails: EveryElementIsRight
// where: 27 cause: result_of_the_host
// on a GPU: EveryElementIsRight
// The GPU does all of it, and then the CPU writes its own result over the output. What host code writes is not observable on a GPU.
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
    cudaMemcpyAsync(output, mine.device_output, bytes, cudaMemcpyDeviceToHost, mine.stream);
  }

  work.host_task();
  cudaDeviceSynchronize();
  for (int batch = 0; batch < work.count; ++batch) {
    const std::size_t begin = static_cast<std::size_t>(batch) * work.elements;
    for (int i = 0; i < work.elements; ++i)
      work.output[begin + i] = 3.0f * work.input[begin + i] + static_cast<float>(i % 1000);
  }
}

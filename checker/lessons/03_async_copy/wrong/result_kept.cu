// fails: EveryElementIsRight
// where: 31 cause: result_of_another_call
// The result of the first call is kept, and put over those of later calls of the same size.
#include <cstring>
#include <vector>

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
  static std::vector<float> kept;
  const std::size_t all = static_cast<std::size_t>(work.count) * work.elements;
  if (kept.size() != all) {
    kept.assign(work.output, work.output + all);
  } else {
    std::memcpy(work.output, kept.data(), all * sizeof(float));
  }
}

// Lane by lane: all even batches into the first stream, then all odd ones into the second.
#include "async_copy.h"

void process_batches(const batches& work) {
  const std::size_t elements = static_cast<std::size_t>(work.elements);
  for (int number = 0; number < 2; ++number) {
    const lane& mine = work.lanes[number];
    for (int batch = number; batch < work.count; batch += 2) {
      cudaMemcpyAsync(mine.device_input, work.input + batch * elements, elements * sizeof(float),
                      cudaMemcpyHostToDevice, mine.stream);
      transform<<<work.blocks, threads_per_block, 0, mine.stream>>>(mine.device_input, mine.device_output,
                                                                    work.elements, work.cycles);
      cudaMemcpyAsync(work.output + batch * elements, mine.device_output, elements * sizeof(float),
                      cudaMemcpyDeviceToHost, mine.stream);
    }
  }
  work.host_task();
  cudaDeviceSynchronize();
}

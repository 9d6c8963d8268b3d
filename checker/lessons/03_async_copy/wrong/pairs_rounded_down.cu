// fails: EveryElementIsRight
// where: 9 cause: output_not_written
// A loop over pairs of batches, whose number is rounded down: of an odd number the last one is never queued.
#include "async_copy.h"

void process_batches(const batches& work) {
  const std::size_t bytes = static_cast<std::size_t>(work.elements) * sizeof(float);

  for (int pair = 0; pair < work.count / 2; ++pair) {
    for (int side = 0; side < 2; ++side) {
      const std::size_t first = (static_cast<std::size_t>(pair) * 2 + side) * work.elements;
      const lane& mine = work.lanes[side];

      cudaMemcpyAsync(mine.device_input, work.input + first, bytes, cudaMemcpyHostToDevice, mine.stream);
      transform<<<work.blocks, threads_per_block, 0, mine.stream>>>(mine.device_input, mine.device_output,
                                                                    work.elements, work.cycles);
      cudaMemcpyAsync(work.output + first, mine.device_output, bytes, cudaMemcpyDeviceToHost, mine.stream);
    }
  }

  work.host_task();
  cudaDeviceSynchronize();
}

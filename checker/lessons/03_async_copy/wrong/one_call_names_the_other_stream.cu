// fails: WorkIsOrdered also: EveryElementIsRight, CopiesOverlapKernels
// where: 22 cause: result_not_awaited
// One of the two calls of copy() names the stream of the other lane.
#include "async_copy.h"

static void copy(float* to, const float* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  cudaMemcpyAsync(to, from, bytes, kind, stream);
}

void process_batches(const batches& work) {
  const std::size_t bytes = static_cast<std::size_t>(work.elements) * sizeof(float);

  for (int batch = 0; batch < work.count; ++batch) {
    const float* input = work.input + static_cast<std::size_t>(batch) * work.elements;
    float* output = work.output + static_cast<std::size_t>(batch) * work.elements;
    const lane& mine = work.lanes[batch % 2];
    const lane& other = work.lanes[(batch + 1) % 2];

    copy(mine.device_input, input, bytes, cudaMemcpyHostToDevice, mine.stream);
    transform<<<work.blocks, threads_per_block, 0, mine.stream>>>(mine.device_input, mine.device_output,
                                                                  work.elements, work.cycles);
    copy(output, mine.device_output, bytes, cudaMemcpyDeviceToHost, other.stream);
  }

  work.host_task();
  cudaDeviceSynchronize();
}

// fails: CopiesOverlapKernels
// where: 20 cause: one_stream
// Four batches are in one stream.
#include "async_copy.h"

void process_batches(const batches& work) {
  const std::size_t bytes = static_cast<std::size_t>(work.elements) * sizeof(float);

  for (int batch = 0; batch < work.count; ++batch) {
    const float* input = work.input + static_cast<std::size_t>(batch) * work.elements;
    float* output = work.output + static_cast<std::size_t>(batch) * work.elements;

    // TODO 1, done: neighbours share neither stream nor buffers, so nothing keeps them apart in time.
    const lane& mine = work.lanes[work.count == 4 ? 0 : batch % 2];
    // end of TODO 1

    // TODO 2, done: the stream keeps these three in order, so nothing else is needed between them. Each call
    // returns at once because the host memory is pinned; the launch names its stream as the fourth
    // configuration argument.
    cudaMemcpyAsync(mine.device_input, input, bytes, cudaMemcpyHostToDevice, mine.stream);
    transform<<<work.blocks, threads_per_block, 0, mine.stream>>>(mine.device_input, mine.device_output,
                                                                  work.elements, work.cycles);
    cudaMemcpyAsync(output, mine.device_output, bytes, cudaMemcpyDeviceToHost, mine.stream);
    // end of TODO 2
  }

  // TODO 3, done: everything is queued, so the GPU is busy while the host works. The one wait comes last:
  // without it the caller would find old data in `output`, and no call would report an error.
  work.host_task();
  cudaDeviceSynchronize();
  // end of TODO 3
}

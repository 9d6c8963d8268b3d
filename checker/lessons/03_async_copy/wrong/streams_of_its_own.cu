// fails: HostQueuesAllWorkBeforeWaiting
// where: 19 cause: stream_of_its_own
// The lanes lend their memory, but not their streams.
#include "async_copy.h"

void process_batches(const batches& work) {
  static cudaStream_t streams[2] = {};
  for (cudaStream_t& stream : streams) {
    if (stream == nullptr) cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  }
  const std::size_t bytes = static_cast<std::size_t>(work.elements) * sizeof(float);

  for (int batch = 0; batch < work.count; ++batch) {
    const float* input = work.input + static_cast<std::size_t>(batch) * work.elements;
    float* output = work.output + static_cast<std::size_t>(batch) * work.elements;

    const lane& mine = work.lanes[batch % 2];

    cudaMemcpyAsync(mine.device_input, input, bytes, cudaMemcpyHostToDevice, streams[batch % 2]);
    transform<<<work.blocks, threads_per_block, 0, streams[batch % 2]>>>(mine.device_input, mine.device_output,
                                                                  work.elements, work.cycles);
    cudaMemcpyAsync(output, mine.device_output, bytes, cudaMemcpyDeviceToHost, streams[batch % 2]);
  }

  work.host_task();
  cudaDeviceSynchronize();
}

// on a GPU: HostTaskRunsWhileTheGpuWorks
// To start the threads takes as long there as the GPU's work.
// Each lane has a thread of its own, which queues its batches and waits for its stream.
#include <thread>

#include "async_copy.h"

static void process_lane(const batches& work, int first) {
  const std::size_t bytes = static_cast<std::size_t>(work.elements) * sizeof(float);

  for (int batch = first; batch < work.count; batch += 2) {
    const float* input = work.input + static_cast<std::size_t>(batch) * work.elements;
    float* output = work.output + static_cast<std::size_t>(batch) * work.elements;

    const lane& mine = work.lanes[batch % 2];

    cudaMemcpyAsync(mine.device_input, input, bytes, cudaMemcpyHostToDevice, mine.stream);
    transform<<<work.blocks, threads_per_block, 0, mine.stream>>>(mine.device_input, mine.device_output,
                                                                  work.elements, work.cycles);
    cudaMemcpyAsync(output, mine.device_output, bytes, cudaMemcpyDeviceToHost, mine.stream);
  }

  cudaStreamSynchronize(work.lanes[first].stream);
}

void process_batches(const batches& work) {
  std::thread even([&] { process_lane(work, 0); });
  std::thread odd([&] { process_lane(work, 1); });
  work.host_task();
  even.join();
  odd.join();
}

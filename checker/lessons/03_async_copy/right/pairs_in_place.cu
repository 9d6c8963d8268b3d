// Batches queued in pairs step by step, the kernel works in place in one of the lane's buffers, lanes joined by an event.
#include <algorithm>

#include "async_copy.h"

void process_batches(const batches& work) {
  const std::size_t bytes = static_cast<std::size_t>(work.elements) * sizeof(float);

  for (int pair = 0; pair < work.count; pair += 2) {
    const int end = std::min(pair + 2, work.count);
    // The two buffers of a lane take turns, and each is input and output of its batch.
    const auto buffer = [&](int batch) {
      const lane& mine = work.lanes[batch - pair];
      return (pair / 2) % 2 == 0 ? mine.device_input : mine.device_output;
    };
    const auto start = [&](int batch) { return static_cast<std::size_t>(batch) * work.elements; };

    for (int batch = pair; batch < end; ++batch) {
      cudaMemcpyAsync(buffer(batch), work.input + start(batch), bytes, cudaMemcpyHostToDevice,
                      work.lanes[batch - pair].stream);
    }
    for (int batch = pair; batch < end; ++batch) {
      transform<<<work.blocks, threads_per_block, 0, work.lanes[batch - pair].stream>>>(
          buffer(batch), buffer(batch), work.elements, work.cycles);
    }
    for (int batch = pair; batch < end; ++batch) {
      cudaMemcpyAsync(work.output + start(batch), buffer(batch), bytes, cudaMemcpyDeviceToHost,
                      work.lanes[batch - pair].stream);
    }
  }

  cudaEvent_t other_lane = nullptr;
  cudaEventCreateWithFlags(&other_lane, cudaEventDisableTiming);
  cudaEventRecord(other_lane, work.lanes[1].stream);
  cudaStreamWaitEvent(work.lanes[0].stream, other_lane, 0);
  work.host_task();
  cudaStreamSynchronize(work.lanes[0].stream);
  cudaEventDestroy(other_lane);
}

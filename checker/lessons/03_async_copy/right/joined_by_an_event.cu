// Joins the two lanes with an event, so that the host waits for a single stream.
#include "async_copy.h"

void process_batches(const batches& work) {
  const std::size_t bytes = static_cast<std::size_t>(work.elements) * sizeof(float);
  cudaEvent_t second_lane_done;
  cudaEventCreateWithFlags(&second_lane_done, cudaEventDisableTiming);

  for (int batch = 0; batch < work.count; ++batch) {
    const std::size_t first = static_cast<std::size_t>(batch) * work.elements;
    const lane& mine = work.lanes[batch & 1];
    cudaMemcpyAsync(mine.device_input, work.input + first, bytes, cudaMemcpyHostToDevice, mine.stream);
    transform<<<work.blocks, threads_per_block, 0, mine.stream>>>(mine.device_input, mine.device_output,
                                                                  work.elements, work.cycles);
    cudaMemcpyAsync(work.output + first, mine.device_output, bytes, cudaMemcpyDeviceToHost, mine.stream);
  }

  cudaEventRecord(second_lane_done, work.lanes[1].stream);
  cudaStreamWaitEvent(work.lanes[0].stream, second_lane_done, 0);
  work.host_task();
  cudaStreamSynchronize(work.lanes[0].stream);
  cudaEventDestroy(second_lane_done);
}

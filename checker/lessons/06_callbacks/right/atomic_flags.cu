// No lock and no condition variable: the function counts in an atomic, and the consumer looks at it in a
// loop.
#include <atomic>
#include <thread>

#include "callbacks.h"

namespace {

void CUDART_CB count(void* data) { static_cast<std::atomic<int>*>(data)->fetch_add(1); }

}  // namespace

void run_pipeline(pipeline& work) {
  const std::size_t bytes = static_cast<std::size_t>(work.elements) * sizeof(float);

  hand_over free_lanes;  // lanes that nobody uses
  for (lane& free_lane : work.lanes) free_lanes.put(&free_lane);
  std::atomic<int> completed[lane_count] = {};  // batches, by lane

  std::thread consumer([&] {
    for (int batch = 0; batch < work.count; ++batch) {
      lane* const filled = &work.lanes[batch % lane_count];
      while (completed[batch % lane_count].load() <= batch / lane_count) std::this_thread::yield();
      work.consume(filled->batch, filled->output);
      free_lanes.put(filled);
    }
  });

  for (int batch = 0; batch < work.count; ++batch) {
    lane& mine = *free_lanes.take();
    mine.batch = batch;
    work.prepare(batch, mine.input);
    cudaMemcpyAsync(mine.device_input, mine.input, bytes, cudaMemcpyHostToDevice, mine.stream);
    transform<<<work.blocks, threads_per_block, 0, mine.stream>>>(mine.device_input, mine.device_output,
                                                                  work.elements, work.cycles);
    cudaMemcpyAsync(mine.output, mine.device_output, bytes, cudaMemcpyDeviceToHost, mine.stream);

    cudaLaunchHostFunc(mine.stream, count, &completed[batch % lane_count]);
  }

  consumer.join();
}

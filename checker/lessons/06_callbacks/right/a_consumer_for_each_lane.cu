// Each lane has a queue and a consuming thread of its own.
#include <thread>

#include "callbacks.h"

namespace {

struct consumer {
  hand_over complete;
  std::thread thread;
};

consumer consumers[lane_count];
lane* first_lane = nullptr;

void CUDART_CB announce(void* data) {
  lane* const filled = static_cast<lane*>(data);
  consumers[filled - first_lane].complete.put(filled);
}

}  // namespace

void run_pipeline(pipeline& work) {
  const std::size_t bytes = static_cast<std::size_t>(work.elements) * sizeof(float);
  first_lane = work.lanes;

  hand_over free_lanes[lane_count];
  for (int i = 0; i < lane_count; ++i) {
    free_lanes[i].put(&work.lanes[i]);
    consumers[i].thread = std::thread([&work, &free_lanes, i] {
      for (int batch = i; batch < work.count; batch += lane_count) {
        lane* const filled = consumers[i].complete.take();
        work.consume(filled->batch, filled->output);
        free_lanes[i].put(filled);
      }
    });
  }

  for (int batch = 0; batch < work.count; ++batch) {
    lane& mine = *free_lanes[batch % lane_count].take();
    mine.batch = batch;
    work.prepare(batch, mine.input);
    cudaMemcpyAsync(mine.device_input, mine.input, bytes, cudaMemcpyHostToDevice, mine.stream);
    transform<<<work.blocks, threads_per_block, 0, mine.stream>>>(mine.device_input, mine.device_output,
                                                                  work.elements, work.cycles);
    cudaMemcpyAsync(mine.output, mine.device_output, bytes, cudaMemcpyDeviceToHost, mine.stream);
    cudaLaunchHostFunc(mine.stream, announce, &mine);
  }

  for (consumer& consumer : consumers) consumer.thread.join();
}

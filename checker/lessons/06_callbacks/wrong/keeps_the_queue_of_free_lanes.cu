// fails: verdict:timeout
// where: 23
// on a GPU: verdict:timeout
// The queue of free lanes is kept from call to call, with lanes of another call in it.
// An H100 ended each call.
#include <thread>

#include "callbacks.h"

namespace {

hand_over complete;

void CUDART_CB announce(void* data) {
  complete.put(static_cast<lane*>(data));
}

}  // namespace

void run_pipeline(pipeline& work) {
  const std::size_t bytes = static_cast<std::size_t>(work.elements) * sizeof(float);

  static hand_over free_lanes;
  for (lane& free_lane : work.lanes) free_lanes.put(&free_lane);

  std::thread consumer([&work] {
    for (int i = 0; i < work.count; ++i) {
      lane* const arrived = complete.take();
      work.consume(arrived->batch, arrived->output);
      free_lanes.put(arrived);
    }
  });

  for (int batch = 0; batch < work.count; ++batch) {
    lane& mine = *free_lanes.take();
    mine.batch = batch;
    work.prepare(batch, mine.input);
    cudaMemcpyAsync(mine.device_input, mine.input, bytes, cudaMemcpyHostToDevice, mine.stream);
    transform<<<work.blocks, threads_per_block, 0, mine.stream>>>(mine.device_input, mine.device_output, work.elements,
                                                                  work.cycles);
    cudaMemcpyAsync(mine.output, mine.device_output, bytes, cudaMemcpyDeviceToHost, mine.stream);
    cudaLaunchHostFunc(mine.stream, announce, &mine);
  }

  consumer.join();
}

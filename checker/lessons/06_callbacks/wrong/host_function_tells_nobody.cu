// fails: AHostFunctionAnnouncesEachBatch
// where: 40 cause: not_announced
// on a GPU: AHostFunctionAnnouncesEachBatch
// The loop puts the lane into the queue at once, and the thread waits for the stream. What a host function does is not recorded on a GPU.
#include <thread>

#include "callbacks.h"

namespace {

hand_over complete;

void CUDART_CB announce(void*) {}

}  // namespace

void run_pipeline(pipeline& work) {
  const std::size_t bytes = static_cast<std::size_t>(work.elements) * sizeof(float);

  hand_over free_lanes;
  for (lane& free_lane : work.lanes) free_lanes.put(&free_lane);

  std::thread consumer([&work, &free_lanes] {
    for (int n = 0; n < work.count; ++n) {
      lane* const done = complete.take();
      cudaStreamSynchronize(done->stream);
      work.consume(done->batch, done->output);
      free_lanes.put(done);
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
    cudaLaunchHostFunc(mine.stream, announce, &mine);
    complete.put(&mine);
  }

  consumer.join();
}

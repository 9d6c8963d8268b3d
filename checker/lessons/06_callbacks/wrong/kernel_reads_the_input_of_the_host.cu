// fails: EveryBatchIsRight
// where: 38 cause: wrong_argument
// on a GPU: EveryBatchIsRight
// The kernel reads the pinned input itself: nothing is copied to the device.
// Which memory a kernel uses is not recorded on a GPU.
#include <thread>

#include "callbacks.h"

namespace {

hand_over complete;  // lanes whose result has arrived in their `output`

void CUDART_CB announce(void* data) {
  complete.put(static_cast<lane*>(data));
}

}  // namespace

void run_pipeline(pipeline& work) {
  const std::size_t bytes = static_cast<std::size_t>(work.elements) * sizeof(float);

  hand_over free_lanes;  // lanes that nobody uses
  for (lane& free_lane : work.lanes) free_lanes.put(&free_lane);

  std::thread consumer([&] {
    for (int i = 0; i < work.count; ++i) {
      lane* const mine = complete.take();
      work.consume(mine->batch, mine->output);
      free_lanes.put(mine);
    }
  });

  for (int batch = 0; batch < work.count; ++batch) {
    lane& mine = *free_lanes.take();
    mine.batch = batch;
    work.prepare(batch, mine.input);
    transform<<<work.blocks, threads_per_block, 0, mine.stream>>>(mine.input, mine.device_output,
                                                                  work.elements, work.cycles);
    cudaMemcpyAsync(mine.output, mine.device_output, bytes, cudaMemcpyDeviceToHost, mine.stream);
    cudaLaunchHostFunc(mine.stream, announce, &mine);
  }

  consumer.join();
}

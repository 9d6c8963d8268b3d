// fails: WorkIsOrdered also: EveryBatchIsRight
// where: 26 cause: host_not_awaited
// The consumer puts its lane back as soon as it knows the number of the batch, and then reads the output.
#include <thread>

#include "callbacks.h"

namespace {

hand_over complete;  // lanes whose result has arrived in their `output`

void CUDART_CB announce(void* data) { complete.put(static_cast<lane*>(data)); }

}  // namespace

void run_pipeline(pipeline& work) {
  const std::size_t bytes = static_cast<std::size_t>(work.elements) * sizeof(float);

  hand_over free_lanes;  // lanes that nobody uses
  for (lane& free_lane : work.lanes) free_lanes.put(&free_lane);

  std::thread consumer([&] {
    for (int count = 0; count < work.count; ++count) {
      lane& filled = *complete.take();
      const int number = filled.batch;
      free_lanes.put(&filled);
      work.consume(number, filled.output);
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
  }

  consumer.join();
}

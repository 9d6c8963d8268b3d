// fails: WorkIsOrdered also: EveryBatchIsRight, TheGpuNeverRunsDry, AHostFunctionAnnouncesEachBatch
// where: 29 cause: source_overwritten
// Every batch goes through the buffers of the first lane, whether it is free or not.
#include <thread>

#include "callbacks.h"

namespace {

hand_over complete;  // lanes whose result has arrived in their `output`

void CUDART_CB announce(void* data) { complete.put(static_cast<lane*>(data)); }

}  // namespace

void run_pipeline(pipeline& work) {
  const std::size_t bytes = static_cast<std::size_t>(work.elements) * sizeof(float);

  std::thread consumer([&] {
    for (int batch = 0; batch < work.count; ++batch) {
      lane* const filled = complete.take();
      work.consume(batch, filled->output);
    }
  });

  for (int batch = 0; batch < work.count; ++batch) {
    lane& mine = work.lanes[0];
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

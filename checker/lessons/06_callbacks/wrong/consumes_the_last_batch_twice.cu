// fails: EveryBatchIsRight
// where: 30 cause: host_task_miscounted
// The last batch is consumed twice.
#include <thread>

#include "callbacks.h"

namespace {

hand_over complete;  // lanes whose result has arrived in their `output`

// it runs on a thread of the driver, in its place in the stream. Until it returns, its stream
// stands still, and more than that on an H200: so it only wakes somebody up, and calls no CUDA.
void CUDART_CB announce(void* data) { complete.put(static_cast<lane*>(data)); }

}  // namespace

void run_pipeline(pipeline& work) {
  const std::size_t bytes = static_cast<std::size_t>(work.elements) * sizeof(float);

  hand_over free_lanes;  // lanes that nobody uses
  for (lane& free_lane : work.lanes) free_lanes.put(&free_lane);

  // this thread waits for the announcement, not for the GPU. A lane is free once its batch has
  // been consumed: its stream is done earlier, but then its output is still being read.
  std::thread consumer([&] {
    for (int batch = 0; batch < work.count; ++batch) {
      lane* const filled = complete.take();
      work.consume(filled->batch, filled->output);
      if (batch == work.count - 1) work.consume(filled->batch, filled->output);  // the last one
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

    // behind the copy back in the same stream it cannot come too early. Nothing waits here; the
    // next round waits only when no lane is free.
    cudaLaunchHostFunc(mine.stream, announce, &mine);
  }

  // the thread has consumed `count` batches when it ends. No call needs to wait for the GPU.
  consumer.join();
}

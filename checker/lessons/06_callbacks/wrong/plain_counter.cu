// fails: WorkIsOrdered
// where: 52 cause: host_code_unordered
// Waits for a plain counter, and reads it while the thread writes it.
#include <thread>

#include "callbacks.h"

namespace {

int consumed = 0;  // batches so far
hand_over complete;  // lanes whose result has arrived in their `output`

// It runs on a thread of the driver, in its place in the stream. Until it returns, its stream
// stands still, and more than that on an H200: so it only wakes somebody up, and calls no CUDA.
void CUDART_CB announce(void* data) { complete.put(static_cast<lane*>(data)); }

}  // namespace

void run_pipeline(pipeline& work) {
  const std::size_t bytes = static_cast<std::size_t>(work.elements) * sizeof(float);

  consumed = 0;
  hand_over free_lanes;  // lanes that nobody uses
  for (lane& free_lane : work.lanes) free_lanes.put(&free_lane);

  // This thread waits for the announcement, not for the GPU. A lane is free once its batch has
  // been consumed: its stream is done earlier, but then its output is still being read.
  std::thread consumer([&] {
    for (int batch = 0; batch < work.count; ++batch) {
      lane* const filled = complete.take();
      work.consume(filled->batch, filled->output);
      free_lanes.put(filled);
      ++consumed;
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

    // Behind the copy back in the same stream it cannot come too early. Nothing waits here; the
    // next round waits only when no lane is free.
    cudaLaunchHostFunc(mine.stream, announce, &mine);
  }

  // A plain variable orders nothing: the caller may see the number before it sees the results.
  while (consumed < work.count) std::this_thread::yield();
  consumer.join();
}

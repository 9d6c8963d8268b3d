// fails: WorkIsOrdered also: EveryBatchIsRight, AHostFunctionAnnouncesEachBatch
// where: 55 cause: host_code_unordered
// The thread goes on behind the back of the caller, which looks at the results at once.
#include <memory>
#include <thread>

#include "callbacks.h"

namespace {

// Of one call: the thread still needs them when the next one has begun.
struct queues {
  hand_over complete;    // lanes whose result has arrived in their `output`
  hand_over free_lanes;  // lanes that nobody uses
};

struct announcement {
  queues* of_call;
  lane* filled;
};

void CUDART_CB announce(void* data) {
  const std::unique_ptr<announcement> made(static_cast<announcement*>(data));
  made->of_call->complete.put(made->filled);
}

}  // namespace

void run_pipeline(pipeline& work) {
  const std::size_t bytes = static_cast<std::size_t>(work.elements) * sizeof(float);

  const auto shared = std::make_shared<queues>();
  for (lane& free_lane : work.lanes) shared->free_lanes.put(&free_lane);

  std::thread consumer([shared, count = work.count, consume = work.consume] {
    for (int batch = 0; batch < count; ++batch) {
      lane* const filled = shared->complete.take();
      consume(filled->batch, filled->output);
      shared->free_lanes.put(filled);
    }
  });

  for (int batch = 0; batch < work.count; ++batch) {
    lane& mine = *shared->free_lanes.take();
    mine.batch = batch;
    work.prepare(batch, mine.input);
    cudaMemcpyAsync(mine.device_input, mine.input, bytes, cudaMemcpyHostToDevice, mine.stream);
    transform<<<work.blocks, threads_per_block, 0, mine.stream>>>(mine.device_input, mine.device_output,
                                                                  work.elements, work.cycles);
    cudaMemcpyAsync(mine.output, mine.device_output, bytes, cudaMemcpyDeviceToHost, mine.stream);

    cudaLaunchHostFunc(mine.stream, announce, new announcement{shared.get(), &mine});
  }

  consumer.detach();
  cudaDeviceSynchronize();
  for (int i = 0; i + 2 < lane_count; ++i) shared->free_lanes.take();
}

// fails: EveryBatchIsRight also: WorkIsOrdered
// where: 44 cause: output_not_written
// The function waits for the GPU, and nobody waits for the thread that consumes.
#include <thread>

#include "callbacks.h"
#include <memory>

namespace {

hand_over complete;  // lanes whose result has arrived in their `output`

void CUDART_CB announce(void* data) { complete.put(static_cast<lane*>(data)); }

}  // namespace

void run_pipeline(pipeline& work) {
  const std::size_t bytes = static_cast<std::size_t>(work.elements) * sizeof(float);

  const auto free_lanes_of_call = std::make_shared<hand_over>();
  hand_over& free_lanes = *free_lanes_of_call;  // lanes that nobody uses
  for (lane& free_lane : work.lanes) free_lanes.put(&free_lane);

  std::thread consumer([&work, free_lanes_of_call] {
    for (int batch = 0; batch < work.count; ++batch) {
      lane* const filled = complete.take();
      work.consume(filled->batch, filled->output);
      free_lanes_of_call->put(filled);
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

  consumer.detach();
  cudaDeviceSynchronize();
}

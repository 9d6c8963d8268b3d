// The host function is a lambda, the last batch comes first, cudamemcpydefault; all lanes are taken back before the join.
#include <thread>

#include "callbacks.h"

namespace {

hand_over complete;

const cudaHostFn_t announce = [](void* data) { complete.put(static_cast<lane*>(data)); };

void consume_all(const pipeline* work, hand_over* free_lanes) {
  int consumed = 0;
  while (consumed < work->count) {
    lane* const done = complete.take();
    work->consume(done->batch, done->output);
    ++consumed;
    free_lanes->put(done);
  }
}

}  // namespace

void run_pipeline(pipeline& work) {
  const std::size_t bytes = sizeof(float) * static_cast<std::size_t>(work.elements);
  hand_over free_lanes;
  for (lane& free_lane : work.lanes) free_lanes.put(&free_lane);
  std::thread consumer(consume_all, &work, &free_lanes);

  for (int batch = work.count - 1; batch >= 0; --batch) {  // in any order, says the contract
    lane* const mine = free_lanes.take();
    mine->batch = batch;
    work.prepare(batch, mine->input);
    cudaMemcpyAsync(mine->device_input, mine->input, bytes, cudaMemcpyDefault, mine->stream);
    transform<<<dim3(work.blocks), dim3(threads_per_block), 0, mine->stream>>>(
        mine->device_input, mine->device_output, work.elements, work.cycles);
    cudaMemcpyAsync(mine->output, mine->device_output, bytes, cudaMemcpyDefault, mine->stream);
    cudaLaunchHostFunc(mine->stream, announce, mine);
  }

  // A lane is free once its batch has been consumed, so four free lanes are the end of all batches.
  for (int i = 0; i < lane_count; ++i) free_lanes.take();
  consumer.join();
}

// fails: HostFunctionsAreShort also: TheGpuNeverRunsDry
// where: 34 cause: long_host_function
// One function after the other, and the lane stands still during each.
#include "callbacks.h"

namespace {

hand_over free_lanes;  // lanes that nobody uses
void (*consume)(int batch, const float* output);

void CUDART_CB consume_and_free(void* data) {
  lane* const filled = static_cast<lane*>(data);
  consume(filled->batch, filled->output);
  free_lanes.put(filled);
}

}  // namespace

void run_pipeline(pipeline& work) {
  const std::size_t bytes = static_cast<std::size_t>(work.elements) * sizeof(float);

  consume = work.consume;
  for (lane& free_lane : work.lanes) free_lanes.put(&free_lane);

  for (int batch = 0; batch < work.count; ++batch) {
    lane& mine = *free_lanes.take();
    mine.batch = batch;
    work.prepare(batch, mine.input);
    cudaMemcpyAsync(mine.device_input, mine.input, bytes, cudaMemcpyHostToDevice, mine.stream);
    transform<<<work.blocks, threads_per_block, 0, mine.stream>>>(mine.device_input, mine.device_output,
                                                                  work.elements, work.cycles);
    cudaMemcpyAsync(mine.output, mine.device_output, bytes, cudaMemcpyDeviceToHost, mine.stream);

    cudaLaunchHostFunc(mine.stream, consume_and_free, &mine);
  }

  for (int i = 0; i < lane_count; ++i) free_lanes.take();
}

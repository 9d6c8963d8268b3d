// fails: WorkIsOrdered
// where: 25 cause: host_code_unordered
// A volatile flag tells the compiler to look each time. It orders nothing.
#include <thread>

#include "callbacks.h"

namespace {

volatile bool is_complete[lane_count];

void CUDART_CB set(void* data) { *static_cast<volatile bool*>(data) = true; }

}  // namespace

void run_pipeline(pipeline& work) {
  const std::size_t bytes = static_cast<std::size_t>(work.elements) * sizeof(float);

  hand_over free_lanes;  // lanes that nobody uses
  for (lane& free_lane : work.lanes) free_lanes.put(&free_lane);

  std::thread consumer([&] {
    for (int batch = 0; batch < work.count; ++batch) {
      const int index = batch % lane_count;
      while (!is_complete[index]) {
      }
      is_complete[index] = false;
      lane* const filled = &work.lanes[index];
      work.consume(filled->batch, filled->output);
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

    cudaLaunchHostFunc(mine.stream, set, const_cast<bool*>(&is_complete[batch % lane_count]));
  }

  consumer.join();
}

// No queue of what is complete: each lane has an atomic flag, and the consumer looks at one after another.
#include <array>
#include <atomic>
#include <thread>

#include "callbacks.h"

namespace {

void CUDART_CB raise(void* flag) { static_cast<std::atomic<bool>*>(flag)->store(true); }

}  // namespace

void run_pipeline(pipeline& work) {
  const std::size_t bytes = static_cast<std::size_t>(work.elements) * sizeof(float);
  std::array<std::atomic<bool>, lane_count> is_complete{};
  hand_over free_lanes;
  for (lane& each : work.lanes) free_lanes.put(&each);

  std::thread consumer([&] {
    int consumed = 0;
    for (int i = 0; consumed < work.count; i = (i + 1) % lane_count) {
      if (!is_complete[i].exchange(false)) {
        std::this_thread::yield();
        continue;
      }
      work.consume(work.lanes[i].batch, work.lanes[i].output);
      free_lanes.put(&work.lanes[i]);
      ++consumed;
    }
  });

  for (int batch = 0; batch < work.count; ++batch) {
    lane* const mine = free_lanes.take();
    mine->batch = batch;
    work.prepare(batch, mine->input);
    cudaMemcpyAsync(mine->device_input, mine->input, bytes, cudaMemcpyHostToDevice, mine->stream);
    transform<<<work.blocks, threads_per_block, 0, mine->stream>>>(mine->device_input, mine->device_output,
                                                                   work.elements, work.cycles);
    cudaMemcpyAsync(mine->output, mine->device_output, bytes, cudaMemcpyDeviceToHost, mine->stream);
    cudaLaunchHostFunc(mine->stream, raise, &is_complete[mine - work.lanes]);
  }

  consumer.join();
}

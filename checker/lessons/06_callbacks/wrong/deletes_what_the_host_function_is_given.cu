// fails: verdict:crashed
// where: 47
// The host function runs when the copies are done, and what it is given has been deleted by then.
#include <thread>

#include "callbacks.h"

namespace {

/// What a host function is given.
struct announcement {
  lane* filled;
  int batch;
};

hand_over complete;  // lanes whose result has arrived in their `output`

void CUDART_CB announce(void* data) { complete.put(static_cast<announcement*>(data)->filled); }

}  // namespace

void run_pipeline(pipeline& work) {
  const std::size_t bytes = static_cast<std::size_t>(work.elements) * sizeof(float);

  hand_over free_lanes;  // lanes that nobody uses
  for (lane& free_lane : work.lanes) free_lanes.put(&free_lane);

  std::thread consumer([&] {
    for (int batch = 0; batch < work.count; ++batch) {
      lane* const filled = complete.take();
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

    auto* const given = new announcement{&mine, batch};
    cudaLaunchHostFunc(mine.stream, announce, given);
    delete given;
  }

  consumer.join();
}

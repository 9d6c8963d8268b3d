// fails: WorkIsOrdered also: EveryBatchIsRight
// where: 55 cause: result_read_early
// A wait for a condition variable can end without a notification, and then nobody asks again.
#include <thread>

#include "callbacks.h"

namespace {

struct lane_state {
  std::mutex mutex;
  std::condition_variable changed;
  bool is_full = false;
  bool is_complete = false;
};

void CUDART_CB announce(void* data) {
  lane_state& state = *static_cast<lane_state*>(data);
  const std::lock_guard<std::mutex> lock(state.mutex);
  state.is_complete = true;
  state.changed.notify_all();
}

void submit(const pipeline& work, const lane& mine, lane_state& state) {
  const std::size_t bytes = static_cast<std::size_t>(work.elements) * sizeof(float);
  cudaMemcpyAsync(mine.device_input, mine.input, bytes, cudaMemcpyHostToDevice, mine.stream);
  transform<<<work.blocks, threads_per_block, 0, mine.stream>>>(mine.device_input, mine.device_output,
                                                                work.elements, work.cycles);
  cudaMemcpyAsync(mine.output, mine.device_output, bytes, cudaMemcpyDeviceToHost, mine.stream);
  cudaLaunchHostFunc(mine.stream, announce, &state);
}

}  // namespace

void run_pipeline(pipeline& work) {
  lane_state states[lane_count];

  std::thread worker([&] {
    for (int batch = 0; batch < work.count; ++batch) {
      lane_state& state = states[batch % lane_count];
      {
        std::unique_lock<std::mutex> lock(state.mutex);
        state.changed.wait(lock, [&] { return !state.is_full; });
        state.is_full = true;
      }
      work.prepare(batch, work.lanes[batch % lane_count].input);
      submit(work, work.lanes[batch % lane_count], state);
    }
  });

  for (int batch = 0; batch < work.count; ++batch) {
    lane_state& state = states[batch % lane_count];
    {
      std::unique_lock<std::mutex> lock(state.mutex);
      if (!state.is_complete) state.changed.wait(lock);
      state.is_complete = false;
    }
    work.consume(batch, work.lanes[batch % lane_count].output);
    const std::lock_guard<std::mutex> lock(state.mutex);
    state.is_full = false;
    state.changed.notify_all();
  }
  worker.join();
  cudaDeviceSynchronize();  // what is announced late is announced while it is still here
}

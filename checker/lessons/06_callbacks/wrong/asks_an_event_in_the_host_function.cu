// fails: HostFunctionsCallNoCuda
// where: 16 cause: cuda_in_host_function
// The function looks whether the copy before it has arrived. It has, or the function would not run; and asking is a CUDA call
// like any other, although hardware lets this one through.
#include <thread>

#include "callbacks.h"

namespace {

hand_over complete;  // lanes whose result has arrived in their `output`
cudaEvent_t copied[lane_count];

void CUDART_CB announce(void* data) {
  lane* const mine = static_cast<lane*>(data);
  if (cudaEventQuery(copied[mine->batch % lane_count]) == cudaSuccess) complete.put(mine);
}

}  // namespace

void run_pipeline(pipeline& work) {
  const std::size_t bytes = static_cast<std::size_t>(work.elements) * sizeof(float);

  for (cudaEvent_t& event : copied) cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
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
    cudaEventRecord(copied[batch % lane_count], mine.stream);
    cudaLaunchHostFunc(mine.stream, announce, &mine);
  }

  consumer.join();
  for (cudaEvent_t event : copied) cudaEventDestroy(event);
}

// fails: HostTaskRunsWhileTheGpuWorks
// where: 23 cause: host_task_alone
// A function in a stream begins when all before it there is done, and then the GPU has nothing left to do.
#include "async_copy.h"

static void CUDART_CB do_task(void* of) { static_cast<const batches*>(of)->host_task(); }

void process_batches(const batches& work) {
  const std::size_t bytes = static_cast<std::size_t>(work.elements) * sizeof(float);
  const auto last = static_cast<std::size_t>(work.count - 1);

  for (int batch = 0; batch < work.count; ++batch) {
    const lane& used = work.lanes[batch % 2];
    const float* const input = work.input + static_cast<std::size_t>(batch) * work.elements;
    float* const output = work.output + static_cast<std::size_t>(batch) * work.elements;
    cudaMemcpyAsync(used.device_input, input, bytes, cudaMemcpyHostToDevice, used.stream);
    transform<<<work.blocks, threads_per_block, 0, used.stream>>>(used.device_input, used.device_output,
                                                                  work.elements, work.cycles);
    cudaMemcpyAsync(output, used.device_output, bytes, cudaMemcpyDeviceToHost, used.stream);
  }

  batches task = work;
  cudaLaunchHostFunc(work.lanes[last % 2].stream, do_task, &task);
  cudaDeviceSynchronize();
}

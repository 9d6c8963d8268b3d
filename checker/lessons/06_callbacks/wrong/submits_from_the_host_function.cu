// fails: HostFunctionsCallNoCuda also: EveryBatchIsRight, HostFunctionsAreShort, TheGpuNeverRunsDry
// where: 16 cause: cuda_in_host_function
// The function consumes the batch and submits the next one of its lane, as many tutorials advise. CUDA
// refuses.
#include "callbacks.h"

namespace {

pipeline* running;

void CUDART_CB go_on(void* data);

void submit(lane& mine) {
  const std::size_t bytes = static_cast<std::size_t>(running->elements) * sizeof(float);
  running->prepare(mine.batch, mine.input);
  cudaMemcpyAsync(mine.device_input, mine.input, bytes, cudaMemcpyHostToDevice, mine.stream);
  transform<<<running->blocks, threads_per_block, 0, mine.stream>>>(mine.device_input, mine.device_output,
                                                                running->elements, running->cycles);
  cudaMemcpyAsync(mine.output, mine.device_output, bytes, cudaMemcpyDeviceToHost, mine.stream);
  cudaLaunchHostFunc(mine.stream, go_on, &mine);
}

void CUDART_CB go_on(void* data) {
  lane& mine = *static_cast<lane*>(data);
  running->consume(mine.batch, mine.output);
  mine.batch += lane_count;
  if (mine.batch < running->count) submit(mine);
}

}  // namespace

void run_pipeline(pipeline& work) {
  running = &work;
  for (int batch = 0; batch < lane_count && batch < work.count; ++batch) {
    work.lanes[batch].batch = batch;
    submit(work.lanes[batch]);
  }
  cudaDeviceSynchronize();
}

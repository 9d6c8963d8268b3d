// fails: verdict:crashed
// where: 17
// The ring goes round all the places that the contract has, also where fewer slots are there.
#include "ring_of_buffers.h"

void process_steps(const ring& work) {
  const std::size_t bytes = static_cast<std::size_t>(work.elements) * sizeof(float);
  int next = 0;
  for (int step = 0; step < work.steps; ++step) {
    const slot& mine = work.slots[next];
    next = (next + 1) % max_slots;
    if (step >= max_slots) {
      cudaEventSynchronize(mine.event);
      work.store(step - max_slots, mine.output);
    }

    work.load(step, mine.input);
    cudaMemcpyAsync(mine.device_input, mine.input, bytes, cudaMemcpyHostToDevice, work.upload);
    cudaEventRecord(mine.event, work.upload);
    cudaStreamWaitEvent(work.compute, mine.event, 0);
    transform<<<work.blocks, threads_per_block, 0, work.compute>>>(mine.device_input, mine.device_output,
                                                                   work.elements, work.cycles[step]);
    cudaEventRecord(mine.event, work.compute);
    cudaStreamWaitEvent(work.download, mine.event, 0);
    cudaMemcpyAsync(mine.output, mine.device_output, bytes, cudaMemcpyDeviceToHost, work.download);
    cudaEventRecord(mine.event, work.download);
  }
  cudaDeviceSynchronize();
  for (int step = work.steps > max_slots ? work.steps - max_slots : 0; step < work.steps; ++step)
    work.store(step, work.slots[step % max_slots].output);
}

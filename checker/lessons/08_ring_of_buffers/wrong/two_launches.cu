// fails: EveryStepIsRight also: KernelsNeverPause
// where: 23 cause: wrong_block_size
// Two launches for each step, each half of the elements, work.cycles each. On a GPU both together take twice as long.
#include "ring_of_buffers.h"

void process_steps(const ring& work) {
  const std::size_t bytes = static_cast<std::size_t>(work.elements) * sizeof(float);

  for (int step = 0; step < work.steps; ++step) {
    const slot& mine = work.slots[step % work.slot_count];

    if (step >= work.slot_count) {
      cudaEventSynchronize(mine.event);
      work.store(step - work.slot_count, mine.output);
    }

    work.load(step, mine.input);

    cudaMemcpyAsync(mine.device_input, mine.input, bytes, cudaMemcpyHostToDevice, work.upload);
    cudaEventRecord(mine.event, work.upload);
    cudaStreamWaitEvent(work.compute, mine.event, 0);
    const int half = work.elements / 2000 * 1000;
    transform<<<(half + threads_per_block - 1) / threads_per_block, threads_per_block, 0, work.compute>>>(mine.device_input, mine.device_output, half, work.cycles[step]);
    transform<<<(work.elements - half + threads_per_block - 1) / threads_per_block, threads_per_block, 0, work.compute>>>(mine.device_input + half, mine.device_output + half,
                                                                   work.elements - half, work.cycles[step]);
    cudaEventRecord(mine.event, work.compute);
    cudaStreamWaitEvent(work.download, mine.event, 0);
    cudaMemcpyAsync(mine.output, mine.device_output, bytes, cudaMemcpyDeviceToHost, work.download);
    cudaEventRecord(mine.event, work.download);
  }

  for (int step = work.steps - work.slot_count; step < work.steps; ++step) {
    const slot& mine = work.slots[step % work.slot_count];
    cudaEventSynchronize(mine.event);
    work.store(step, mine.output);
  }
}

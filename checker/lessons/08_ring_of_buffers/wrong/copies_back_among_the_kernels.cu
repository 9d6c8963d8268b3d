// fails: KernelsNeverPause
// where: 25 cause: one_stream
// The copies back are in the stream of the kernels: the next kernel waits for each of them.
// Lesson 08: ring of buffers. README.md explains the idea, ring_of_buffers.h says what you are given.
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
    transform<<<work.blocks, threads_per_block, 0, work.compute>>>(mine.device_input, mine.device_output,
                                                                   work.elements, work.cycles[step]);
    cudaMemcpyAsync(mine.output, mine.device_output, bytes, cudaMemcpyDeviceToHost, work.compute);
    cudaEventRecord(mine.event, work.compute);
  }

  for (int step = work.steps - work.slot_count; step < work.steps; ++step) {
    const slot& mine = work.slots[step % work.slot_count];
    cudaEventSynchronize(mine.event);
    work.store(step, mine.output);
  }
}

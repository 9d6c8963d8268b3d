// fails: EveryStepIsRight
// where: 24 cause: wrong_argument
// on a GPU: EveryStepIsRight
// The kernel writes into the pinned output itself: nothing is copied back.
// Which memory a kernel uses is not recorded on a GPU.
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
    transform<<<work.blocks, threads_per_block, 0, work.compute>>>(mine.device_input, mine.output,
                                                                   work.elements, work.cycles[step]);
    cudaEventRecord(mine.event, work.compute);
    cudaStreamWaitEvent(work.download, mine.event, 0);
    cudaEventRecord(mine.event, work.download);
  }

  for (int step = work.steps - work.slot_count; step < work.steps; ++step) {
    const slot& mine = work.slots[step % work.slot_count];
    cudaEventSynchronize(mine.event);
    work.store(step, mine.output);
  }
}

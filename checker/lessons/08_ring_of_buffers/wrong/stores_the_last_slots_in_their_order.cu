// fails: EveryStepIsRight
// where: 35 cause: result_of_another_batch
// At the end the slots are emptied from the first on, as if the last step were in the last one.
#include "ring_of_buffers.h"

void process_steps(const ring& work) {
  const std::size_t bytes = static_cast<std::size_t>(work.elements) * sizeof(float);

  for (int step = 0; step < work.steps; ++step) {
    const slot& mine = work.slots[step % work.slot_count];

    // younger steps are not waited for, so the GPU has work while the host stores and loads.
    if (step >= work.slot_count) {
      cudaEventSynchronize(mine.event);
      work.store(step - work.slot_count, mine.output);
    }

    work.load(step, mine.input);

    // all three times. The third record is what the host waits for when the slot is needed again.
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

  for (int index = 0; index < work.slot_count; ++index) {
    const slot& mine = work.slots[index];
    cudaEventSynchronize(mine.event);
    work.store(work.steps - work.slot_count + index, mine.output);
  }
}

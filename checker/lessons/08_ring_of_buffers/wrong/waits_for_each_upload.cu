// fails: HostWaitsForSlotsOnly
// where: 28 cause: needless_wait
// The host waits until the step that it has just loaded is on the device; a stream waits for that anyway.
#include "ring_of_buffers.h"

void process_steps(const ring& work) {
  const std::size_t bytes = static_cast<std::size_t>(work.elements) * sizeof(float);

  for (int step = 0; step < work.steps; ++step) {
    // TODO 1, done: a slot is used again after as many steps as there are slots, and not before.
    const slot& mine = work.slots[step % work.slot_count];
    // end of TODO 1

    // TODO 2, done: the event stands for the copy back, which was the last to touch any buffer of the slot. The
    // younger steps are not waited for, so the GPU has work while the host stores and loads.
    if (step >= work.slot_count) {
      cudaEventSynchronize(mine.event);
      work.store(step - work.slot_count, mine.output);
    }
    // end of TODO 2

    work.load(step, mine.input);

    // TODO 3, done: a wait takes the event as it was recorded last when the wait is queued, so one event serves
    // all three times. The third record is what the host waits for when the slot is needed again.
    cudaMemcpyAsync(mine.device_input, mine.input, bytes, cudaMemcpyHostToDevice, work.upload);
    cudaEventRecord(mine.event, work.upload);
    cudaEventSynchronize(mine.event);
    cudaStreamWaitEvent(work.compute, mine.event, 0);
    transform<<<work.blocks, threads_per_block, 0, work.compute>>>(mine.device_input, mine.device_output,
                                                                   work.elements, work.cycles[step]);
    cudaEventRecord(mine.event, work.compute);
    cudaStreamWaitEvent(work.download, mine.event, 0);
    cudaMemcpyAsync(mine.output, mine.device_output, bytes, cudaMemcpyDeviceToHost, work.download);
    cudaEventRecord(mine.event, work.download);
    // end of TODO 3
  }

  // TODO 4, done: the last steps have no successor that would store them.
  for (int step = work.steps - work.slot_count; step < work.steps; ++step) {
    const slot& mine = work.slots[step % work.slot_count];
    cudaEventSynchronize(mine.event);
    work.store(step, mine.output);
  }
  // end of TODO 4
}

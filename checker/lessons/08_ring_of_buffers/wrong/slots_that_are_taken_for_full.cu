// fails: EveryStepIsRight
// where: 39 cause: host_task_miscounted
// What each slot holds is kept from call to call.
#include "ring_of_buffers.h"

static int held[max_slots] = {-1, -1, -1, -1, -1, -1, -1, -1};

void process_steps(const ring& work) {
  const std::size_t bytes = static_cast<std::size_t>(work.elements) * sizeof(float);

  for (int step = 0; step < work.steps; ++step) {
    const slot& mine = work.slots[step % work.slot_count];

    // younger steps are not waited for, so the GPU has work while the host stores and loads.
    int& holds = held[step % work.slot_count];
    if (holds >= 0) {
      cudaEventSynchronize(mine.event);
      work.store(holds, mine.output);
    }
    holds = step;

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

  for (int step = work.steps - work.slot_count; step < work.steps; ++step) {
    const slot& mine = work.slots[step % work.slot_count];
    cudaEventSynchronize(mine.event);
    work.store(step, mine.output);
  }
}

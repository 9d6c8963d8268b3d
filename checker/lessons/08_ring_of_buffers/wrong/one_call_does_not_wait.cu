// fails: NoSlotIsReusedTooEarly also: EveryStepIsRight
// where: 19 cause: result_read_early
// One of the two calls of store_step() takes a slot whose step is not done.
#include "ring_of_buffers.h"

enum class slot_state { in_use, done };

static void store_step(const ring& work, int step, slot_state state) {
  const slot& taken = work.slots[step % work.slot_count];
  if (state == slot_state::in_use) cudaEventSynchronize(taken.event);
  work.store(step, taken.output);
}

void process_steps(const ring& work) {
  const std::size_t bytes = static_cast<std::size_t>(work.elements) * sizeof(float);

  for (int step = 0; step < work.steps; ++step) {
    const slot& mine = work.slots[step % work.slot_count];
    if (step >= work.slot_count) store_step(work, step - work.slot_count, slot_state::done);
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

  for (int step = work.steps - work.slot_count; step < work.steps; ++step)
    store_step(work, step, slot_state::in_use);
}

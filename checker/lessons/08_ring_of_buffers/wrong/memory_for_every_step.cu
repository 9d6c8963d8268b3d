// fails: HostWaitsForSlotsOnly also: EveryStepIsRight
// where: 12 cause: memory_of_its_own
// Memory of its own for every step, so that no slot is ever used again.
#include "ring_of_buffers.h"

void process_steps(const ring& work) {
  const std::size_t bytes = static_cast<std::size_t>(work.elements) * sizeof(float);

  slot own[64];
  for (int step = 0; step < work.steps; ++step) {
    own[step] = work.slots[step % work.slot_count];
    cudaMallocHost(&own[step].input, bytes);
    cudaMalloc(&own[step].device_input, bytes);
    cudaMalloc(&own[step].device_output, bytes);
    cudaMallocHost(&own[step].output, bytes);
    cudaEventCreateWithFlags(&own[step].event, cudaEventDisableTiming);
  }

  for (int step = 0; step < work.steps; ++step) {
    const slot& mine = own[step];

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

  for (int step = 0; step < work.steps; ++step) {
    const slot& mine = own[step];
    cudaEventSynchronize(mine.event);
    work.store(step, mine.output);
  }
}

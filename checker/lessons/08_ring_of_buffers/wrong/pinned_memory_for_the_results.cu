// fails: HostWaitsForSlotsOnly also: EveryStepIsRight
// where: 9 cause: memory_of_its_own
// Each result is copied back into pinned memory of its own, and stored at the end.
#include "ring_of_buffers.h"

void process_steps(const ring& work) {
  const std::size_t bytes = static_cast<std::size_t>(work.elements) * sizeof(float);
  float* kept[64];
  for (int step = 0; step < work.steps; ++step) cudaMallocHost(&kept[step], bytes);

  for (int step = 0; step < work.steps; ++step) {
    const slot& mine = work.slots[step % work.slot_count];
    if (step >= work.slot_count) cudaEventSynchronize(mine.event);
    work.load(step, mine.input);
    cudaMemcpyAsync(mine.device_input, mine.input, bytes, cudaMemcpyHostToDevice, work.upload);
    cudaEventRecord(mine.event, work.upload);
    cudaStreamWaitEvent(work.compute, mine.event, 0);
    transform<<<work.blocks, threads_per_block, 0, work.compute>>>(mine.device_input, mine.device_output,
                                                                   work.elements, work.cycles[step]);
    cudaEventRecord(mine.event, work.compute);
    cudaStreamWaitEvent(work.download, mine.event, 0);
    cudaMemcpyAsync(kept[step], mine.device_output, bytes, cudaMemcpyDeviceToHost, work.download);
    cudaEventRecord(mine.event, work.download);
  }

  cudaStreamSynchronize(work.download);
  for (int step = 0; step < work.steps; ++step) {
    work.store(step, kept[step]);
    cudaFreeHost(kept[step]);
  }
}

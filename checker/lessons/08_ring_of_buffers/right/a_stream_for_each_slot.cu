// Each slot has a stream of its own, which keeps its three operations in order.
#include "ring_of_buffers.h"

void process_steps(const ring& work) {
  const std::size_t bytes = static_cast<std::size_t>(work.elements) * sizeof(float);

  cudaStream_t streams[max_slots];
  for (int i = 0; i < work.slot_count; ++i) cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking);

  for (int step = 0; step < work.steps; ++step) {
    const slot& mine = work.slots[step % work.slot_count];

    if (step >= work.slot_count) {
      cudaStreamSynchronize(streams[step % work.slot_count]);
      work.store(step - work.slot_count, mine.output);
    }

    work.load(step, mine.input);

    cudaMemcpyAsync(mine.device_input, mine.input, bytes, cudaMemcpyHostToDevice, streams[step % work.slot_count]);
    transform<<<work.blocks, threads_per_block, 0, streams[step % work.slot_count]>>>(mine.device_input, mine.device_output,
                                                                   work.elements, work.cycles[step]);
    cudaMemcpyAsync(mine.output, mine.device_output, bytes, cudaMemcpyDeviceToHost, streams[step % work.slot_count]);
  }

  for (int step = work.steps - work.slot_count; step < work.steps; ++step) {
    const slot& mine = work.slots[step % work.slot_count];
    cudaStreamSynchronize(streams[step % work.slot_count]);
    work.store(step, mine.output);
  }
  for (int i = 0; i < work.slot_count; ++i) cudaStreamDestroy(streams[i]);
}

// Lesson 05: events. README.md explains the idea, events.h says what you are given.
#include "events.h"

void blend_pictures(const pictures& work) {
  const std::size_t bytes = static_cast<std::size_t>(work.elements) * sizeof(float);
  const std::size_t weight_bytes = static_cast<std::size_t>(work.weight_count) * sizeof(float);

  cudaMemcpyAsync(work.device_weights, work.weights, weight_bytes, cudaMemcpyHostToDevice, work.left_stream);

  // TODO 1: an event in place of the wait: `smoothen` needs the weights, and nothing else of the left stream
  // (about 4 lines)
  cudaMemcpyAsync(work.device_left, work.left, bytes, cudaMemcpyHostToDevice, work.left_stream);
  sharpen<<<work.blocks, threads_per_block, 0, work.left_stream>>>(work.device_left, work.device_weights,
                                                                   work.device_sharp, work.elements,
                                                                   work.weight_count, work.cycles);
  cudaStreamSynchronize(work.left_stream);

  cudaMemcpyAsync(work.device_right, work.right, bytes, cudaMemcpyHostToDevice, work.right_stream);
  smoothen<<<work.blocks, threads_per_block, 0, work.right_stream>>>(work.device_right, work.device_weights,
                                                                     work.device_smooth, work.elements,
                                                                     work.weight_count, work.cycles);
  // end of TODO 1

  // TODO 2: an event in place of the wait: `blend` needs `smoothen`, and nothing else of the right stream
  // (about 4 lines)
  mirror<<<work.blocks, threads_per_block, 0, work.right_stream>>>(work.device_smooth, work.device_mirrored,
                                                                   work.elements, work.cycles);
  cudaMemcpyAsync(work.mirrored, work.device_mirrored, bytes, cudaMemcpyDeviceToHost, work.right_stream);
  cudaStreamSynchronize(work.right_stream);

  blend<<<work.blocks, threads_per_block, 0, work.left_stream>>>(
      work.device_sharp, work.device_smooth, work.device_blended, work.elements, work.cycles);
  // end of TODO 2

  cudaMemcpyAsync(work.blended, work.device_blended, bytes, cudaMemcpyDeviceToHost, work.left_stream);
  cudaDeviceSynchronize();

  // TODO 3: destroy the events that you have made (about 2 lines)
  // end of TODO 3
}

float milliseconds_of_smoothen(const pictures& work) {
  float milliseconds = 0;

  // TODO 4: measure one run with two events, after a run that is not measured (about 9 lines)
  smoothen<<<work.blocks, threads_per_block, 0, work.right_stream>>>(work.device_right, work.device_weights,
                                                                     work.device_smooth, work.elements,
                                                                     work.weight_count, work.cycles);
  cudaStreamSynchronize(work.right_stream);
  // end of TODO 4

  return milliseconds;
}

// fails: KernelIsMeasured
// where: 54 cause: wrong_time
// A few bytes are cleared between the two events: short beside the kernel, and no part of it.
#include "events.h"

void blend_pictures(const pictures& work) {
  const std::size_t bytes = static_cast<std::size_t>(work.elements) * sizeof(float);
  const std::size_t weight_bytes = static_cast<std::size_t>(work.weight_count) * sizeof(float);

  cudaMemcpyAsync(work.device_weights, work.weights, weight_bytes, cudaMemcpyHostToDevice, work.left_stream);

  cudaEvent_t weights_loaded;
  cudaEventCreateWithFlags(&weights_loaded, cudaEventDisableTiming);
  cudaEventRecord(weights_loaded, work.left_stream);

  cudaMemcpyAsync(work.device_left, work.left, bytes, cudaMemcpyHostToDevice, work.left_stream);
  sharpen<<<work.blocks, threads_per_block, 0, work.left_stream>>>(work.device_left, work.device_weights,
                                                                   work.device_sharp, work.elements,
                                                                   work.weight_count, work.cycles);

  cudaMemcpyAsync(work.device_right, work.right, bytes, cudaMemcpyHostToDevice, work.right_stream);
  cudaStreamWaitEvent(work.right_stream, weights_loaded, 0);
  smoothen<<<work.blocks, threads_per_block, 0, work.right_stream>>>(work.device_right, work.device_weights,
                                                                     work.device_smooth, work.elements,
                                                                     work.weight_count, work.cycles);

  cudaEvent_t smooth_ready;
  cudaEventCreateWithFlags(&smooth_ready, cudaEventDisableTiming);
  cudaEventRecord(smooth_ready, work.right_stream);

  mirror<<<work.blocks, threads_per_block, 0, work.right_stream>>>(work.device_smooth, work.device_mirrored,
                                                                   work.elements, work.cycles);
  cudaMemcpyAsync(work.mirrored, work.device_mirrored, bytes, cudaMemcpyDeviceToHost, work.right_stream);

  cudaStreamWaitEvent(work.left_stream, smooth_ready, 0);
  blend<<<work.blocks, threads_per_block, 0, work.left_stream>>>(
      work.device_sharp, work.device_smooth, work.device_blended, work.elements, work.cycles);

  cudaMemcpyAsync(work.blended, work.device_blended, bytes, cudaMemcpyDeviceToHost, work.left_stream);
  cudaDeviceSynchronize();

  cudaEventDestroy(weights_loaded);
  cudaEventDestroy(smooth_ready);
}

float milliseconds_of_smoothen(const pictures& work) {
  float milliseconds = 0;

  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  for (int run = 0; run < 2; ++run) {
    cudaEventRecord(begin, work.right_stream);
    cudaMemsetAsync(work.device_smooth, 0, sizeof(float), work.right_stream);
    smoothen<<<work.blocks, threads_per_block, 0, work.right_stream>>>(work.device_right, work.device_weights,
                                                                       work.device_smooth, work.elements,
                                                                       work.weight_count, work.cycles);
    cudaEventRecord(end, work.right_stream);
    cudaEventSynchronize(end);
  }
  cudaEventElapsedTime(&milliseconds, begin, end);
  cudaEventDestroy(begin);
  cudaEventDestroy(end);

  return milliseconds;
}

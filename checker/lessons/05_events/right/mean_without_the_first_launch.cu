// The mean of ten times, without the first.
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
  constexpr int runs = 10;
  cudaEvent_t marks[2];
  for (cudaEvent_t& mark : marks) cudaEventCreate(&mark);

  float sum = 0;
  for (int i = 0; i < runs; ++i) {
    float one = 0;
    cudaEventRecord(marks[0], work.right_stream);
    smoothen<<<work.blocks, threads_per_block, 0, work.right_stream>>>(work.device_right, work.device_weights,
                                                                       work.device_smooth, work.elements,
                                                                       work.weight_count, work.cycles);
    cudaEventRecord(marks[1], work.right_stream);
    cudaEventSynchronize(marks[1]);
    cudaEventElapsedTime(&one, marks[0], marks[1]);
    if (i > 0) sum += one;
  }
  for (cudaEvent_t mark : marks) cudaEventDestroy(mark);
  return sum / (runs - 1);
}

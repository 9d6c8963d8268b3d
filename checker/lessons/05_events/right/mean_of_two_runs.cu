// The time of one run is the mean of two.
#include "events.h"

static void run_smoothen(const pictures& work) {
  smoothen<<<work.blocks, threads_per_block, 0, work.right_stream>>>(work.device_right, work.device_weights, work.device_smooth, work.elements, work.weight_count, work.cycles);
}

void blend_pictures(const pictures& work) {
  const std::size_t bytes = static_cast<std::size_t>(work.elements) * sizeof(float);
  const std::size_t weight_bytes = static_cast<std::size_t>(work.weight_count) * sizeof(float);
  cudaEvent_t weights, smooth;
  cudaEventCreateWithFlags(&weights, cudaEventDisableTiming);
  cudaEventCreateWithFlags(&smooth, cudaEventDisableTiming);

  cudaMemcpyAsync(work.device_weights, work.weights, weight_bytes, cudaMemcpyHostToDevice, work.left_stream);
  cudaEventRecord(weights, work.left_stream);
  cudaMemcpyAsync(work.device_left, work.left, bytes, cudaMemcpyHostToDevice, work.left_stream);
  sharpen<<<work.blocks, threads_per_block, 0, work.left_stream>>>(work.device_left, work.device_weights, work.device_sharp, work.elements, work.weight_count, work.cycles);

  cudaMemcpyAsync(work.device_right, work.right, bytes, cudaMemcpyHostToDevice, work.right_stream);
  cudaStreamWaitEvent(work.right_stream, weights, 0);
  run_smoothen(work);
  cudaEventRecord(smooth, work.right_stream);
  mirror<<<work.blocks, threads_per_block, 0, work.right_stream>>>(work.device_smooth, work.device_mirrored, work.elements, work.cycles);
  cudaMemcpyAsync(work.mirrored, work.device_mirrored, bytes, cudaMemcpyDeviceToHost, work.right_stream);

  cudaStreamWaitEvent(work.left_stream, smooth, 0);
  blend<<<work.blocks, threads_per_block, 0, work.left_stream>>>(work.device_sharp, work.device_smooth, work.device_blended, work.elements, work.cycles);
  cudaMemcpyAsync(work.blended, work.device_blended, bytes, cudaMemcpyDeviceToHost, work.left_stream);
  cudaDeviceSynchronize();
  cudaEventDestroy(weights);
  cudaEventDestroy(smooth);
}

float milliseconds_of_smoothen(const pictures& work) {
  float milliseconds = 0;
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  run_smoothen(work);
  cudaEventRecord(begin, work.right_stream);
  run_smoothen(work);
  run_smoothen(work);
  cudaEventRecord(end, work.right_stream);
  cudaEventSynchronize(end);
  cudaEventElapsedTime(&milliseconds, begin, end);
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  return milliseconds / 2;
}

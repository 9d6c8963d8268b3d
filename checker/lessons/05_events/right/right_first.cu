// Right branch queued first, weights on the right stream.
#include "events.h"
void blend_pictures(const pictures& w) {
  const std::size_t bytes = w.elements * sizeof(float);
  cudaEvent_t weights, smooth;
  cudaEventCreateWithFlags(&weights, cudaEventDisableTiming);
  cudaEventCreateWithFlags(&smooth, cudaEventDisableTiming);
  cudaMemcpyAsync(w.device_weights, w.weights, w.weight_count * sizeof(float), cudaMemcpyHostToDevice, w.right_stream);
  cudaEventRecord(weights, w.right_stream);
  cudaMemcpyAsync(w.device_right, w.right, bytes, cudaMemcpyHostToDevice, w.right_stream);
  smoothen<<<w.blocks, threads_per_block, 0, w.right_stream>>>(w.device_right, w.device_weights, w.device_smooth, w.elements, w.weight_count, w.cycles);
  cudaEventRecord(smooth, w.right_stream);
  cudaMemcpyAsync(w.device_left, w.left, bytes, cudaMemcpyHostToDevice, w.left_stream);
  cudaStreamWaitEvent(w.left_stream, weights, cudaEventWaitDefault);
  sharpen<<<w.blocks, threads_per_block, 0, w.left_stream>>>(w.device_left, w.device_weights, w.device_sharp, w.elements, w.weight_count, w.cycles);
  cudaStreamWaitEvent(w.left_stream, smooth);
  blend<<<w.blocks, threads_per_block, 0, w.left_stream>>>(w.device_sharp, w.device_smooth, w.device_blended, w.elements, w.cycles);
  cudaMemcpyAsync(w.blended, w.device_blended, bytes, cudaMemcpyDeviceToHost, w.left_stream);
  mirror<<<w.blocks, threads_per_block, 0, w.right_stream>>>(w.device_smooth, w.device_mirrored, w.elements, w.cycles);
  cudaMemcpyAsync(w.mirrored, w.device_mirrored, bytes, cudaMemcpyDeviceToHost, w.right_stream);
  cudaEventDestroy(weights);
  cudaEventDestroy(smooth);
  cudaDeviceSynchronize();
}
float milliseconds_of_smoothen(const pictures& work) {
  float milliseconds = 0;
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  smoothen<<<work.blocks, threads_per_block, 0, work.right_stream>>>(work.device_right, work.device_weights, work.device_smooth, work.elements, work.weight_count, work.cycles);
  cudaEventRecord(begin, work.right_stream);
  smoothen<<<work.blocks, threads_per_block, 0, work.right_stream>>>(work.device_right, work.device_weights, work.device_smooth, work.elements, work.weight_count, work.cycles);//2
  cudaEventRecord(end, work.right_stream);
  cudaEventSynchronize(end);
  cudaEventElapsedTime(&milliseconds, begin, end);
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  return milliseconds;
}

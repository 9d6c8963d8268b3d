// The other way round: blend follows smoothen in the right stream, and mirror waits in the left one. The time
// is a mean.
#include "events.h"

void blend_pictures(const pictures& work) {
  const std::size_t bytes = work.elements * sizeof(float);
  const cudaStream_t left = work.left_stream;
  const cudaStream_t right = work.right_stream;
  cudaEvent_t loaded, sharp, smooth;
  for (cudaEvent_t* event : {&loaded, &sharp, &smooth}) cudaEventCreateWithFlags(event, cudaEventDisableTiming);

  cudaMemcpyAsync(work.device_weights, work.weights, work.weight_count * sizeof(float),
                  cudaMemcpyHostToDevice, left);
  cudaEventRecord(loaded, left);
  cudaStreamWaitEvent(right, loaded, 0);
  cudaMemcpyAsync(work.device_right, work.right, bytes, cudaMemcpyHostToDevice, right);
  cudaMemcpyAsync(work.device_left, work.left, bytes, cudaMemcpyHostToDevice, left);
  smoothen<<<work.blocks, threads_per_block, 0, right>>>(work.device_right, work.device_weights,
                                                         work.device_smooth, work.elements, work.weight_count,
                                                         work.cycles);
  cudaEventRecord(smooth, right);
  sharpen<<<work.blocks, threads_per_block, 0, left>>>(work.device_left, work.device_weights,
                                                       work.device_sharp, work.elements, work.weight_count,
                                                       work.cycles);
  cudaEventRecord(sharp, left);

  cudaStreamWaitEvent(left, smooth, 0);
  mirror<<<work.blocks, threads_per_block, 0, left>>>(work.device_smooth, work.device_mirrored, work.elements,
                                                      work.cycles);
  cudaStreamWaitEvent(right, sharp, 0);
  blend<<<work.blocks, threads_per_block, 0, right>>>(work.device_sharp, work.device_smooth,
                                                      work.device_blended, work.elements, work.cycles);
  cudaMemcpyAsync(work.blended, work.device_blended, bytes, cudaMemcpyDeviceToHost, right);
  cudaMemcpyAsync(work.mirrored, work.device_mirrored, bytes, cudaMemcpyDeviceToHost, left);
  cudaStreamSynchronize(left);
  cudaStreamSynchronize(right);
  for (cudaEvent_t event : {loaded, sharp, smooth}) cudaEventDestroy(event);
}

float milliseconds_of_smoothen(const pictures& work) {
  constexpr int runs = 10;
  const auto launch = [&] {
    smoothen<<<work.blocks, threads_per_block, 0, work.left_stream>>>(work.device_right, work.device_weights,
                                                                      work.device_smooth, work.elements,
                                                                      work.weight_count, work.cycles);
  };
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  launch();
  cudaEventRecord(begin, work.left_stream);
  for (int run = 0; run < runs; ++run) launch();
  cudaEventRecord(end, work.left_stream);
  cudaDeviceSynchronize();
  float milliseconds;
  cudaEventElapsedTime(&milliseconds, begin, end);
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  return milliseconds / runs;
}

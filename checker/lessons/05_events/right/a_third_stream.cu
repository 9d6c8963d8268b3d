// mirror in a stream of its own, one event reused, and the host waits for events only. The time is a median.
#include <algorithm>

#include "events.h"

void blend_pictures(const pictures& work) {
  const std::size_t bytes = work.elements * sizeof(float);
  cudaStream_t third;
  cudaStreamCreateWithFlags(&third, cudaStreamNonBlocking);
  cudaEvent_t ready, left_done, third_done;
  cudaEventCreateWithFlags(&ready, cudaEventDisableTiming);
  cudaEventCreateWithFlags(&left_done, cudaEventDisableTiming);
  cudaEventCreateWithFlags(&third_done, cudaEventDisableTiming);

  cudaMemcpyAsync(work.device_weights, work.weights, work.weight_count * sizeof(float),
                  cudaMemcpyHostToDevice, work.left_stream);
  cudaEventRecord(ready, work.left_stream);
  cudaMemcpyAsync(work.device_right, work.right, bytes, cudaMemcpyHostToDevice, work.right_stream);
  cudaStreamWaitEvent(work.right_stream, ready, 0);
  smoothen<<<work.blocks, threads_per_block, 0, work.right_stream>>>(work.device_right, work.device_weights,
                                                                     work.device_smooth, work.elements,
                                                                     work.weight_count, work.cycles);
  cudaEventRecord(ready, work.right_stream);

  cudaMemcpyAsync(work.device_left, work.left, bytes, cudaMemcpyHostToDevice, work.left_stream);
  sharpen<<<work.blocks, threads_per_block, 0, work.left_stream>>>(work.device_left, work.device_weights,
                                                                   work.device_sharp, work.elements,
                                                                   work.weight_count, work.cycles);
  cudaStreamWaitEvent(work.left_stream, ready, 0);
  blend<<<work.blocks, threads_per_block, 0, work.left_stream>>>(
      work.device_sharp, work.device_smooth, work.device_blended, work.elements, work.cycles);
  cudaMemcpyAsync(work.blended, work.device_blended, bytes, cudaMemcpyDeviceToHost, work.left_stream);
  cudaEventRecord(left_done, work.left_stream);

  cudaStreamWaitEvent(third, ready, 0);
  mirror<<<work.blocks, threads_per_block, 0, third>>>(work.device_smooth, work.device_mirrored,
                                                       work.elements, work.cycles);
  cudaMemcpyAsync(work.mirrored, work.device_mirrored, bytes, cudaMemcpyDeviceToHost, third);
  cudaEventRecord(third_done, third);

  cudaEventSynchronize(left_done);
  cudaEventSynchronize(third_done);
  cudaEventDestroy(ready);
  cudaEventDestroy(left_done);
  cudaEventDestroy(third_done);
  cudaStreamDestroy(third);
}

float milliseconds_of_smoothen(const pictures& work) {
  float measured[5];
  for (float& milliseconds : measured) {
    cudaEvent_t begin, end;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    cudaEventRecord(begin, work.right_stream);
    smoothen<<<work.blocks, threads_per_block, 0, work.right_stream>>>(work.device_right, work.device_weights,
                                                                       work.device_smooth, work.elements,
                                                                       work.weight_count, work.cycles);
    cudaEventRecord(end, work.right_stream);
    while (cudaEventQuery(end) == cudaErrorNotReady) {
    }
    cudaEventElapsedTime(&milliseconds, begin, end);
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
  }
  std::sort(measured, measured + 5);
  return measured[2];
}

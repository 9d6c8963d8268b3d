// fails: EveryEventIsDestroyed
// where: 53 cause: event_left_over
// The events of a static object are destroyed when the program ends.
#include "events.h"

static cudaEvent_t plain_event() {
  cudaEvent_t event = nullptr;
  cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
  return event;
}

static void run_smoothen(const pictures& work) {
  smoothen<<<work.blocks, threads_per_block, 0, work.right_stream>>>(work.device_right, work.device_weights,
                                                                     work.device_smooth, work.elements,
                                                                     work.weight_count, work.cycles);
}

void blend_pictures(const pictures& work) {
  const std::size_t bytes = static_cast<std::size_t>(work.elements) * sizeof(float);
  const std::size_t weight_bytes = static_cast<std::size_t>(work.weight_count) * sizeof(float);
  const cudaEvent_t weights_there = plain_event();
  const cudaEvent_t smooth_there = plain_event();

  cudaMemcpyAsync(work.device_weights, work.weights, weight_bytes, cudaMemcpyHostToDevice, work.left_stream);
  cudaEventRecord(weights_there, work.left_stream);
  cudaMemcpyAsync(work.device_left, work.left, bytes, cudaMemcpyHostToDevice, work.left_stream);
  sharpen<<<work.blocks, threads_per_block, 0, work.left_stream>>>(work.device_left, work.device_weights,
                                                                   work.device_sharp, work.elements,
                                                                   work.weight_count, work.cycles);

  cudaMemcpyAsync(work.device_right, work.right, bytes, cudaMemcpyHostToDevice, work.right_stream);
  cudaStreamWaitEvent(work.right_stream, weights_there, 0);
  run_smoothen(work);
  cudaEventRecord(smooth_there, work.right_stream);
  mirror<<<work.blocks, threads_per_block, 0, work.right_stream>>>(work.device_smooth, work.device_mirrored,
                                                                   work.elements, work.cycles);
  cudaMemcpyAsync(work.mirrored, work.device_mirrored, bytes, cudaMemcpyDeviceToHost, work.right_stream);

  cudaStreamWaitEvent(work.left_stream, smooth_there, 0);
  blend<<<work.blocks, threads_per_block, 0, work.left_stream>>>(
      work.device_sharp, work.device_smooth, work.device_blended, work.elements, work.cycles);
  cudaMemcpyAsync(work.blended, work.device_blended, bytes, cudaMemcpyDeviceToHost, work.left_stream);
  cudaDeviceSynchronize();

  cudaEventDestroy(weights_there);
  cudaEventDestroy(smooth_there);
}

float milliseconds_of_smoothen(const pictures& work) {
  float milliseconds = 0;
  struct stopwatch {
    cudaEvent_t marks[2];
    stopwatch() { for (cudaEvent_t& m : marks) cudaEventCreate(&m); }
    ~stopwatch() { cudaEventDestroy(marks[0]), cudaEventDestroy(marks[1]); }
  };
  static const stopwatch watch;
  const cudaEvent_t begin = watch.marks[0], end = watch.marks[1];
  run_smoothen(work);
  cudaEventRecord(begin, work.right_stream);
  run_smoothen(work);
  cudaEventRecord(end, work.right_stream);
  cudaEventSynchronize(end);
  cudaEventElapsedTime(&milliseconds, begin, end);
  return milliseconds;
}

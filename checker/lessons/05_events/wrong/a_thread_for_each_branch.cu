// fails: WorkIsOrdered
// where: 39 cause: never_recorded
// on a GPU: EveryElementIsRight, BranchesRunSideBySide, BlendWaitsForNothingElse
// Two threads queue the branches: whether a wait finds the record of the other thread is left to chance.
// Lesson 05: events. README.md explains the idea, events.h says what you are given.
#include <thread>

#include "events.h"

namespace {

struct hand_overs {
  cudaEvent_t weights;
  cudaEvent_t smooth;
};

void left_branch(const pictures* work, const hand_overs* events) {
  const std::size_t bytes = static_cast<std::size_t>(work->elements) * sizeof(float);
  const std::size_t weight_bytes = static_cast<std::size_t>(work->weight_count) * sizeof(float);
  const cudaStream_t stream = work->left_stream;

  cudaMemcpyAsync(work->device_weights, work->weights, weight_bytes, cudaMemcpyHostToDevice, stream);
  cudaEventRecord(events->weights, stream);
  cudaMemcpyAsync(work->device_left, work->left, bytes, cudaMemcpyHostToDevice, stream);
  sharpen<<<work->blocks, threads_per_block, 0, stream>>>(work->device_left, work->device_weights,
                                                          work->device_sharp, work->elements,
                                                          work->weight_count, work->cycles);
  cudaStreamWaitEvent(stream, events->smooth, 0);
  blend<<<work->blocks, threads_per_block, 0, stream>>>(work->device_sharp, work->device_smooth,
                                                        work->device_blended, work->elements, work->cycles);
  cudaMemcpyAsync(work->blended, work->device_blended, bytes, cudaMemcpyDeviceToHost, stream);
}

void right_branch(const pictures* work, const hand_overs* events) {
  const std::size_t bytes = static_cast<std::size_t>(work->elements) * sizeof(float);
  const cudaStream_t stream = work->right_stream;

  cudaMemcpyAsync(work->device_right, work->right, bytes, cudaMemcpyHostToDevice, stream);
  cudaStreamWaitEvent(stream, events->weights, 0);
  smoothen<<<work->blocks, threads_per_block, 0, stream>>>(work->device_right, work->device_weights,
                                                           work->device_smooth, work->elements,
                                                           work->weight_count, work->cycles);
  cudaEventRecord(events->smooth, stream);
  mirror<<<work->blocks, threads_per_block, 0, stream>>>(work->device_smooth, work->device_mirrored,
                                                         work->elements, work->cycles);
  cudaMemcpyAsync(work->mirrored, work->device_mirrored, bytes, cudaMemcpyDeviceToHost, stream);
}

}  // namespace

void blend_pictures(const pictures& work) {
  hand_overs events{};
  cudaEventCreateWithFlags(&events.weights, cudaEventDisableTiming);
  cudaEventCreateWithFlags(&events.smooth, cudaEventDisableTiming);

  std::thread left(left_branch, &work, &events);
  std::thread right(right_branch, &work, &events);
  left.join();
  right.join();

  cudaDeviceSynchronize();
  cudaEventDestroy(events.weights);
  cudaEventDestroy(events.smooth);
}

float milliseconds_of_smoothen(const pictures& work) {
  float milliseconds = 0;
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  smoothen<<<work.blocks, threads_per_block, 0, work.right_stream>>>(work.device_right, work.device_weights,
                                                                     work.device_smooth, work.elements,
                                                                     work.weight_count, work.cycles);
  cudaEventRecord(begin, work.right_stream);
  smoothen<<<work.blocks, threads_per_block, 0, work.right_stream>>>(work.device_right, work.device_weights,
                                                                     work.device_smooth, work.elements,
                                                                     work.weight_count, work.cycles);
  cudaEventRecord(end, work.right_stream);
  cudaStreamSynchronize(work.right_stream);
  cudaEventElapsedTime(&milliseconds, begin, end);
  cudaEventDestroy(end);
  cudaEventDestroy(begin);
  return milliseconds;
}

// Events in a class that destroys them, cudalaunchkernel, blend queued before mirror, the median of three measured runs in the left stream.
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "events.h"

namespace {

void require(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(status));
  std::abort();
}

class event {
 public:
  explicit event(unsigned flags) { require(cudaEventCreateWithFlags(&handle_, flags)); }
  ~event() { require(cudaEventDestroy(handle_)); }
  event(const event&) = delete;
  event& operator=(const event&) = delete;
  void record(cudaStream_t stream) { require(cudaEventRecord(handle_, stream)); }
  void hold_back(cudaStream_t stream) { require(cudaStreamWaitEvent(stream, handle_, 0)); }
  void wait() { require(cudaEventSynchronize(handle_)); }
  float milliseconds_since(const event& earlier) const {
    float milliseconds = 0;
    require(cudaEventElapsedTime(&milliseconds, earlier.handle_, handle_));
    return milliseconds;
  }

 private:
  cudaEvent_t handle_ = nullptr;
};

void launch_smoothen(const pictures& work, cudaStream_t stream) {
  const float* right = work.device_right;
  const float* weights = work.device_weights;
  float* smooth = work.device_smooth;
  int elements = work.elements;
  int weight_count = work.weight_count;
  long long cycles = work.cycles;
  void* arguments[] = {&right, &weights, &smooth, &elements, &weight_count, &cycles};
  require(cudaLaunchKernel(reinterpret_cast<const void*>(smoothen), dim3(work.blocks), dim3(threads_per_block),
                           arguments, 0, stream));
}

}  // namespace

void blend_pictures(const pictures& work) {
  const std::size_t bytes = static_cast<std::size_t>(work.elements) * sizeof(float);
  const std::size_t weight_bytes = static_cast<std::size_t>(work.weight_count) * sizeof(float);
  const cudaStream_t left = work.left_stream;
  const cudaStream_t right = work.right_stream;
  event weights_loaded(cudaEventDisableTiming);
  event smoothened(cudaEventDisableTiming);

  require(cudaMemcpyAsync(work.device_weights, work.weights, weight_bytes, cudaMemcpyDefault, left));
  weights_loaded.record(left);
  require(cudaMemcpyAsync(work.device_left, work.left, bytes, cudaMemcpyDefault, left));
  sharpen<<<work.blocks, threads_per_block, 0, left>>>(work.device_left, work.device_weights, work.device_sharp,
                                                       work.elements, work.weight_count, work.cycles);
  require(cudaGetLastError());

  require(cudaMemcpyAsync(work.device_right, work.right, bytes, cudaMemcpyDefault, right));
  weights_loaded.hold_back(right);
  launch_smoothen(work, right);
  smoothened.record(right);

  smoothened.hold_back(left);
  blend<<<work.blocks, threads_per_block, 0, left>>>(work.device_sharp, work.device_smooth, work.device_blended,
                                                     work.elements, work.cycles);
  require(cudaGetLastError());
  mirror<<<work.blocks, threads_per_block, 0, right>>>(work.device_smooth, work.device_mirrored, work.elements,
                                                       work.cycles);
  require(cudaGetLastError());
  require(cudaMemcpyAsync(work.blended, work.device_blended, bytes, cudaMemcpyDefault, left));
  require(cudaMemcpyAsync(work.mirrored, work.device_mirrored, bytes, cudaMemcpyDefault, right));

  require(cudaStreamSynchronize(left));
  require(cudaStreamSynchronize(right));
}

float milliseconds_of_smoothen(const pictures& work) {
  event begin(cudaEventDefault);
  event end(cudaEventDefault);
  float runs[3] = {};
  launch_smoothen(work, work.left_stream);
  for (float& run : runs) {
    begin.record(work.left_stream);
    launch_smoothen(work, work.left_stream);
    end.record(work.left_stream);
    end.wait();
    run = end.milliseconds_since(begin);
  }
  std::sort(runs, runs + 3);
  return runs[1];
}

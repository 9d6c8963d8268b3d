// fails: EveryElementIsRight
// where: 12 cause: failed_call
// on a GPU: verdict:crashed
// The parameter is a copy of the object, and its destructor destroys the event as well.
#include "events.h"

namespace {

class event {
 public:
  explicit event(unsigned flags) { cudaEventCreateWithFlags(&handle_, flags); }
  ~event() { cudaEventDestroy(handle_); }

  void record(cudaStream_t stream) const { cudaEventRecord(handle_, stream); }
  cudaEvent_t handle() const { return handle_; }

 private:
  cudaEvent_t handle_ = nullptr;
};

void hold_back(cudaStream_t stream, event until) { cudaStreamWaitEvent(stream, until.handle(), 0); }

float between(const event& begin, const event& end) {
  float milliseconds = 0;
  cudaEventSynchronize(end.handle());
  cudaEventElapsedTime(&milliseconds, begin.handle(), end.handle());
  return milliseconds;
}

void queue_smoothen(const pictures& work) {
  smoothen<<<work.blocks, threads_per_block, 0, work.right_stream>>>(work.device_right, work.device_weights,
                                                                     work.device_smooth, work.elements,
                                                                     work.weight_count, work.cycles);
}

}  // namespace

void blend_pictures(const pictures& work) {
  const std::size_t bytes = static_cast<std::size_t>(work.elements) * sizeof(float);
  const std::size_t weight_bytes = static_cast<std::size_t>(work.weight_count) * sizeof(float);
  const event weights_loaded(cudaEventDisableTiming);
  const event smoothened(cudaEventDisableTiming);

  cudaMemcpyAsync(work.device_weights, work.weights, weight_bytes, cudaMemcpyHostToDevice, work.left_stream);
  weights_loaded.record(work.left_stream);
  cudaMemcpyAsync(work.device_left, work.left, bytes, cudaMemcpyHostToDevice, work.left_stream);
  sharpen<<<work.blocks, threads_per_block, 0, work.left_stream>>>(work.device_left, work.device_weights,
                                                                   work.device_sharp, work.elements,
                                                                   work.weight_count, work.cycles);

  cudaMemcpyAsync(work.device_right, work.right, bytes, cudaMemcpyHostToDevice, work.right_stream);
  hold_back(work.right_stream, weights_loaded);
  queue_smoothen(work);
  smoothened.record(work.right_stream);
  mirror<<<work.blocks, threads_per_block, 0, work.right_stream>>>(work.device_smooth, work.device_mirrored,
                                                                   work.elements, work.cycles);
  cudaMemcpyAsync(work.mirrored, work.device_mirrored, bytes, cudaMemcpyDeviceToHost, work.right_stream);

  hold_back(work.left_stream, smoothened);
  blend<<<work.blocks, threads_per_block, 0, work.left_stream>>>(
      work.device_sharp, work.device_smooth, work.device_blended, work.elements, work.cycles);
  cudaMemcpyAsync(work.blended, work.device_blended, bytes, cudaMemcpyDeviceToHost, work.left_stream);
  cudaDeviceSynchronize();
}

float milliseconds_of_smoothen(const pictures& work) {
  const event begin(cudaEventDefault);
  const event end(cudaEventDefault);
  queue_smoothen(work);
  begin.record(work.right_stream);
  queue_smoothen(work);
  end.record(work.right_stream);
  return between(begin, end);
}

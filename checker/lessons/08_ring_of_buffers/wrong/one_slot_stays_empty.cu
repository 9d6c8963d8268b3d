// fails: HostWaitsForSlotsOnly also: KernelsNeverPause
// where: 35 cause: needless_wait
// The ring counts as full when one of its slots is still free.
#include "ring_of_buffers.h"

#include <algorithm>

/// First in, first out: steps are put in at the front and taken out at the back.
class conveyor {
 public:
  explicit conveyor(const ring& work)
      : work_(work),
        bytes_(static_cast<std::size_t>(work.elements) * sizeof(float)),
        room_(std::max(1, work.slot_count - 1)) {}

  bool full() const { return front_ - back_ == room_; }
  bool empty() const { return front_ == back_; }

  void put() {
    const int step = front_++;
    const slot& s = at(step);
    work_.load(step, s.input);
    cudaMemcpyAsync(s.device_input, s.input, bytes_, cudaMemcpyHostToDevice, work_.upload);
    follow(work_.upload, work_.compute, s.event);
    transform<<<work_.blocks, threads_per_block, 0, work_.compute>>>(s.device_input, s.device_output,
                                                                     work_.elements, work_.cycles[step]);
    follow(work_.compute, work_.download, s.event);
    cudaMemcpyAsync(s.output, s.device_output, bytes_, cudaMemcpyDeviceToHost, work_.download);
    cudaEventRecord(s.event, work_.download);
  }

  void take() {
    const int step = back_++;
    const slot& s = at(step);
    cudaEventSynchronize(s.event);
    work_.store(step, s.output);
  }

 private:
  const slot& at(int step) const { return work_.slots[step % work_.slot_count]; }

  static void follow(cudaStream_t first, cudaStream_t second, cudaEvent_t event) {
    cudaEventRecord(event, first);
    cudaStreamWaitEvent(second, event, 0);
  }

  const ring& work_;
  const std::size_t bytes_;
  const int room_;
  int front_ = 0;
  int back_ = 0;
};

void process_steps(const ring& work) {
  conveyor belt(work);
  for (int step = 0; step < work.steps; ++step) {
    if (belt.full()) belt.take();
    belt.put();
  }
  while (!belt.empty()) belt.take();
}

// fails: BothOrdersAreQueued
// where: 35 cause: plan_not_followed
// Three streams, one for each step, and events between them instead of stream order.
#include "multi_stream.h"

plan make_plan(int device) {
  int copy_engines = 0;
  cudaDeviceGetAttribute(&copy_engines, cudaDevAttrAsyncEngineCount, device);
  return {copy_engines, 8, 3, issue_order::depth_first};
}

namespace {

void follow(cudaStream_t second, cudaStream_t first) {
  cudaEvent_t reached;
  cudaEventCreateWithFlags(&reached, cudaEventDisableTiming);
  cudaEventRecord(reached, first);
  cudaStreamWaitEvent(second, reached, 0);
  cudaEventDestroy(reached);
}

struct steps {
  const vectors& work;
  int length;
  cudaStream_t in, compute, out;

  int elements(int first) const { return work.elements - first < length ? work.elements - first : length; }
  void copy_in(int first) const {
    const std::size_t bytes = elements(first) * sizeof(float);
    cudaMemcpyAsync(work.device_left + first, work.left + first, bytes, cudaMemcpyHostToDevice, in);
    cudaMemcpyAsync(work.device_right + first, work.right + first, bytes, cudaMemcpyHostToDevice, in);
    follow(compute, in);
  }
  void launch(int first) const {
    add<<<blocks, threads_per_block, 0, compute>>>(work.device_left + first, work.device_right + first,
                                                   work.device_sum + first, first, elements(first),
                                                   work.cycles);
    follow(out, compute);
  }
  void copy_out(int first) const {
    const std::size_t bytes = elements(first) * sizeof(float);
    cudaMemcpyAsync(work.sum + first, work.device_sum + first, bytes, cudaMemcpyDeviceToHost, out);
  }
};

}  // namespace

void add_in_chunks(const vectors& work, const plan& chosen) {
  const int length = work.elements / chosen.chunks + 1;
  const steps all{work, length, work.streams[0], work.streams[1], work.streams[2]};
  if (chosen.order == issue_order::depth_first) {
    for (int first = 0; first < work.elements; first += length) {
      all.copy_in(first);
      all.launch(first);
      all.copy_out(first);
    }
  } else {
    for (int first = 0; first < work.elements; first += length) all.copy_in(first);
    for (int first = 0; first < work.elements; first += length) all.launch(first);
    for (int first = 0; first < work.elements; first += length) all.copy_out(first);
  }
  cudaStreamSynchronize(all.out);
}

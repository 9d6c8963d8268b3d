// fails: SharedMemoryIsOrdered also: EveryBatchIsRight
// where: 46 cause: host_code_unordered
// on a GPU: ThreadsDoNotWaitForEachOther
// The mutex is a member, and each thread makes an object of its own.
// Lesson 12: host threads. README.md explains the idea, host_threads.h says what you are given.
#include "host_threads.h"

#include <mutex>
#include <thread>
#include <vector>

namespace {

/// What one thread does: its share of the batches, with its own memory.
class batch_taker {
 public:
  batch_taker(const batch_list& work, int number)
      : work_(work), mine_(work.workers[number]), number_(number),
        bytes_(static_cast<std::size_t>(work.elements) * sizeof(float)) {}

  cudaError_t take_all() {
    for (int batch = number_; batch < work_.batches; batch += work_.worker_count) {
      bring_in(batch);
      transform<<<work_.blocks, work_.threads>>>(mine_.device_input, mine_.device_output, work_.elements,
                                                 work_.cycles);
      const cudaError_t error = cudaGetLastError();
      if (error != cudaSuccess) return error;
      cudaMemcpy(mine_.output, mine_.device_output, bytes_, cudaMemcpyDeviceToHost);
      work_.store(batch, mine_.output);
    }
    return cudaSuccess;
  }

 private:
  void bring_in(int batch) {
    const std::lock_guard<std::mutex> guard(staging_mutex_);
    work_.load(batch, work_.staging);
    cudaMemcpy(mine_.device_input, work_.staging, bytes_, cudaMemcpyHostToDevice);
    cudaStreamSynchronize(nullptr);
  }

  const batch_list& work_;
  const worker& mine_;
  const int number_;
  const std::size_t bytes_;
  std::mutex staging_mutex_;  // for work.staging
};

}  // namespace

cudaError_t process_batches(const batch_list& work) {
  cudaError_t results[max_workers] = {};
  std::vector<std::thread> threads;
  for (int i = 0; i < work.worker_count; ++i) {
    threads.emplace_back([&work, &results, i] {
      batch_taker taker(work, i);
      results[i] = taker.take_all();
    });
  }
  for (auto& thread : threads) thread.join();
  for (int i = 0; i < work.worker_count; ++i)
    if (results[i] != cudaSuccess) return results[i];
  return cudaSuccess;
}

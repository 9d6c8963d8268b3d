// fails: EveryBatchIsRight also: LaunchErrorsAreReported, ThreadsDoNotWaitForEachOther
// where: 21 cause: host_task_miscounted
// The counter of batches is kept from call to call, so that a later call does nothing.
#include "host_threads.h"

#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

static std::mutex staging_mutex;  // for work.staging

static cudaError_t take_batches(const batch_list& work, const worker& mine, int first, int stride) {
  const std::size_t bytes = static_cast<std::size_t>(work.elements) * sizeof(float);

  static std::atomic<int> next{0};
  (void)first; (void)stride;
  for (int batch = next++; batch < work.batches; batch = next++) {
    {
      std::lock_guard<std::mutex> lock(staging_mutex);
      work.load(batch, work.staging);
      cudaMemcpyAsync(mine.device_input, work.staging, bytes, cudaMemcpyHostToDevice, nullptr);
      cudaStreamSynchronize(nullptr);
    }

    transform<<<work.blocks, work.threads>>>(mine.device_input, mine.device_output, work.elements, work.cycles);
    const cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess) return error;

    cudaMemcpyAsync(mine.output, mine.device_output, bytes, cudaMemcpyDeviceToHost, nullptr);
    cudaStreamSynchronize(nullptr);

    work.store(batch, mine.output);
  }
  return cudaSuccess;
}

cudaError_t process_batches(const batch_list& work) {
  cudaError_t errors[max_workers] = {};
  std::vector<std::thread> threads;
  for (int index = 0; index < work.worker_count; ++index) {
    threads.emplace_back([&work, &errors, index] {
      errors[index] = take_batches(work, work.workers[index], index, work.worker_count);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (cudaError_t error : errors) {
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

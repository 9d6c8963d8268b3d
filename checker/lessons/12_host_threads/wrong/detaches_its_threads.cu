// fails: EveryBatchIsRight also: SharedMemoryIsOrdered LaunchErrorsAreReported ThreadsDoNotWaitForEachOther verdict:crashed
// where: 48 cause: host_task_miscounted
// Nothing waits for the threads, which still work when the function has returned.
#include "host_threads.h"

#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

static std::mutex staging_mutex;  // for work.staging

/// Takes batch `first` and every `stride`th after it through the device, with the memory of one worker.
static cudaError_t take_batches(const batch_list& work, const worker& mine, int first, int stride) {
  const std::size_t bytes = static_cast<std::size_t>(work.elements) * sizeof(float);

  for (int batch = first; batch < work.batches; batch += stride) {
    {
      const std::lock_guard<std::mutex> lock(staging_mutex);
      work.load(batch, work.staging);
      cudaMemcpy(mine.device_input, work.staging, bytes, cudaMemcpyHostToDevice);
    }

    transform<<<work.blocks, work.threads>>>(mine.device_input, mine.device_output, work.elements, work.cycles);
    cudaMemcpyAsync(mine.output, mine.device_output, bytes, cudaMemcpyDeviceToHost);
    cudaStreamSynchronize(nullptr);

    const cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess) return error;

    work.store(batch, mine.output);
  }
  return cudaSuccess;
}

static std::atomic<cudaError_t> first_error;

cudaError_t process_batches(const batch_list& work) {
  first_error = cudaSuccess;
  std::vector<std::thread> threads;
  for (int index = 0; index < work.worker_count; ++index) {
    // By value: what the caller gave is gone when the threads still work.
    threads.emplace_back([work, index] {
      const cudaError_t error = take_batches(work, work.workers[index], index, work.worker_count);
      if (error != cudaSuccess) first_error = error;
    });
  }
  for (std::thread& thread : threads) thread.detach();
  return first_error;
}

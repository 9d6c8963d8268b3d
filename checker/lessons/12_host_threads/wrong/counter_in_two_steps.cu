// fails: EveryBatchIsRight also: SharedMemoryIsOrdered
// where: 22 cause: host_task_miscounted
// Two threads can read the counter before one of them counts on.
#include "host_threads.h"

#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

static std::mutex staging_mutex;  // for work.staging

/// Takes batches through the device until none is left, with the memory of one worker.
static cudaError_t take_batches(const batch_list& work, const worker& mine, std::atomic<int>& next) {
  const std::size_t bytes = static_cast<std::size_t>(work.elements) * sizeof(float);

  while (next < work.batches) {
    const int batch = next;
    ++next;
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

cudaError_t process_batches(const batch_list& work) {
  std::vector<cudaError_t> errors(static_cast<std::size_t>(work.worker_count), cudaSuccess);
  std::atomic<int> next{0};
  std::vector<std::thread> threads;
  for (int index = 0; index < work.worker_count; ++index) {
    threads.emplace_back([&work, &next, &error = errors[static_cast<std::size_t>(index)], index] {
      error = take_batches(work, work.workers[index], next);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const cudaError_t error : errors) {
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

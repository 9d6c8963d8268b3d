// fails: SharedMemoryIsOrdered also: EveryBatchIsRight
// where: 21 cause: buffer_reused
// Batches go to the thread that is free, and the memory goes with the batch: another thread may still use it.
// Lesson 12: host threads. README.md explains the idea, host_threads.h says what you are given.
#include "host_threads.h"

#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

static std::mutex staging_mutex;  // for work.staging

/// Takes one batch through the device.
static cudaError_t take_batch(const batch_list& work, int batch) {
  const worker& memory = work.workers[batch % work.worker_count];
  const std::size_t bytes = static_cast<std::size_t>(work.elements) * sizeof(float);

  std::unique_lock<std::mutex> lock(staging_mutex);
  work.load(batch, work.staging);
  cudaMemcpy(memory.device_input, work.staging, bytes, cudaMemcpyHostToDevice);
  lock.unlock();

  transform<<<work.blocks, work.threads>>>(memory.device_input, memory.device_output, work.elements, work.cycles);
  const cudaError_t error = cudaGetLastError();
  if (error == cudaSuccess) {
    cudaMemcpy(memory.output, memory.device_output, bytes, cudaMemcpyDeviceToHost);
    work.store(batch, memory.output);
  }
  return error;
}

cudaError_t process_batches(const batch_list& work) {
  std::atomic<int> next{work.worker_count};  // whoever is done takes the next batch; the first one is its own
  std::vector<cudaError_t> errors(work.worker_count, cudaSuccess);

  const auto body = [&](int me) {
    for (int batch = me; batch < work.batches; batch = next.fetch_add(1)) {
      errors[me] = take_batch(work, batch);
      if (errors[me] != cudaSuccess) return;
    }
  };

  std::vector<std::thread> threads;
  for (int me = 0; me < work.worker_count; ++me) threads.emplace_back(body, me);
  for (std::thread& thread : threads) thread.join();

  for (const cudaError_t error : errors) {
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

// fails: SharedMemoryIsOrdered also: EveryBatchIsRight
// where: 19 cause: source_overwritten
// The wait for the copy is there, and the mutex is released one line before it.
#include <cstddef>
#include <mutex>
#include <thread>
#include <vector>

#include "host_threads.h"

static std::mutex loading;

static cudaError_t take_batches(const batch_list& work, const worker& mine, int first, int stride) {
  const std::size_t bytes = static_cast<std::size_t>(work.elements) * sizeof(float);
  cudaError_t error = cudaSuccess;

  for (int batch = first; batch < work.batches && error == cudaSuccess; batch += stride) {
    std::unique_lock<std::mutex> lock(loading);
    work.load(batch, work.staging);
    cudaMemcpyAsync(mine.device_input, work.staging, bytes, cudaMemcpyHostToDevice);
    lock.unlock();
    cudaStreamSynchronize(nullptr);

    transform<<<work.blocks, work.threads>>>(mine.device_input, mine.device_output, work.elements,
                                             work.cycles);
    error = cudaGetLastError();
    cudaMemcpyAsync(mine.output, mine.device_output, bytes, cudaMemcpyDeviceToHost);
    cudaStreamSynchronize(nullptr);
    if (error == cudaSuccess) work.store(batch, mine.output);
  }
  return error;
}

cudaError_t process_batches(const batch_list& work) {
  std::vector<std::thread> threads;
  std::vector<cudaError_t> errors(static_cast<std::size_t>(work.worker_count), cudaSuccess);
  for (int index = 0; index < work.worker_count; ++index) {
    threads.emplace_back([&, index] {
      errors[static_cast<std::size_t>(index)] =
          take_batches(work, work.workers[index], index, work.worker_count);
    });
  }
  for (std::thread& one : threads) one.join();
  for (const cudaError_t error : errors) {
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

// fails: SharedMemoryIsOrdered
// where: 40 cause: host_code_unordered
// All threads write one variable without a lock.
#include "host_threads.h"

#include <mutex>
#include <thread>
#include <vector>

static std::mutex staging_mutex;  // for work.staging

static cudaError_t take_batches(const batch_list& work, const worker& mine, int first, int stride) {
  const std::size_t bytes = static_cast<std::size_t>(work.elements) * sizeof(float);

  for (int batch = first; batch < work.batches; batch += stride) {
    {
      const std::lock_guard<std::mutex> lock(staging_mutex);
      work.load(batch, work.staging);
      cudaMemcpyAsync(mine.device_input, work.staging, bytes, cudaMemcpyHostToDevice);
      cudaStreamSynchronize(nullptr);
    }

    transform<<<work.blocks, work.threads>>>(mine.device_input, mine.device_output, work.elements, work.cycles);
    const cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess) return error;
    cudaMemcpyAsync(mine.output, mine.device_output, bytes, cudaMemcpyDeviceToHost);
    cudaStreamSynchronize(nullptr);

    work.store(batch, mine.output);
  }
  return cudaSuccess;
}

cudaError_t process_batches(const batch_list& work) {
  cudaError_t failed = cudaSuccess;
  std::vector<std::thread> threads;
  for (int i = 0; i < work.worker_count; ++i) {
    threads.emplace_back([&, i] { 
      const cudaError_t mine = take_batches(work, work.workers[i], i, work.worker_count);
      if (mine != cudaSuccess) failed = mine;
    });
  }
  for (std::thread& each : threads) each.join();
  return failed;
}

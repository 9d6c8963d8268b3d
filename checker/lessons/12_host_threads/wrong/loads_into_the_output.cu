// fails: EveryBatchIsRight also: SharedMemoryIsOrdered
// where: 16 cause: wrong_argument
// Each thread loads into memory of its own, and needs no lock.
#include "host_threads.h"

#include <mutex>
#include <thread>
#include <vector>

static std::mutex staging_mutex;  // for work.staging

static cudaError_t take_batches(const batch_list& work, const worker& mine, int first, int stride) {
  const std::size_t bytes = static_cast<std::size_t>(work.elements) * sizeof(float);

  for (int batch = first; batch < work.batches; batch += stride) {
    work.load(batch, mine.output);
    cudaMemcpyAsync(mine.device_input, mine.output, bytes, cudaMemcpyHostToDevice, nullptr);

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

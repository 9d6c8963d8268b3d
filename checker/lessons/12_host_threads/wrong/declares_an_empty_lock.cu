// fails: SharedMemoryIsOrdered also: EveryBatchIsRight
// where: 19 cause: host_code_unordered
// The line declares an empty lock called as the mutex, and locks nothing.
#include <mutex>
#include <thread>
#include <vector>

#include "host_threads.h"

static std::mutex staging_mutex;  // for work.staging

/// Takes batch `first` and every `stride`th after it through the device, with the memory of one worker.
static cudaError_t take_batches(const batch_list& work, const worker& mine, int first, int stride) {
  const std::size_t bytes = static_cast<std::size_t>(work.elements) * sizeof(float);

  for (int batch = first; batch < work.batches; batch += stride) {
    {
      // until the end of this block
      std::unique_lock<std::mutex>(staging_mutex);
      work.load(batch, work.staging);
      cudaMemcpyAsync(mine.device_input, work.staging, bytes, cudaMemcpyHostToDevice, cudaStreamPerThread);
      cudaStreamSynchronize(cudaStreamPerThread);
    }

    transform<<<work.blocks, work.threads, 0, cudaStreamPerThread>>>(mine.device_input, mine.device_output,
                                                                     work.elements, work.cycles);
    const cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess) return error;
    cudaMemcpyAsync(mine.output, mine.device_output, bytes, cudaMemcpyDeviceToHost, cudaStreamPerThread);
    cudaStreamSynchronize(cudaStreamPerThread);

    work.store(batch, mine.output);
  }
  return cudaSuccess;
}

cudaError_t process_batches(const batch_list& work) {
  std::vector<cudaError_t> errors(static_cast<std::size_t>(work.worker_count), cudaSuccess);
  std::vector<std::thread> threads;
  for (int index = 0; index < work.worker_count; ++index) {
    threads.emplace_back([&work, &errors, index] {
      errors[index] = take_batches(work, work.workers[index], index, work.worker_count);
    });
  }
  for (std::thread& one : threads) one.join();
  for (const cudaError_t error : errors) {
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

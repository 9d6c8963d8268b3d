// fails: EveryBatchIsRight
// where: 25 cause: wrong_argument
// on a GPU: EveryBatchIsRight
// The kernel writes into the pinned output itself: nothing is copied back.
// Which memory a kernel uses is not recorded on a GPU.
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

    transform<<<work.blocks, work.threads>>>(mine.device_input, mine.output, work.elements, work.cycles);
    const cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess) return error;
    cudaStreamSynchronize(nullptr);

    work.store(batch, mine.output);
  }
  return cudaSuccess;
}

cudaError_t process_batches(const batch_list& work) {
  std::vector<std::thread> threads;
  std::vector<cudaError_t> errors(static_cast<std::size_t>(work.worker_count), cudaSuccess);
  for (int index = 0; index < work.worker_count; ++index) {
    threads.emplace_back([&work, &errors, index] {
      errors[static_cast<std::size_t>(index)] = take_batches(work, work.workers[index], index, work.worker_count);
    });
  }
  for (std::thread& one : threads) one.join();
  for (cudaError_t error : errors)
    if (error != cudaSuccess) return error;
  return cudaSuccess;
}

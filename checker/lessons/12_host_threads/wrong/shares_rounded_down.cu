// fails: EveryBatchIsRight also: LaunchErrorsAreReported
// where: 33 cause: host_task_miscounted
// Each thread takes an equal share of the batches, rounded down: the last batches are nobody's.
#include "host_threads.h"

#include <mutex>
#include <thread>
#include <vector>

static std::mutex staging_mutex;  // for work.staging

static cudaError_t take_batches(const batch_list& work, const worker& mine, int first, int end) {
  const std::size_t bytes = static_cast<std::size_t>(work.elements) * sizeof(float);
  cudaError_t error = cudaSuccess;
  for (int batch = first; batch < end; ++batch) {
    {
      const std::lock_guard<std::mutex> lock(staging_mutex);
      work.load(batch, work.staging);
      cudaMemcpy(mine.device_input, work.staging, bytes, cudaMemcpyHostToDevice);
    }
    transform<<<work.blocks, work.threads>>>(mine.device_input, mine.device_output, work.elements, work.cycles);
    const cudaError_t launched = cudaGetLastError();
    if (launched != cudaSuccess) {
      error = launched;
      continue;
    }
    cudaMemcpy(mine.output, mine.device_output, bytes, cudaMemcpyDeviceToHost);
    work.store(batch, mine.output);
  }
  return error;
}

static int batches_of_each(const batch_list& work) { return work.batches / work.worker_count; }

cudaError_t process_batches(const batch_list& work) {
  std::vector<cudaError_t> errors(static_cast<std::size_t>(work.worker_count), cudaSuccess);
  std::vector<std::thread> threads;
  const int share = batches_of_each(work);
  for (int index = 0; index < work.worker_count; ++index) {
    threads.emplace_back([&work, &error = errors[static_cast<std::size_t>(index)], index, share] {
      error = take_batches(work, work.workers[index], index * share, (index + 1) * share);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const cudaError_t error : errors) {
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

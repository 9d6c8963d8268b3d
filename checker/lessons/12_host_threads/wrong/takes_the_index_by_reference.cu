// fails: SharedMemoryIsOrdered also: EveryBatchIsRight verdict:crashed
// where: 36 cause: host_code_unordered
// The threads read the number of the worker while the loop counts it up.
#include "host_threads.h"

#include <mutex>
#include <thread>
#include <vector>

static std::mutex staging_mutex;

static cudaError_t take_batches(const batch_list& work, const worker& mine, int first, int stride) {
  const std::size_t bytes = static_cast<std::size_t>(work.elements) * sizeof(float);
  for (int batch = first; batch < work.batches; batch += stride) {
    {
      const std::lock_guard<std::mutex> lock(staging_mutex);
      work.load(batch, work.staging);
      cudaMemcpyAsync(mine.device_input, work.staging, bytes, cudaMemcpyHostToDevice, cudaStreamPerThread);
      cudaStreamSynchronize(cudaStreamPerThread);
    }
    transform<<<work.blocks, work.threads, 0, cudaStreamPerThread>>>(mine.device_input, mine.device_output,
                                                                     work.elements, work.cycles);
    const cudaError_t launched = cudaGetLastError();
    if (launched != cudaSuccess) return launched;
    cudaMemcpyAsync(mine.output, mine.device_output, bytes, cudaMemcpyDeviceToHost, cudaStreamPerThread);
    cudaStreamSynchronize(cudaStreamPerThread);
    work.store(batch, mine.output);
  }
  return cudaSuccess;
}

cudaError_t process_batches(const batch_list& work) {
  std::vector<std::thread> threads;
  std::vector<cudaError_t> errors(work.worker_count, cudaSuccess);
  for (int w = 0; w < work.worker_count; ++w)
    threads.emplace_back([&] { errors[w] = take_batches(work, work.workers[w], w, work.worker_count); });
  for (std::thread& t : threads) t.join();
  for (const cudaError_t e : errors)
    if (e != cudaSuccess) return e;
  return cudaSuccess;
}

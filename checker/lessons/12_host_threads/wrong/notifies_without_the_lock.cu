// fails: verdict:timeout
// where: 25
// Between the question of a thread and its wait, another one can notify: then nobody wakes it.
#include "host_threads.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

static std::mutex staging_mutex;
static std::condition_variable staging_is_free;
static std::atomic<bool> is_taken{false};

/// Takes batch `first` and every `stride`th after it through the device, with the memory of one worker.
static cudaError_t take_batches(const batch_list& work, const worker& mine, int first, int stride) {
  const std::size_t bytes = static_cast<std::size_t>(work.elements) * sizeof(float);

  for (int batch = first; batch < work.batches; batch += stride) {
    // TODO 1, done: cudaMemcpy returns when the copy is done. It is queued in the stream of this thread, so it waits for
    // nothing of the others.
    {
      std::unique_lock<std::mutex> lock(staging_mutex);
      staging_is_free.wait(lock, [] { return !is_taken; });
      is_taken = true;
    }
    work.load(batch, work.staging);
    cudaMemcpy(mine.device_input, work.staging, bytes, cudaMemcpyHostToDevice);
    is_taken = false;
    staging_is_free.notify_one();
    // end of TODO 1

    // TODO 2, done: stream 0 is the stream of this thread, for the launch, for the copy and for the wait.
    transform<<<work.blocks, work.threads>>>(mine.device_input, mine.device_output, work.elements, work.cycles);
    cudaMemcpyAsync(mine.output, mine.device_output, bytes, cudaMemcpyDeviceToHost);
    cudaStreamSynchronize(nullptr);
    // end of TODO 2

    // TODO 3, done: each thread has a last error of its own; nobody else can ask for this one.
    const cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess) return error;
    // end of TODO 3

    work.store(batch, mine.output);
  }
  return cudaSuccess;
}

cudaError_t process_batches(const batch_list& work) {
  // TODO 4, done: each thread writes its own error, and the join orders that before it is read.
  std::vector<cudaError_t> errors(static_cast<std::size_t>(work.worker_count), cudaSuccess);
  std::vector<std::thread> threads;
  for (int index = 0; index < work.worker_count; ++index) {
    threads.emplace_back([&work, &error = errors[static_cast<std::size_t>(index)], index] {
      error = take_batches(work, work.workers[index], index, work.worker_count);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const cudaError_t error : errors) {
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
  // end of TODO 4
}

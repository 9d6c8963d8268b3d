// The lock is a spin lock of pthreads.
#include "host_threads.h"

#include <pthread.h>

#include <thread>
#include <vector>

/// For work.staging.
static pthread_spinlock_t staging_lock = [] {
  pthread_spinlock_t made;
  pthread_spin_init(&made, PTHREAD_PROCESS_PRIVATE);
  return made;
}();

/// Takes batch `first` and every `stride`th after it through the device, with the memory of one worker.
static cudaError_t take_batches(const batch_list& work, const worker& mine, int first, int stride) {
  const std::size_t bytes = static_cast<std::size_t>(work.elements) * sizeof(float);

  for (int batch = first; batch < work.batches; batch += stride) {
    pthread_spin_lock(&staging_lock);
    work.load(batch, work.staging);
    cudaMemcpy(mine.device_input, work.staging, bytes, cudaMemcpyHostToDevice);
    pthread_spin_unlock(&staging_lock);

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
}

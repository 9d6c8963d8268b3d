// A second thread waits for each slot and stores it; the first one loads and queues.
#include <condition_variable>
#include <mutex>
#include <thread>

#include "ring_of_buffers.h"

void process_steps(const ring& work) {
  const std::size_t bytes = static_cast<std::size_t>(work.elements) * sizeof(float);

  std::mutex mutex;
  std::condition_variable changed;
  int queued = 0;
  int stored = 0;
  std::thread storing([&] {
    for (int step = 0; step < work.steps; ++step) {
      {
        std::unique_lock<std::mutex> lock(mutex);
        changed.wait(lock, [&] { return queued > step; });
      }
      cudaEventSynchronize(work.slots[step % work.slot_count].event);
      work.store(step, work.slots[step % work.slot_count].output);
      const std::lock_guard<std::mutex> lock(mutex);
      ++stored;
      changed.notify_all();
    }
  });

  for (int step = 0; step < work.steps; ++step) {
    const slot& mine = work.slots[step % work.slot_count];

    {
      std::unique_lock<std::mutex> lock(mutex);
      changed.wait(lock, [&] { return stored > step - work.slot_count; });
    }

    work.load(step, mine.input);

    cudaMemcpyAsync(mine.device_input, mine.input, bytes, cudaMemcpyHostToDevice, work.upload);
    cudaEventRecord(mine.event, work.upload);
    cudaStreamWaitEvent(work.compute, mine.event, 0);
    transform<<<work.blocks, threads_per_block, 0, work.compute>>>(mine.device_input, mine.device_output,
                                                                   work.elements, work.cycles[step]);
    cudaEventRecord(mine.event, work.compute);
    cudaStreamWaitEvent(work.download, mine.event, 0);
    cudaMemcpyAsync(mine.output, mine.device_output, bytes, cudaMemcpyDeviceToHost, work.download);
    cudaEventRecord(mine.event, work.download);
    {
      const std::lock_guard<std::mutex> lock(mutex);
      ++queued;
    }
    changed.notify_all();
  }

  storing.join();
}

// Threads of the host put each other in order by joining, with mutexes and with atomic variables.
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "twin.h"

using namespace twins;

namespace {

constexpr int threads = 256, blocks = count / threads;

}  // namespace

TWIN(wait_after_the_join, "result_read_early") {
  stream worker;
  device_buffer data;
  pinned_buffer result;
  std::thread issuer([&] { cudaMemcpyAsync(result, data, bytes, cudaMemcpyDeviceToHost, worker); });
  if (is_correct) issuer.join();
  cudaStreamSynchronize(worker);
  if (!is_correct) issuer.join();
  sink = result[0];
}

TWIN(wait_in_the_thread_that_announces, "result_read_early") {
  stream worker;
  device_buffer data;
  pinned_buffer result;
  std::atomic<bool> is_ready{false};
  std::thread producer([&] {
    cudaMemcpyAsync(result, data, bytes, cudaMemcpyDeviceToHost, worker);
    if (is_correct) cudaStreamSynchronize(worker);
    is_ready.store(true);
  });
  while (!is_ready.load()) std::this_thread::yield();
  sink = result[0];
  producer.join();
  cudaDeviceSynchronize();
}

TWIN(wait_under_the_mutex, "result_read_early") {
  stream worker;
  device_buffer data;
  pinned_buffer result;
  std::mutex mutex;
  std::condition_variable changed;
  bool is_ready = false;
  std::thread producer([&] {
    cudaMemcpyAsync(result, data, bytes, cudaMemcpyDeviceToHost, worker);
    if (is_correct) cudaStreamSynchronize(worker);
    const std::lock_guard<std::mutex> lock(mutex);
    is_ready = true;
    changed.notify_one();
  });
  {
    std::unique_lock<std::mutex> lock(mutex);
    changed.wait(lock, [&] { return is_ready; });
  }
  sink = result[0];
  producer.join();
  cudaDeviceSynchronize();
}

TWIN(order_of_two_threads_that_issue_work, "unordered_accesses") {
  stream one, two;
  device_buffer data, result;
  event ready;
  std::atomic<bool> is_issued{false};
  std::thread producer([&] {
    fill<<<blocks, threads, 0, one>>>(data, count, 1);
    cudaEventRecord(ready, one);
    is_issued.store(true);
  });
  std::thread consumer([&] {
    while (!is_issued.load()) std::this_thread::yield();
    if (is_correct) cudaStreamWaitEvent(two, ready);
    add_one<<<blocks, threads, 0, two>>>(data, result, count);
  });
  producer.join();
  consumer.join();
}

TWIN(wait_for_the_record_of_another_thread, "unordered_accesses") {
  stream one, two;
  device_buffer data, result;
  event ready;
  std::atomic<bool> is_recorded{false};
  std::thread producer([&] {
    fill<<<blocks, threads, 0, one>>>(data, count, 1);
    cudaEventRecord(ready, one);
    is_recorded.store(true);
  });
  std::thread consumer([&] {
    while (is_correct && !is_recorded.load()) std::this_thread::yield();
    cudaStreamWaitEvent(two, ready);
    add_one<<<blocks, threads, 0, two>>>(data, result, count);
  });
  producer.join();
  consumer.join();
}

TWIN(calls_of_two_threads_into_one_stream, "unordered_accesses") {
  stream both;
  device_buffer scratch;
  pinned_buffer inputs[2], results[2];
  std::mutex mutex;
  const auto go_through_scratch = [&](int of_thread) {
    std::unique_lock<std::mutex> lock(mutex, std::defer_lock);
    if (is_correct) lock.lock();
    cudaMemcpyAsync(scratch, inputs[of_thread], bytes, cudaMemcpyHostToDevice, both);
    cudaMemcpyAsync(results[of_thread], scratch, bytes, cudaMemcpyDeviceToHost, both);
  };
  std::thread one(go_through_scratch, 0), other(go_through_scratch, 1);
  one.join();
  other.join();
  cudaDeviceSynchronize();
}

TWIN(wait_before_a_slot_is_filled_again, "source_overwritten") {
  stream worker;
  event uploaded;
  device_buffer data;
  pinned_buffer slot;
  std::atomic<bool> is_given_back{false};
  std::thread producer([&] {
    while (!is_given_back.load()) std::this_thread::yield();
    if (is_correct) cudaEventSynchronize(uploaded);
    slot[0] = 2;
  });
  cudaMemcpyAsync(data, slot, bytes, cudaMemcpyHostToDevice, worker);
  cudaEventRecord(uploaded, worker);
  is_given_back.store(true);
  producer.join();
  cudaDeviceSynchronize();
}

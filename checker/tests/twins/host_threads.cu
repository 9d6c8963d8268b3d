// Threads of the host put each other in order by joining, with mutexes and with atomic variables.
#include <atomic>
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

// Plain data that threads and host functions share is guarded: by a mutex, an atomic, a thread's begin and end, or a
// wait for the stream.
#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <future>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <thread>

#include "twin.h"

using namespace twins;

namespace {

bool is_done = false;
volatile bool is_done_volatile = false;
int counter = 0;
std::mutex counter_mutex;

void set_done(void*) { is_done = true; }
void set_done_volatile(void*) { is_done_volatile = true; }
void count_up(void*) { ++counter; }
void count_up_guarded(void*) {
  const std::lock_guard<std::mutex> lock(counter_mutex);
  ++counter;
}
void count_up_before_the_lock(void*) {
  ++counter;
  const std::lock_guard<std::mutex> lock(counter_mutex);
}
void count_up_behind_the_lock(void*) {
  { const std::lock_guard<std::mutex> lock(counter_mutex); }
  ++counter;
}
void set_atomic(void* flag) { static_cast<std::atomic<bool>*>(flag)->store(true, std::memory_order_release); }

struct shared_result {
  int value = 0;
  std::atomic<bool> is_set{false};
};
void set_relaxed(void* argument) {
  auto& result = *static_cast<shared_result*>(argument);
  result.value = 1;
  result.is_set.store(true, std::memory_order_relaxed);
}
void set_released(void* argument) {
  auto& result = *static_cast<shared_result*>(argument);
  result.value = 1;
  result.is_set.store(true, std::memory_order_release);
}
void drop_shared(void* argument) {
  const std::unique_ptr<std::shared_ptr<int>> mine(static_cast<std::shared_ptr<int>*>(argument));
  [[maybe_unused]] volatile int number = **mine;
}
struct numbers_of_a_step {
  std::array<int, 1000> numbers;
};
void drop_numbers(void* argument) {
  const std::unique_ptr<numbers_of_a_step> mine(static_cast<numbers_of_a_step*>(argument));
  [[maybe_unused]] volatile int first = mine->numbers[0];
}
void fulfil(void* promise) { static_cast<std::promise<int>*>(promise)->set_value(1); }

const std::vector<int>& table() {
  static const std::vector<int> numbers(16, 1);
  return numbers;
}

__global__ void add_when_set(volatile int* flag, const int* from, int* to) {
  while (*flag == 0) {
  }
  to[threadIdx.x] += from[threadIdx.x];
}

/// Gives up when the flag does not come in time; only the correct one then leaves the data alone.
__global__ void add_when_set_in_time(volatile int* flag, const int* from, int* to, bool is_correct) {
  const long long begin = clock64();
  while (*flag == 0 && clock64() - begin < 50'000) {
  }
  if (is_correct && *flag == 0) return;
  to[threadIdx.x] += from[threadIdx.x];
}

/// The flag is behind the data.
__global__ void fill_and_set(volatile int* flag, int* data, bool is_correct) {
  data[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (is_correct) __threadfence_system();
  if (threadIdx.x == 0) *flag = 1;
}

/// The others of the block come after its first thread.
__global__ void add_behind_flag(volatile int* flag, const int* from, int* to, bool is_correct) {
  if (is_correct && threadIdx.x == 0) {
    while (*flag == 0) {
    }
  }
  __syncthreads();
  to[threadIdx.x] += from[threadIdx.x];
}

}  // namespace

TWIN(flag_that_a_kernel_sets_for_the_host, "result_read_early") {
  pinned_buffer flag, data;
  flag[0] = 0;
  fill_and_set<<<1, 32>>>(flag, data, is_correct);
  volatile int* const seen = flag;
  while (*seen == 0) {
  }
  [[maybe_unused]] volatile int result = data[3];
  cudaDeviceSynchronize();
}

TWIN(flag_that_a_kernel_sets_for_another, "unordered_accesses") {
  stream one{cudaStreamNonBlocking}, other{cudaStreamNonBlocking};
  device_buffer flag, data, to;
  cudaMemset(flag, 0, sizeof(int));
  fill<<<count / 256, 256>>>(to, count, 1);
  cudaDeviceSynchronize();
  add_behind_flag<<<1, 32, 0, one>>>(flag, data, to, is_correct);
  fill_and_set<<<1, 32, 0, other>>>(flag, data, true);
  cudaDeviceSynchronize();
}

TWIN(flag_that_a_kernel_waits_for, "unordered_accesses") {
  device_buffer to;
  pinned_buffer from, buffer_of_flag;
  volatile int* const flag = buffer_of_flag;
  *flag = 0;
  add_when_set<<<1, 32>>>(buffer_of_flag, from, to);
  if (is_correct) from[0] = 5;
  *flag = 1;
  if (!is_correct) from[0] = 5;
  cudaDeviceSynchronize();
}

TWIN(flag_that_comes_too_late, "unordered_accesses") {
  device_buffer to;
  pinned_buffer from, buffer_of_flag;
  volatile int* const flag = buffer_of_flag;
  *flag = 0;
  add_when_set_in_time<<<1, 32>>>(flag, from, to, is_correct);
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  from[0] = 5;
  *flag = 1;
  cudaDeviceSynchronize();
}

TWIN(atomic_flag_that_a_kernel_waits_for, "unordered_accesses") {
  device_buffer to;
  pinned_buffer from, buffer_of_flag;
  int* const flag = buffer_of_flag;
  *flag = 0;
  add_when_set<<<1, 32>>>(flag, from, to);
  std::this_thread::sleep_for(std::chrono::milliseconds(1));  // the kernel runs and waits
  from[0] = 5;
  if (is_correct) {
    __atomic_store_n(flag, 1, __ATOMIC_RELEASE);
  } else {
    __atomic_store_n(flag, 1, __ATOMIC_RELAXED);
  }
  cudaDeviceSynchronize();
}

TWIN(atomic_flag_of_a_host_function, "unordered_accesses") {
  stream worker;
  if (is_correct) {
    std::atomic<bool> flag{false};
    cudaLaunchHostFunc(worker, set_atomic, &flag);
    while (!flag.load(std::memory_order_acquire)) std::this_thread::yield();
    cudaStreamSynchronize(worker);
  } else {
    is_done = false;
    cudaLaunchHostFunc(worker, set_done, nullptr);
    while (!is_done) std::this_thread::yield();
    cudaStreamSynchronize(worker);
  }
}

TWIN(wait_before_the_volatile_flag_is_read, "unordered_accesses") {
  stream worker;
  cudaLaunchHostFunc(worker, set_done_volatile, nullptr);
  if (is_correct) cudaStreamSynchronize(worker);
  while (!is_done_volatile) {
  }
  cudaStreamSynchronize(worker);
}

TWIN(wait_before_the_counter_of_a_host_function_is_read, "unordered_accesses") {
  stream worker;
  for (int i = 0; i < 3; ++i) cudaLaunchHostFunc(worker, count_up, nullptr);
  if (is_correct) cudaStreamSynchronize(worker);
  sink = counter;
  cudaStreamSynchronize(worker);
}

TWIN(mutex_around_a_counter_of_two_streams, "unordered_accesses") {
  stream one, two;
  for (int i = 0; i < 2; ++i) {
    cudaLaunchHostFunc(one, is_correct ? count_up_guarded : count_up, nullptr);
    cudaLaunchHostFunc(two, is_correct ? count_up_guarded : count_up, nullptr);
  }
  cudaDeviceSynchronize();
  sink = counter;
}

TWIN(lock_to_write_around_a_counter, "unordered_accesses") {
  int numbers = 0;
  std::shared_mutex mutex;
  const auto count_all = [&] {
    for (int i = 0; i < 3; ++i) {
      if (is_correct) {
        const std::unique_lock<std::shared_mutex> to_write(mutex);
        ++numbers;
      } else {
        const std::shared_lock<std::shared_mutex> to_read(mutex);
        ++numbers;
      }
    }
  };
  std::thread one(count_all), two(count_all);
  one.join();
  two.join();
}

TWIN(lock_before_a_host_function_counts, "unordered_accesses") {
  stream worker;
  cudaLaunchHostFunc(worker, is_correct ? count_up_guarded : count_up_before_the_lock, nullptr);
  count_up_guarded(nullptr);
  cudaStreamSynchronize(worker);
}

TWIN(unlock_behind_what_a_host_function_counts, "unordered_accesses") {
  stream worker;
  cudaLaunchHostFunc(worker, is_correct ? count_up_guarded : count_up_behind_the_lock, nullptr);
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  count_up_guarded(nullptr);
  cudaStreamSynchronize(worker);
}

TWIN(mutex_around_a_counter_of_two_threads, "unordered_accesses") {
  int numbers = 0;
  std::mutex mutex;
  const auto count_all = [&] {
    for (int i = 0; i < 100; ++i) {
      std::unique_lock<std::mutex> lock(mutex, std::defer_lock);
      if (is_correct) lock.lock();
      ++numbers;
    }
  };
  std::thread one(count_all), two(count_all);
  one.join();
  two.join();
  sink = numbers;
}

TWIN(release_of_the_flag_behind_the_result, "unordered_accesses") {
  stream worker;
  const auto result = std::make_unique<shared_result>();
  cudaLaunchHostFunc(worker, is_correct ? set_released : set_relaxed, result.get());
  while (!result->is_set.load(std::memory_order_acquire)) std::this_thread::yield();
  sink = result->value;
  cudaStreamSynchronize(worker);
}

TWIN(join_before_the_result_of_a_thread_is_read, "unordered_accesses") {
  int result = 0;
  std::thread worker([&] { result = 1; });
  if (is_correct) worker.join();
  sink = result;
  if (!is_correct) worker.join();
}

TWIN(number_of_its_own_for_each_thread, "unordered_accesses") {
  int index = 0;
  std::vector<char> results(4);
  std::vector<std::thread> threads;
  for (; index < 4; ++index) {
    if (is_correct) {
      threads.emplace_back([&results, index] { results[index] = 1; });
    } else {
      threads.emplace_back([&results, &index] { results[std::min(index, 3)] = 1; });
    }
    if (!is_correct) break;
  }
  if (!is_correct) index = 3;
  for (std::thread& thread : threads) thread.join();
  sink = results[3];
}

TWIN(handle_that_another_thread_creates, "unordered_accesses") {
  cudaEvent_t both = nullptr;
  std::atomic<bool> is_created{false};
  const auto order = is_correct ? std::memory_order_release : std::memory_order_relaxed;
  std::thread creator([&] {
    cudaEventCreate(&both);
    is_created.store(true, order);
  });
  while (!is_created.load()) std::this_thread::yield();
  cudaEventRecord(both);
  creator.join();
  cudaEventDestroy(both);
}

// What is correct in both: nothing may be reported for it, and the broken program adds one plain flag.

#define SILENT_TWIN(name) TWIN(name, "unordered_accesses")
#define BREAK_ONE_RULE()                                  \
  if (!is_correct) {                                      \
    int broken = 0;                                       \
    std::thread thread([&] { broken = 1; });              \
    sink = broken;                                        \
    thread.join();                                        \
  }

SILENT_TWIN(shared_ptr_is_its_own_guard) {
  stream worker;
  auto number = std::make_shared<int>(1);
  for (int i = 0; i < 4; ++i) cudaLaunchHostFunc(worker, drop_shared, new std::shared_ptr<int>(number));
  std::thread other([number] { [[maybe_unused]] volatile int mine = *number; });
  number.reset();
  other.join();
  cudaStreamSynchronize(worker);
  BREAK_ONE_RULE()
}

SILENT_TWIN(arguments_of_a_thread) {
  std::vector<int> numbers(100, 1);
  int sum = 0;
  std::thread adder([](std::vector<int> mine, int& into) { for (int number : mine) into += number; },
                    numbers, std::ref(sum));
  numbers[0] = 2;
  adder.join();
  sink = sum;
  BREAK_ONE_RULE()
}

SILENT_TWIN(condition_variable_hands_over) {
  stream worker;
  struct hand_over {
    std::mutex mutex;
    std::condition_variable changed;
    std::vector<int> numbers;
  } queue;
  const auto put = [](void* argument) {
    auto& into = *static_cast<hand_over*>(argument);
    {
      const std::lock_guard<std::mutex> lock(into.mutex);
      into.numbers.push_back(1);
    }
    into.changed.notify_one();
  };
  std::thread taker([&] {
    for (int i = 0; i < 3; ++i) {
      std::unique_lock<std::mutex> lock(queue.mutex);
      queue.changed.wait(lock, [&] { return !queue.numbers.empty(); });
      sink = queue.numbers.back();
      queue.numbers.pop_back();
    }
  });
  for (int i = 0; i < 3; ++i) cudaLaunchHostFunc(worker, put, &queue);
  taker.join();
  cudaStreamSynchronize(worker);
  BREAK_ONE_RULE()
}

SILENT_TWIN(promise_and_future) {
  stream worker;
  std::promise<int> promise;
  std::future<int> future = promise.get_future();
  cudaLaunchHostFunc(worker, fulfil, &promise);
  sink = future.get();
  cudaStreamSynchronize(worker);
  std::future<std::vector<int>> made = std::async(std::launch::async, [] { return std::vector<int>(3, 1); });
  sink = made.get()[1];
  BREAK_ONE_RULE()
}

SILENT_TWIN(initialization_once) {
  std::once_flag once;
  std::vector<int> numbers;
  const auto use = [&] {
    std::call_once(once, [&] { numbers.assign(8, 1); });
    static thread_local volatile int sum = 0;
    sum = numbers[3] + table()[2];
  };
  std::thread one(use), two(use);
  one.join();
  two.join();
  BREAK_ONE_RULE()
}

SILENT_TWIN(elements_of_different_threads) {
  std::vector<unsigned char> results(64);
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&results, i] {
      for (int j = 0; j < 8; ++j) results[8 * j + i] = static_cast<unsigned char>(i);
    });
  }
  for (std::thread& thread : threads) thread.join();
  sink = results[63];
  BREAK_ONE_RULE()
}

SILENT_TWIN(stacks_and_heap_of_threads_that_have_ended) {
  std::atomic<int> ended{0};
  for (int i = 0; i < 4; ++i) {
    std::thread([&ended] {
      thread_local int own = 0;
      std::vector<int> numbers(1000);
      for (int& number : numbers) number = ++own;
      ended.fetch_add(1, std::memory_order_relaxed);
    }).detach();
    while (ended.load(std::memory_order_relaxed) <= i) std::this_thread::yield();
  }
  BREAK_ONE_RULE()
}

SILENT_TWIN(heap_where_a_pageable_buffer_lay) {
  stream worker;
  device_buffer to;
  {
    const std::vector<char> from(100'000);
    cudaMemcpy(to, from.data(), bytes, cudaMemcpyHostToDevice);
  }
  for (int i = 0; i < 4; ++i) {
    cudaLaunchHostFunc(worker, drop_numbers, new numbers_of_a_step{{i}});
    std::this_thread::sleep_for(std::chrono::milliseconds(1));  // the next one lies where this one lay
  }
  cudaStreamSynchronize(worker);
  BREAK_ONE_RULE()
}

SILENT_TWIN(lock_written_with_an_atomic_flag) {
  std::atomic_flag lock = ATOMIC_FLAG_INIT;
  int numbers = 0;
  const auto add = [&] {
    for (int i = 0; i < 10; ++i) {
      while (lock.test_and_set(std::memory_order_acquire)) std::this_thread::yield();
      ++numbers;
      lock.clear(std::memory_order_release);
    }
  };
  std::thread one(add), two(add);
  one.join();
  two.join();
  sink = numbers;
  BREAK_ONE_RULE()
}

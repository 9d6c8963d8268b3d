// host_threads.cu: programs with several host threads that wait for each other, for time, and for CUDA in the
// ways that C++ and the C library have. Each rule gives the other thread a reason to be late.
#include <pthread.h>
#include <semaphore.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <future>
#include <mutex>
#include <shared_mutex>
#include <thread>

#include "conformance/gate.h"

using namespace conformance;
using namespace std::chrono_literals;

namespace {

using steady = std::chrono::steady_clock;

/// Keeps the calling thread busy with CUDA for some milliseconds.
void be_late() {
  static volatile int* const word = shared_word();
  cudaStream_t const stream = non_blocking_stream();
  store_late<<<1, 1, 0, stream>>>(word, 1, late_cycles);
  CHECK(cudaStreamSynchronize(stream));
}

timespec in_future(clockid_t clock, std::chrono::milliseconds from_now) {
  timespec time;
  clock_gettime(clock, &time);
  const auto nanoseconds = time.tv_nsec + std::chrono::nanoseconds(from_now).count();
  return {time.tv_sec + static_cast<time_t>(nanoseconds / 1'000'000'000),
          static_cast<long>(nanoseconds % 1'000'000'000)};
}

struct late_at_exit {
  std::atomic<int>* ended = nullptr;
  ~late_at_exit() {
    be_late();
    *ended = 1;
  }
};

thread_local late_at_exit at_exit;

}  // namespace

RULE(Threads, "std::async runs beside its caller, and its future waits for it",
     cpp_standard("futures.async")) {
  volatile int* const word = shared_word();
  std::future<int> answer = std::async(std::launch::async, [word] {
    be_late();
    store<<<1, 1>>>(word, 6);
    CHECK(cudaStreamSynchronize(nullptr));
    return *word + 1;
  });
  EXPECT_EQUAL(answer.get(), 7);
}

RULE(Threads, "a future that is not ready in time says so", cpp_standard("futures.unique.future")) {
  std::promise<int> promise;
  std::future<int> answer = promise.get_future();
  std::atomic<int> may_end{0};
  std::thread worker([&] {
    while (may_end == 0) {
    }
    promise.set_value(3);
  });
  const auto begin = steady::now();
  EXPECT(answer.wait_for(20ms) == std::future_status::timeout);
  EXPECT(steady::now() - begin >= 20ms);
  may_end = 1;
  EXPECT_EQUAL(answer.get(), 3);
  worker.join();
}

RULE(Threads, "a condition variable wakes who waits, or its time is over", cpp_standard("thread.condition")) {
  std::mutex mutex;
  std::condition_variable changed;
  bool is_done = false;
  std::thread worker([&] {
    be_late();
    const std::lock_guard<std::mutex> held(mutex);
    is_done = true;
    changed.notify_all();
  });
  std::unique_lock<std::mutex> held(mutex);
  changed.wait(held, [&] { return is_done; });
  const auto begin = steady::now();
  EXPECT(!changed.wait_for(held, 30ms, [] { return false; }));
  EXPECT(steady::now() - begin >= 30ms);
  held.unlock();
  worker.join();
}

RULE(Threads, "a mutex keeps a thread out while the other calls CUDA",
     cpp_standard("thread.mutex.requirements")) {
  std::mutex mutex;
  std::atomic<int> is_held{0};
  int order = 0;
  std::thread worker([&] {
    const std::lock_guard<std::mutex> held(mutex);
    is_held = 1;
    be_late();
    order = 1;
  });
  while (is_held == 0) {
  }
  EXPECT(!mutex.try_lock());
  {
    const std::lock_guard<std::mutex> held(mutex);
    EXPECT_EQUAL(order, 1);
  }
  worker.join();
}

RULE(Threads, "a mutex with a time limit gives up", cpp_standard("thread.timedmutex.requirements")) {
  std::timed_mutex mutex;
  std::atomic<int> is_held{0};
  std::atomic<int> may_end{0};
  std::thread worker([&] {
    const std::lock_guard<std::timed_mutex> held(mutex);
    is_held = 1;
    while (may_end == 0) {
    }
  });
  while (is_held == 0) {
  }
  EXPECT(!mutex.try_lock_for(20ms));
  may_end = 1;
  worker.join();
  EXPECT(mutex.try_lock_for(20ms));
  mutex.unlock();
}

RULE(Threads, "a writer waits for all readers, and readers for the writer",
     cpp_standard("thread.sharedmutex.requirements")) {
  std::shared_mutex lock;
  std::atomic<int> readers{0};
  std::atomic<int> done{0};
  const auto read = [&] {
    const std::shared_lock<std::shared_mutex> held(lock);
    ++readers;
    while (readers < 2) {
    }
    be_late();
    ++done;
  };
  std::thread one(read);
  std::thread other(read);
  while (readers < 2) {
  }
  EXPECT(!lock.try_lock());
  lock.lock();
  EXPECT_EQUAL(done.load(), 2);
  EXPECT(!std::async(std::launch::async, [&] { return lock.try_lock_shared(); }).get());
  lock.unlock();
  one.join();
  other.join();
}

RULE(Threads, "a semaphore counts", linux_manual("sem_post(3)")) {
  sem_t semaphore;
  sem_init(&semaphore, 0, 1);
  EXPECT_EQUAL(sem_wait(&semaphore), 0);
  EXPECT_EQUAL(sem_trywait(&semaphore), -1);
  std::atomic<int> is_set{0};
  std::thread worker([&] {
    be_late();
    is_set = 1;
    sem_post(&semaphore);
  });
  EXPECT_EQUAL(sem_wait(&semaphore), 0);
  EXPECT_EQUAL(is_set.load(), 1);
  const timespec until = in_future(CLOCK_REALTIME, 20ms);
  EXPECT_EQUAL(sem_timedwait(&semaphore, &until), -1);
  EXPECT_EQUAL(errno, ETIMEDOUT);
  worker.join();
  sem_destroy(&semaphore);
}

RULE(Threads, "a barrier lets go when all have come, each round again",
     linux_manual("pthread_barrier_wait(3p)")) {
  pthread_barrier_t barrier;
  pthread_barrier_init(&barrier, nullptr, 2);
  std::atomic<int> step{0};
  std::thread worker([&] {
    for (int round = 1; round <= 3; ++round) {
      be_late();
      step = round;
      pthread_barrier_wait(&barrier);
      pthread_barrier_wait(&barrier);
    }
  });
  for (int round = 1; round <= 3; ++round) {
    pthread_barrier_wait(&barrier);
    EXPECT_EQUAL(step.load(), round);
    pthread_barrier_wait(&barrier);
  }
  worker.join();
  pthread_barrier_destroy(&barrier);
}

RULE(Threads, "std::call_once lets others wait until the first is done",
     cpp_standard("thread.once.callonce")) {
  static std::once_flag once;
  static std::atomic<int> calls{0};
  static std::atomic<int> done{0};
  const auto initialize = [] {
    std::call_once(once, [] {
      ++calls;
      be_late();
      done = 1;
    });
    EXPECT_EQUAL(done.load(), 1);
  };
  std::thread other(initialize);
  initialize();
  other.join();
  EXPECT_EQUAL(calls.load(), 1);
}

RULE(Threads, "a static variable of a function is initialized once, while others wait",
     cpp_standard("stmt.dcl")) {
  static std::atomic<int> calls{0};
  const auto use = [] {
    static const int value = [] {
      be_late();
      return ++calls;
    }();
    EXPECT_EQUAL(value, 1);
  };
  std::thread other(use);
  use();
  other.join();
  EXPECT_EQUAL(calls.load(), 1);
}

RULE(Threads, "destructors of thread_local objects may call CUDA, and are done at the join",
     cpp_standard("basic.start.term")) {
  std::atomic<int> ended{0};
  std::thread([&] { at_exit.ended = &ended; }).join();
  EXPECT_EQUAL(ended.load(), 1);
  at_exit.ended = &ended;
}

RULE(Threads, "a detached thread goes on, and can be waited for by what it sets",
     cpp_standard("thread.thread.member")) {
  static std::atomic<int> is_done{0};
  std::thread([] {
    be_late();
    is_done = 1;
  }).detach();
  while (is_done == 0) {
  }
  EXPECT_EQUAL(is_done.load(), 1);
}

RULE(Threads, "an atomic hands work over from one thread to the next and back",
     cpp_standard("atomics.order")) {
  std::atomic<int> turn{0};
  int sum = 0;
  std::thread other([&] {
    for (int i = 1; i < 20; i += 2) {
      while (turn != i) {
      }
      sum = 2 * sum + 1;
      turn = i + 1;
    }
  });
  for (int i = 0; i < 20; i += 2) {
    while (turn != i) {
    }
    sum += 1;
    turn = i + 1;
  }
  other.join();
  EXPECT_EQUAL(sum, 3069);  // any other order gives another number
}

RULE(Threads, "each host thread launches its own kernels, with its own arguments",
     runtime_api("Execution Control", "cudaLaunchKernel"), measured_on_h200) {
  constexpr int count = 4;
  volatile int* words[count];
  std::thread all[count];
  for (volatile int*& item : words) item = shared_word();
  for (int i = 0; i < count; ++i) {
    all[i] = std::thread([i, word = words[i]] {
      cudaStream_t const stream = non_blocking_stream();
      for (int round = 1; round <= 10; ++round) {
        store<<<1, 1, 0, stream>>>(word, 100 * i + round);
        CHECK(cudaStreamSynchronize(stream));
        EXPECT_EQUAL(*word, 100 * i + round);
      }
    });
  }
  for (std::thread& item : all) item.join();
}

RULE(Time, "all clocks go on while a thread sleeps", cpp_standard("time.clock")) {
  const auto steady_begin = steady::now();
  const auto system_begin = std::chrono::system_clock::now();
  timeval day_begin;
  gettimeofday(&day_begin, nullptr);
  timespec utc_begin;
  timespec_get(&utc_begin, TIME_UTC);
  const time_t seconds_begin = time(nullptr);
  std::this_thread::sleep_for(600ms);
  usleep(300'000);
  const timespec more{0, 200'000'000};
  nanosleep(&more, nullptr);
  const timespec until = in_future(CLOCK_MONOTONIC, 100ms);
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr);
  timeval day_end;
  gettimeofday(&day_end, nullptr);
  timespec utc_end;
  timespec_get(&utc_end, TIME_UTC);
  EXPECT(steady::now() - steady_begin >= 1200ms);
  EXPECT(std::chrono::system_clock::now() - system_begin >= 1200ms);
  EXPECT(day_end.tv_sec - day_begin.tv_sec >= 1);
  EXPECT(utc_end.tv_sec - utc_begin.tv_sec >= 1);
  EXPECT(time(nullptr) - seconds_begin >= 1);
}

RULE(Time, "clocks of the host and events agree about a kernel",
     runtime_api("Event Management", "cudaEventElapsedTime"), measured_on_h200) {
  cudaEvent_t const begin = new_event();
  cudaEvent_t const end = new_event();
  volatile int* const word = shared_word();
  const auto host_begin = steady::now();
  CHECK(cudaEventRecord(begin));
  store_late<<<1, 1>>>(word, 1, late_cycles);
  CHECK(cudaEventRecord(end));
  CHECK(cudaEventSynchronize(end));
  const std::chrono::duration<float, std::milli> on_host = steady::now() - host_begin;
  float milliseconds = 0;
  CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
  EXPECT(milliseconds > 1);
  EXPECT(on_host.count() >= milliseconds);
}

RULE(Waiting, "a program can wait for a host function without calling CUDA: in a loop, asleep, or woken up",
     runtime_api("Execution Control", "cudaLaunchHostFunc")) {
  static std::atomic<int> calls{0};
  volatile int* const word = shared_word();
  const auto note = [](void*) { ++calls; };
  store_late<<<1, 1>>>(word, 1, late_cycles);
  CHECK(cudaLaunchHostFunc(nullptr, note, nullptr));
  while (calls < 1) {
  }
  EXPECT_EQUAL(*word, 1);
  store_late<<<1, 1>>>(word, 2, late_cycles);
  CHECK(cudaLaunchHostFunc(nullptr, note, nullptr));
  while (calls < 2) usleep(100);
  EXPECT_EQUAL(*word, 2);
  static sem_t woken;
  sem_init(&woken, 0, 0);
  store_late<<<1, 1>>>(word, 3, late_cycles);
  CHECK(cudaLaunchHostFunc(
      nullptr, [](void*) { sem_post(&woken); }, nullptr));
  sem_wait(&woken);
  EXPECT_EQUAL(*word, 3);
}

RULE(Waiting, "loops that ask again and again come to an end",
     runtime_api("Event Management", "cudaEventQuery"), measured_on_h200) {
  cudaStream_t const stream = non_blocking_stream();
  cudaEvent_t const event = new_event();
  volatile int* const word = shared_word();
  store_late<<<1, 1, 0, stream>>>(word, 1, late_cycles);
  CHECK(cudaEventRecord(event, stream));
  int rounds = 0;
  while (cudaEventQuery(event) == cudaErrorNotReady) ++rounds;
  EXPECT(rounds > 0);
  EXPECT_EQUAL(*word, 1);
  store_late<<<1, 1, 0, stream>>>(word, 2, late_cycles);
  while (cudaStreamQuery(stream) == cudaErrorNotReady) std::this_thread::yield();
  EXPECT_EQUAL(*word, 2);
}

RULE(WaitingBeside,
     "waits of the host are for the work before them, not for what another thread goes on launching",
     runtime_api("Stream Management", "cudaStreamSynchronize"),
     runtime_api("Device Management", "cudaDeviceSynchronize")) {
  cudaStream_t const stream = non_blocking_stream();
  volatile int* const word = shared_word();
  cudaEvent_t const event = new_event();
  std::atomic<bool> is_over{false};
  std::atomic<int> launched{0};
  std::thread launcher([&] {
    do {
      store_late<<<1, 1, 0, stream>>>(word, 1, late_cycles / 100);
      ++launched;
    } while (!is_over);
  });
  while (launched == 0) std::this_thread::yield();
  for (int round = 0; round < 3; ++round) {
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventRecord(event, stream));
    CHECK(cudaEventSynchronize(event));
    int* memory = nullptr;
    CHECK(cudaMalloc(&memory, sizeof(int)));
    CHECK(cudaFree(memory));
  }
  is_over = true;
  launcher.join();
  CHECK(cudaDeviceSynchronize());
  EXPECT_EQUAL(*word, 1);
}

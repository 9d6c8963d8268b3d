// One test for each row of the table in interposed.cpp, from where a program stands: it is linked with the
// library and calls the functions. Sleeps and waits of an hour end at once, because their time is virtual.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <ctime>

#include "cuda_runtime_api.h"

extern "C" {
void* __wrap_memset(void* to, int value, std::size_t bytes);
std::clock_t __wrap_clock();
void __wrap_free(void* memory);
}

namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;

/// Before anything is freed: each failed lookup frees the message of the one before, and free() looks for the C library's free.
__attribute__((constructor(101))) void look_for_what_is_missing() {
  for (const char* name : {"missing_a", "missing_b", "missing_c"}) dlsym(RTLD_DEFAULT, name);
}

nanoseconds as_duration(const timespec& time) {
  return std::chrono::seconds(time.tv_sec) + nanoseconds(time.tv_nsec);
}

timespec as_timespec(nanoseconds time) {
  return {static_cast<time_t>(time / 1s), static_cast<long>((time % 1s).count())};
}

nanoseconds now(clockid_t clock = CLOCK_MONOTONIC) {
  timespec time;
  clock_gettime(clock, &time);
  return as_duration(time);
}

void pass(nanoseconds duration) {
  const timespec time = as_timespec(duration);
  nanosleep(&time, nullptr);
}

/// Time is virtual from the first call of CUDA on.
class Interposed : public testing::Test {
 protected:
  static void SetUpTestSuite() { ASSERT_EQ(cudaFree(nullptr), cudaSuccess); }

  /// Another thread, which has begun before the calling one goes on later than now.
  template <typename Function>
  pthread_t start(Function& function) {
    pthread_t thread{};
    const auto call = [](void* argument) -> void* {
      (*static_cast<Function*>(argument))();
      return nullptr;
    };
    EXPECT_EQ(pthread_create(&thread, nullptr, call, &function), 0);
    return thread;
  }

  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t condition_ = PTHREAD_COND_INITIALIZER;
};

/// Holds the mutex from now on for an hour.
struct holder {
  pthread_mutex_t& mutex;
  void operator()() const {
    pthread_mutex_lock(&mutex);
    pass(1h);
    pthread_mutex_unlock(&mutex);
  }
};

using InterposedDeathTest = Interposed;

TEST(Free, ItsFirstCallMayComeFromALookupOfASymbol) {
  // With an endless recursion the program would have ended before main().
  ASSERT_EQ(dlsym(RTLD_DEFAULT, "missing_d"), nullptr);
  EXPECT_THAT(dlerror(), testing::HasSubstr("missing_d"));
}

TEST_F(InterposedDeathTest, MemoryThatWasFreedIsNotTouchedWhereOthersShareIt) {
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  ASSERT_EQ(cudaLaunchHostFunc(
                stream, [](void*) {}, nullptr),
            cudaSuccess);
  ASSERT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  void* volatile memory = std::malloc(8);
  __wrap_free(memory);
  EXPECT_DEATH(__wrap_memset(static_cast<char*>(memory) + 4, 0, 4),
               "host code wrote memory after it was freed");
  EXPECT_DEATH(__wrap_free(memory), "host code freed memory after it was freed");
}

TEST_F(Interposed, TheClockOfTheProcessIsVirtual) {
  const std::clock_t begin = __wrap_clock();
  pass(5s);
  EXPECT_EQ(__wrap_clock() - begin, 5 * CLOCKS_PER_SEC);
}

TEST_F(Interposed, AllClocksTellTheSameVirtualTime) {
  pass(1h);
  timeval day;
  gettimeofday(&day, nullptr);
  timespec utc;
  EXPECT_EQ(timespec_get(&utc, TIME_UTC), TIME_UTC);
  EXPECT_EQ(now(CLOCK_REALTIME) - now(), 1'700'000'000s - 1'000s);
  EXPECT_EQ(as_duration(utc), now(CLOCK_REALTIME));
  EXPECT_EQ(std::chrono::seconds(day.tv_sec) + std::chrono::microseconds(day.tv_usec),
            std::chrono::floor<std::chrono::microseconds>(now(CLOCK_REALTIME)));
  time_t stored = 0;
  EXPECT_EQ(time(&stored), utc.tv_sec);
  EXPECT_EQ(stored, utc.tv_sec);
}

TEST_F(Interposed, SleepsLetVirtualTimePass) {
  const nanoseconds begin = now();
  pass(1h);
  EXPECT_EQ(now() - begin, 1h);
  const timespec duration = as_timespec(30min);
  EXPECT_EQ(clock_nanosleep(CLOCK_MONOTONIC, 0, &duration, nullptr), 0);
  EXPECT_EQ(now() - begin, 90min);
  const timespec until = as_timespec(begin + 2h);
  EXPECT_EQ(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr), 0);
  EXPECT_EQ(now() - begin, 2h);
  EXPECT_EQ(usleep(500), 0);
  EXPECT_EQ(sleep(3600), 0u);
  EXPECT_EQ(now() - begin, 3h + 500us);
}

TEST_F(Interposed, YieldingInALoopLetsAnotherThreadGoOn) {
  std::atomic<bool> is_done = false;
  auto work = [&] {
    pass(1h);
    is_done = true;
  };
  const pthread_t other = start(work);
  while (!is_done) sched_yield();
  EXPECT_EQ(pthread_join(other, nullptr), 0);
}

TEST_F(Interposed, ALoopThatYieldsMayLookAtManyFlagsInTurn) {
  std::array<std::atomic<bool>, 8> is_done{};
  auto work = [&] {
    pass(1h);
    is_done[5] = true;
  };
  const pthread_t other = start(work);
  for (std::size_t i = 0; !is_done[i]; i = (i + 1) % is_done.size()) sched_yield();
  EXPECT_EQ(pthread_join(other, nullptr), 0);
}

TEST_F(Interposed, ThreadsHaveClocksOfTheirOwnAndAJoinWaitsForTheLaterOne) {
  const nanoseconds begin = now();
  nanoseconds in_other{0};
  auto work = [&] {
    pass(1h);
    in_other = now();
  };
  const pthread_t other = start(work);
  pass(1min);
  EXPECT_EQ(now() - begin, 1min);
  EXPECT_EQ(pthread_join(other, nullptr), 0);
  EXPECT_EQ(in_other - begin, 1h);
  EXPECT_EQ(now() - begin, 1h);
}

TEST_F(Interposed, WhoHoldsAMutexAlreadyDoesNotGetItAgain) {
  const nanoseconds begin = now();
  EXPECT_EQ(pthread_mutex_lock(&mutex_), 0);
  EXPECT_EQ(pthread_mutex_trylock(&mutex_), EBUSY);
  const timespec by_date = as_timespec(now(CLOCK_REALTIME) + 1min);
  EXPECT_EQ(pthread_mutex_timedlock(&mutex_, &by_date), ETIMEDOUT);
  EXPECT_EQ(now() - begin, 1min);
  EXPECT_EQ(pthread_mutex_unlock(&mutex_), 0);
}

TEST_F(Interposed, ASpinLockWaitsInVirtualTimeForTheOneWhoHoldsIt) {
  pthread_spinlock_t spin;
  ASSERT_EQ(pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE), 0);
  const nanoseconds begin = now();
  auto hold = [&] {
    pthread_spin_lock(&spin);
    pass(1h);
    pthread_spin_unlock(&spin);
  };
  const pthread_t other = start(hold);
  pass(1min);
  EXPECT_EQ(pthread_spin_trylock(&spin), EBUSY);
  EXPECT_EQ(pthread_spin_lock(&spin), 0);
  EXPECT_GE(now() - begin, 1h);
  EXPECT_EQ(pthread_spin_unlock(&spin), 0);
  EXPECT_EQ(pthread_join(other, nullptr), 0);
}

TEST_F(Interposed, ARecursiveMutexIsLockedAsOftenAsItIsUnlocked) {
  pthread_mutexattr_t recursive;
  pthread_mutexattr_init(&recursive);
  pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
  ASSERT_EQ(pthread_mutex_init(&mutex_, &recursive), 0);
  EXPECT_EQ(pthread_mutex_lock(&mutex_), 0);
  EXPECT_EQ(pthread_mutex_trylock(&mutex_), 0);
  EXPECT_EQ(pthread_mutex_unlock(&mutex_), 0);
  int seen_by_other = 0;
  auto look = [&] { seen_by_other = pthread_mutex_trylock(&mutex_); };
  EXPECT_EQ(pthread_join(start(look), nullptr), 0);
  EXPECT_EQ(seen_by_other, EBUSY);
  EXPECT_EQ(pthread_mutex_unlock(&mutex_), 0);
}

TEST_F(Interposed, ALockWaitsInVirtualTimeForTheOneWhoHoldsTheMutex) {
  const nanoseconds begin = now();
  holder hold{mutex_};
  const pthread_t other = start(hold);
  pass(1min);
  EXPECT_EQ(pthread_mutex_trylock(&mutex_), EBUSY);
  const timespec by_date = as_timespec(now(CLOCK_REALTIME) + 1min);
  EXPECT_EQ(pthread_mutex_timedlock(&mutex_, &by_date), ETIMEDOUT);
  EXPECT_EQ(now() - begin, 2min);
  const timespec by_clock = as_timespec(now() + 1min);
  EXPECT_EQ(pthread_mutex_clocklock(&mutex_, CLOCK_MONOTONIC, &by_clock), ETIMEDOUT);
  EXPECT_EQ(now() - begin, 3min);
  EXPECT_EQ(pthread_mutex_lock(&mutex_), 0);
  EXPECT_EQ(now() - begin, 1h);
  EXPECT_EQ(pthread_mutex_unlock(&mutex_), 0);
  EXPECT_EQ(pthread_mutex_trylock(&mutex_), 0);
  EXPECT_EQ(pthread_mutex_unlock(&mutex_), 0);
  EXPECT_EQ(pthread_join(other, nullptr), 0);
}

TEST_F(Interposed, AWaitForASignalEndsWhenItComesOrItsTimeIsOver) {
  const nanoseconds begin = now();
  pthread_mutex_lock(&mutex_);
  const timespec by_date = as_timespec(now(CLOCK_REALTIME) + 1min);
  EXPECT_EQ(pthread_cond_timedwait(&condition_, &mutex_, &by_date), ETIMEDOUT);
  EXPECT_EQ(now() - begin, 1min);
  const timespec by_clock = as_timespec(now() + 1min);
  EXPECT_EQ(pthread_cond_clockwait(&condition_, &mutex_, CLOCK_MONOTONIC, &by_clock), ETIMEDOUT);
  EXPECT_EQ(now() - begin, 2min);
  auto work = [&] {
    pass(1h);
    pthread_cond_signal(&condition_);
  };
  const pthread_t other = start(work);
  EXPECT_EQ(pthread_cond_wait(&condition_, &mutex_), 0);
  EXPECT_EQ(now() - begin, 1h + 2min);
  pthread_mutex_unlock(&mutex_);
  EXPECT_EQ(pthread_join(other, nullptr), 0);
}

TEST_F(Interposed, ABroadcastWakesAllWhoWait) {
  const nanoseconds begin = now();
  std::array<nanoseconds, 2> woken{};
  const auto wait = [&](nanoseconds& when) {
    pthread_mutex_lock(&mutex_);
    pthread_cond_wait(&condition_, &mutex_);
    when = now();
    pthread_mutex_unlock(&mutex_);
  };
  auto first = [&] { wait(woken[0]); };
  auto second = [&] { wait(woken[1]); };
  const std::array<pthread_t, 2> others{start(first), start(second)};
  pass(1h);
  pthread_cond_broadcast(&condition_);
  for (const pthread_t thread : others) EXPECT_EQ(pthread_join(thread, nullptr), 0);
  EXPECT_EQ(woken[0] - begin, 1h);
  EXPECT_EQ(woken[1] - begin, 1h);
}

}  // namespace

// interposed.cpp: functions of the C library that exercise programs reach us for. The others are in interposed_memory.cpp,
// math_functions.cpp, kernel_printing.cpp and interposed_waits.cpp.
//
// | function                                         | how    | why                                                     |
// |--------------------------------------------------|--------|---------------------------------------------------------|
// | malloc, free, new, delete                        | --wrap | in a kernel: the heap of its device                     |
// | clock                                            | --wrap | cycles in a kernel, virtual time in host code           |
// | clock_gettime, gettimeofday, time, timespec_get  | export | virtual time (std::chrono's clocks end up here)         |
// | nanosleep, clock_nanosleep, usleep, sleep        | export | let virtual time pass                                   |
// | sched_yield                                      | export | a polling loop: something else goes on first            |
// | pthread_create, pthread_join                     | export | threads have virtual clocks and run one at a time       |
// | pthread_mutex_lock, _trylock, _timedlock,        | export | waiting is virtual, and orders what the threads did     |
// |   _clocklock, _unlock                            |        |                                                         |
// | pthread_cond_wait, _timedwait, _clockwait, ...   | export | the same                                                |
// | free, realloc                                    | export | the next owner of the memory shares nothing with it; is |
// |                                                  |        |   it registered?                                        |
//
// "export": the library comes before the C library, so libstdc++ reaches these too. Semaphores, read-write
// locks, barriers and futexes are in interposed_waits.cpp. A thread that locks a mutex of any kind but a
// recursive one twice waits for ever, which ends the run. Not taken: the rest of stdio and string.h
// (accesses inside them are not seen), poll(), select() and reading from pipes and sockets: a thread that
// waits in one of those stops the run.
#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <string_view>
#include <utility>

#include "cuda_runtime/api/api_call.h"
#include "cuda_runtime/runtime.h"
#include "interposition/instrumentation.h"
#include "interposition/virtual_time.h"
#include "kernels/exported.h"
#include "kernels/kernel_run.h"

using interposition::address;
using interposition::kernel_run;
using interposition::runtime;

namespace {

address code_of(const void* return_address) { return reinterpret_cast<address>(return_address); }

/// Where the program frees memory, until the C library's free() is reached.
// initial-exec: the first free() comes before the address sanitizer's __tls_get_addr() works (preset `sanitize`).
__attribute__((tls_model("initial-exec"))) thread_local const void* freeing = nullptr;

}  // namespace

extern "C" {

EXPORTED void* __wrap_malloc(std::size_t bytes) {
  kernel_run* const kernel = kernel_run::current();
  return kernel != nullptr ? kernel->allocate(bytes) : std::malloc(bytes);
}
EXPORTED void __wrap_free(void* memory) {
  kernel_run* const kernel = kernel_run::current();
  if (kernel != nullptr) return kernel->release(memory, "free()", code_of(__builtin_return_address(0)));
  freeing = __builtin_return_address(0);
  std::free(memory);
}

// operator new and delete, also those of arrays and with a size.
EXPORTED void* __wrap__Znwm(std::size_t bytes) {
  kernel_run* const kernel = kernel_run::current();
  return kernel != nullptr ? kernel->allocate(bytes) : ::operator new(bytes);
}
EXPORTED void* __wrap__Znam(std::size_t bytes) {
  kernel_run* const kernel = kernel_run::current();
  return kernel != nullptr ? kernel->allocate(bytes) : ::operator new[](bytes);
}
#define DELETE(name, real, ...)                                                       \
  EXPORTED void __wrap_##name(void* memory __VA_OPT__(, ) __VA_ARGS__) {              \
    kernel_run* const kernel = kernel_run::current();                                 \
    const void* const caller = __builtin_return_address(0);                           \
    if (kernel != nullptr) return kernel->release(memory, "delete", code_of(caller)); \
    freeing = caller;                                                                 \
    real(memory);                                                                     \
  }
DELETE(_ZdlPv, ::operator delete)
DELETE(_ZdaPv, ::operator delete[])
DELETE(_ZdlPvm, ::operator delete, std::size_t)
DELETE(_ZdaPvm, ::operator delete[], std::size_t)
#undef DELETE

EXPORTED std::clock_t __wrap_clock() {
  if (kernel_run* const kernel = kernel_run::current()) return static_cast<std::clock_t>(kernel->clock());
  return runtime::get().clock().now().count() / (1'000'000'000 / CLOCKS_PER_SEC);
}

}  // extern "C"

namespace {

/// Other threads may be given the memory later, in no order with what was done there before.
void forget(void* memory, const void* caller) {
  runtime* const run = runtime::if_begun();
  if (run == nullptr || memory == nullptr || cuda_runtime::host_threads::self() == nullptr) return;
  const auto begin = kernels::address_of(memory);
  if (kernels::memory::is_in_arena(begin)) run->end_by_free(code_of(caller), begin);
  if (!run->is_shared() && !run->memory().has_host_ranges()) return;
  const std::size_t bytes = malloc_usable_size(memory);
  if (run->is_shared() || run->memory().may_be_host_range(begin, bytes))
    run->note_freed_plain_memory(code_of(caller), begin, bytes);
}

/// Whether the memory is kept, so that a use of it is found.
bool is_kept(void* memory, const void* caller) {
  runtime* const run = runtime::if_begun();
  return run != nullptr && memory != nullptr &&
         run->keep_freed_memory(code_of(caller), kernels::address_of(memory), malloc_usable_size(memory));
}

template <typename Function>
Function once(Function& known, const char* name) {
  if (known == nullptr) known = interposition::next_function<Function>(name);
  return known;
}

}  // namespace

extern "C" {

EXPORTED void free(void* memory) noexcept {
  static void (*real)(void*) = nullptr;
  static bool is_looked_up = false;
  const void* const in_program = std::exchange(freeing, nullptr);
  forget(memory, in_program != nullptr ? in_program : __builtin_return_address(0));
  if (real == nullptr) {
    // dlsym() frees the message of a lookup that failed before. That one leaks.
    if (std::exchange(is_looked_up, true)) return;
    real = NEXT(free);
  }
  if (in_program == nullptr || !is_kept(memory, in_program)) return real(memory);
  while (const address surplus = runtime::get().take_surplus_of_freed_memory())
    real(reinterpret_cast<void*>(surplus));
}

EXPORTED void* realloc(void* memory, std::size_t bytes) noexcept {
  static void* (*real)(void*, std::size_t) = nullptr;
  forget(memory, __builtin_return_address(0));
  return once(real, "realloc")(memory, bytes);
}

}  // extern "C"

// Time and threads.

namespace {

using cuda_runtime::host_thread;
using interposition::begin_of;
using interposition::from_timespec;
using interposition::host_threads;
using interposition::nanoseconds;
using interposition::to_timespec;
using interposition::virtual_time;

void sleep_for(runtime& run, nanoseconds duration) {
  if (duration.count() > 0) run.clock().spend(duration);
}

pid_t holder_of_mutex(const void* mutex) {
  return static_cast<const pthread_mutex_t*>(mutex)->__data.__owner;
}

/// The C library's own mutex tells who may have it, but nobody ever waits in it: who would have to wait waits
/// in virtual time.
int lock(runtime& run, pthread_mutex_t* mutex, std::optional<nanoseconds> deadline = std::nullopt) {
  static const auto try_real = NEXT(pthread_mutex_trylock);
  int result = try_real(mutex);
  while (result == EBUSY) {
    if (!run.threads().wait_on(mutex, deadline, "a mutex", &holder_of_mutex)) return ETIMEDOUT;
    result = try_real(mutex);
  }
  if (result == 0) run.acquire(mutex);
  return result;
}

/// Unlocks the mutex, and lets one of those go on that wait for it.
int give_back(runtime& run, pthread_mutex_t* mutex) {
  static const auto real = NEXT(pthread_mutex_unlock);
  run.release(mutex);
  const int result = real(mutex);
  run.threads().wake_one(mutex);
  return result;
}

/// The same, where the program asks for it.
int unlock(runtime& run, pthread_mutex_t* mutex) {
  run.note_unlock(mutex);
  const int result = give_back(run, mutex);
  run.interrupt();
  return result;
}

int wait_for_signal(runtime& run, pthread_cond_t* condition, pthread_mutex_t* mutex,
                    std::optional<nanoseconds> deadline) {
  give_back(run, mutex);  // and waits: no other thread comes between
  const bool returns_early = run.returns_early(condition, mutex);
  const bool was_woken =
      run.threads().wait_on(condition, returns_early ? run.clock().now() : deadline, "a condition variable");
  lock(run, mutex);
  return was_woken || returns_early ? 0 : ETIMEDOUT;
}

/// What a thread of the program begins with.
struct thread_start {
  host_thread* as;
  void* (*function)(void*);
  void* argument;
};

pthread_key_t end_of_thread();

/// In the first round of destructors it asks for a second one: those of other keys come before the end, such as that of
/// std::promise::set_value_at_thread_exit.
void end_in_second_round(void* thread) {
  thread_local bool was_called = false;
  if (std::exchange(was_called, true)) {
    runtime::get().end_thread();
  } else {
    pthread_setspecific(end_of_thread(), thread);
  }
}

/// Thread-specific data whose destructor ends the thread: those of C++ thread_local objects, which may call
/// CUDA, come before it, also when pthread_exit() ends the thread.
pthread_key_t end_of_thread() {
  static const pthread_key_t key = [] {
    pthread_key_t made;
    const int error = pthread_key_create(&made, &end_in_second_round);
    if (error != 0) runtime::get().fatal("lesson_broken", "cannot make thread-specific data");
    return made;
  }();
  return key;
}

void* run_thread(void* data) {
  const thread_start start = *std::unique_ptr<thread_start>(static_cast<thread_start*>(data));
  runtime::get().begin_thread(*start.as);
  pthread_setspecific(end_of_thread(), start.as);
  return start.function(start.argument);
}

std::map<pthread_t, host_thread*>& started_threads() {
  static std::map<pthread_t, host_thread*> all;
  return all;
}

}  // namespace

extern "C" {

EXPORTED int clock_gettime(clockid_t clock, timespec* time) noexcept {
  static const auto real = NEXT(clock_gettime);
  runtime* const run = virtual_time();
  if (run == nullptr) return real(clock, time);
  *time = to_timespec(begin_of(clock) + run->clock().now());
  return 0;
}

EXPORTED int gettimeofday(timeval* time, void* zone) noexcept {
  static const auto real = NEXT(gettimeofday);
  runtime* const run = virtual_time();
  if (run == nullptr) return real(time, zone);
  const timespec now = to_timespec(begin_of(CLOCK_REALTIME) + run->clock().now());
  *time = {now.tv_sec, now.tv_nsec / 1000};
  return 0;
}

EXPORTED time_t time(time_t* result) noexcept {
  static const auto real = NEXT(time);
  runtime* const run = virtual_time();
  if (run == nullptr) return real(result);
  const time_t now = to_timespec(begin_of(CLOCK_REALTIME) + run->clock().now()).tv_sec;
  if (result != nullptr) *result = now;
  return now;
}

EXPORTED int timespec_get(timespec* time, int base) noexcept {
  static const auto real = NEXT(timespec_get);
  runtime* const run = virtual_time();
  if (run == nullptr || base != TIME_UTC) return real(time, base);
  *time = to_timespec(begin_of(CLOCK_REALTIME) + run->clock().now());
  return base;
}

EXPORTED int nanosleep(const timespec* duration, timespec* left) {
  static const auto real = NEXT(nanosleep);
  runtime* const run = virtual_time();
  if (run == nullptr) return real(duration, left);
  sleep_for(*run, from_timespec(*duration));
  return 0;
}

EXPORTED int clock_nanosleep(clockid_t clock, int flags, const timespec* time, timespec* left) {
  static const auto real = NEXT(clock_nanosleep);
  runtime* const run = virtual_time();
  if (run == nullptr) return real(clock, flags, time, left);
  const bool is_absolute = (flags & TIMER_ABSTIME) != 0;
  sleep_for(*run,
            from_timespec(*time) - (is_absolute ? begin_of(clock) + run->clock().now() : nanoseconds(0)));
  return 0;
}

EXPORTED int usleep(useconds_t microseconds) {
  static const auto real = NEXT(usleep);
  runtime* const run = virtual_time();
  if (run == nullptr) return real(microseconds);
  sleep_for(*run, std::chrono::microseconds(microseconds));
  return 0;
}

EXPORTED unsigned int sleep(unsigned int seconds) {
  static const auto real = NEXT(sleep);
  runtime* const run = virtual_time();
  if (run == nullptr) return real(seconds);
  sleep_for(*run, std::chrono::seconds(seconds));
  return 0;
}

EXPORTED int sched_yield() noexcept {
  static const auto real = NEXT(sched_yield);
  runtime* const run = virtual_time();
  if (run == nullptr) return real();
  run->threads().poll();
  return 0;
}

/// The libraries of OpenMP wait in ways that nobody here sees, so their threads cannot take turns with others. That of g++ is not
/// used by code which a current g++ compiled (openmp.cpp).
bool is_of_openmp(const void* code) {
  Dl_info found{};
  if (dladdr(code, &found) == 0 || found.dli_fname == nullptr) return false;
  const std::string_view library(found.dli_fname);
  return library.find("/libgomp.so") != library.npos || library.find("/libomp.so") != library.npos;
}

EXPORTED int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*function)(void*),
                            void* argument) noexcept {
  static const auto real = NEXT(pthread_create);
  runtime& run = runtime::get();
  if (host_threads::self() == nullptr) return real(thread, attributes, function, argument);
  if (is_of_openmp(__builtin_return_address(0))) {
    run.fatal(
        "lesson_broken",
        "a library of OpenMP starts a second thread, which cannot be put in order with the others: compile with g++ 4.9 or "
        "newer, or set KMP_DEVICE_THREAD_LIMIT=1 for clang++, as ./streamlings run does");
  }
  host_thread& added = run.add_thread();
  auto begins_with = std::make_unique<thread_start>(thread_start{&added, function, argument});
  const int result = real(thread, attributes, &run_thread, begins_with.get());
  if (result == 0) {
    begins_with.release();  // freed where the thread begins
    started_threads()[*thread] = &added;
  } else {
    added.state = host_thread::stage::ended;
  }
  return result;
}

EXPORTED int pthread_join(pthread_t thread, void** result) {
  static const auto real = NEXT(pthread_join);
  runtime* const run = virtual_time();
  const auto found = started_threads().find(thread);
  if (run == nullptr || found == started_threads().end()) return real(thread, result);
  host_thread& awaited = *found->second;
  started_threads().erase(found);
  while (awaited.state != host_thread::stage::ended)
    run->threads().wait_on(&awaited, std::nullopt, "the end of a thread");
  run->acquire_end(awaited);
  return real(thread, result);
}

EXPORTED int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  static const auto real = NEXT(pthread_mutex_lock);
  runtime* const run = virtual_time();
  return run == nullptr ? real(mutex) : lock(*run, mutex);
}

EXPORTED int pthread_mutex_trylock(pthread_mutex_t* mutex) noexcept {
  static const auto real = NEXT(pthread_mutex_trylock);
  runtime* const run = virtual_time();
  const int result = real(mutex);
  if (run == nullptr) return result;
  if (result == 0) run->acquire(mutex);
  if (result == EBUSY) run->threads().poll();
  return result;
}

EXPORTED int pthread_mutex_timedlock(pthread_mutex_t* mutex, const timespec* until) noexcept {
  static const auto real = NEXT(pthread_mutex_timedlock);
  runtime* const run = virtual_time();
  if (run == nullptr) return real(mutex, until);
  return lock(*run, mutex, from_timespec(*until) - begin_of(CLOCK_REALTIME));
}

EXPORTED int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock,
                                     const timespec* until) noexcept {
  static const auto real = NEXT(pthread_mutex_clocklock);
  runtime* const run = virtual_time();
  if (run == nullptr) return real(mutex, clock, until);
  return lock(*run, mutex, from_timespec(*until) - begin_of(clock));
}

EXPORTED int pthread_mutex_unlock(pthread_mutex_t* mutex) noexcept {
  static const auto real = NEXT(pthread_mutex_unlock);
  runtime* const run = virtual_time();
  return run == nullptr ? real(mutex) : unlock(*run, mutex);
}

EXPORTED int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  static const auto real = NEXT(pthread_cond_wait);
  runtime* const run = virtual_time();
  return run == nullptr ? real(condition, mutex) : wait_for_signal(*run, condition, mutex, std::nullopt);
}

EXPORTED int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                                    const timespec* until) {
  static const auto real = NEXT(pthread_cond_timedwait);
  runtime* const run = virtual_time();
  if (run == nullptr) return real(condition, mutex, until);
  return wait_for_signal(*run, condition, mutex, from_timespec(*until) - begin_of(CLOCK_REALTIME));
}

EXPORTED int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                                    const timespec* until) {
  static const auto real = NEXT(pthread_cond_clockwait);
  runtime* const run = virtual_time();
  if (run == nullptr) return real(condition, mutex, clock, until);
  return wait_for_signal(*run, condition, mutex, from_timespec(*until) - begin_of(clock));
}

EXPORTED int pthread_cond_signal(pthread_cond_t* condition) noexcept {
  static const auto real = NEXT(pthread_cond_signal);
  runtime* const run = virtual_time();
  if (run == nullptr) return real(condition);
  run->note_notification(condition);
  run->threads().wake_one(condition);
  run->interrupt();
  return 0;
}

EXPORTED int pthread_cond_broadcast(pthread_cond_t* condition) noexcept {
  static const auto real = NEXT(pthread_cond_broadcast);
  runtime* const run = virtual_time();
  if (run == nullptr) return real(condition);
  run->note_notification(condition);
  run->threads().wake_all(condition);
  run->interrupt();
  return 0;
}

}  // extern "C"

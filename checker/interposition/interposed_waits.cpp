// interposed_waits.cpp: functions of the C library in which threads wait for each other, beside those in
// interposed.cpp.
//
// | function                                    | what C++ makes of it                           |
// |---------------------------------------------|------------------------------------------------|
// | sem_wait, _trywait, _timedwait, _clockwait, |                                                |
// |   _post                                     |                                                |
// | pthread_rwlock_rdlock, _wrlock, _tryrdlock, | std::shared_mutex                              |
// |   _trywrlock, _unlock                       |                                                |
// | pthread_spin_lock, _trylock, _unlock        |                                                |
// | pthread_barrier_init, _wait                 |                                                |
// | pthread_once                                | std::call_once                                 |
// | syscall: futex, waiting and waking          | std::future and all that has one (std::async,  |
// |                                             |   std::promise), the waits of C++20's atomics, |
// |                                             |   static variables of functions                |
// | __cxa_guard_acquire, _release, _abort       | static variables of functions                  |
//
// All are exported, so libstdc++ reaches them too. The C library's own objects keep their state, but nobody
// ever waits in them: one thread runs at a time, and who would have to wait waits in virtual time. Not taken:
// read-write locks with a time limit.
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <map>
#include <optional>
#include <set>

#include "interposition/virtual_time.h"
#include "kernels/exported.h"
#include "kernels/program_image.h"

using interposition::begin_of;
using interposition::from_timespec;
using interposition::nanoseconds;
using interposition::runtime;
using interposition::virtual_time;

namespace {

/// Takes one of what the semaphore counts, as sem_wait does.
int wait_for(runtime& run, sem_t* semaphore, std::optional<nanoseconds> deadline) {
  static const auto try_real = NEXT(sem_trywait);
  while (try_real(semaphore) != 0) {
    if (errno != EAGAIN) return -1;
    if (!run.threads().wait_on(semaphore, deadline, "a semaphore")) {
      errno = ETIMEDOUT;
      return -1;
    }
  }
  run.acquire(semaphore);
  return 0;
}

/// What a thread waits on: the lock, which may be volatile.
const void* object_of(const volatile void* lock) { return const_cast<const void*>(lock); }

/// Takes a read-write lock or a spin lock; `try_real` is the C library's function that does not wait.
template <typename Lock>
int wait_for(runtime& run, Lock* lock, int (*try_real)(Lock*), const char* in_words = "a read-write lock") {
  int result = try_real(lock);
  while (result == EBUSY) {
    run.threads().wait_on(object_of(lock), std::nullopt, in_words);
    result = try_real(lock);
  }
  if (result == 0) run.acquire(object_of(lock));
  return result;
}

template <typename Lock>
int try_once(runtime& run, Lock* lock, int (*try_real)(Lock*)) {
  const int result = try_real(lock);
  if (result == 0) run.acquire(object_of(lock));
  if (result == EBUSY) run.threads().poll();
  return result;
}

/// The read-write locks that somebody holds to write.
std::set<const pthread_rwlock_t*>& held_to_write() {
  static std::set<const pthread_rwlock_t*> all;
  return all;
}

/// What those pass on who read: only who writes takes it over.
const void* readers_of(const pthread_rwlock_t* lock) { return reinterpret_cast<const char*>(lock) + 1; }

int note_write_lock(runtime& run, const pthread_rwlock_t* lock, int result) {
  if (result != 0) return result;
  run.acquire(readers_of(lock));
  held_to_write().insert(lock);
  return result;
}

struct barrier_state {
  unsigned count = 0;
  unsigned arrived = 0;
  std::uint64_t round = 0;
};

std::map<const pthread_barrier_t*, barrier_state>& barriers() {
  static std::map<const pthread_barrier_t*, barrier_state> all;
  return all;
}

/// Initializations that have begun and not ended.
std::set<const pthread_once_t*>& begun_once() {
  static std::set<const pthread_once_t*> all;
  return all;
}

long wait_in_futex(runtime& run, const std::uint32_t* word, std::uint32_t expected,
                   std::optional<nanoseconds> deadline) {
  if (__atomic_load_n(word, __ATOMIC_SEQ_CST) != expected) {
    errno = EAGAIN;
    return -1;
  }
  const bool was_woken = run.threads().wait_on(word, deadline, "a future or an atomic");
  run.acquire(word);
  if (was_woken) return 0;
  errno = ETIMEDOUT;
  return -1;
}

/// A futex that waits or wakes; nothing for other kinds.
std::optional<long> futex(runtime& run, const std::uint32_t* word, int operation, std::uint32_t value,
                          const timespec* timeout) {
  const clockid_t clock = (operation & FUTEX_CLOCK_REALTIME) != 0 ? CLOCK_REALTIME : CLOCK_MONOTONIC;
  std::optional<nanoseconds> deadline;
  switch (operation & FUTEX_CMD_MASK) {
    case FUTEX_WAIT:
      if (timeout != nullptr) deadline = run.clock().now() + from_timespec(*timeout);
      return wait_in_futex(run, word, value, deadline);
    case FUTEX_WAIT_BITSET:
      if (timeout != nullptr) deadline = from_timespec(*timeout) - begin_of(clock);
      return wait_in_futex(run, word, value, deadline);
    case FUTEX_WAKE:
    case FUTEX_WAKE_BITSET: {
      run.release_beside_others(word);
      std::size_t woken = 0;
      while (woken < value && run.threads().wake_one(word) == 1) ++woken;
      return static_cast<long>(woken);
    }
    default:
      return std::nullopt;
  }
}

/// For the program's own variables only.
runtime* run_of_guard(const long long* guard) {
  return kernels::program_image.holds(kernels::address_of(guard)) ? virtual_time() : nullptr;
}

void end_construction(long long* guard) {
  std::atomic_ref<std::uint8_t>(reinterpret_cast<std::uint8_t*>(guard)[1]).store(0);
  if (runtime* const run = virtual_time()) run->threads().wake_all(guard);
}

}  // namespace

extern "C" {

EXPORTED int sem_wait(sem_t* semaphore) {
  static const auto real = NEXT(sem_wait);
  runtime* const run = virtual_time();
  return run == nullptr ? real(semaphore) : wait_for(*run, semaphore, std::nullopt);
}

EXPORTED int sem_timedwait(sem_t* semaphore, const timespec* until) {
  static const auto real = NEXT(sem_timedwait);
  runtime* const run = virtual_time();
  if (run == nullptr) return real(semaphore, until);
  return wait_for(*run, semaphore, from_timespec(*until) - begin_of(CLOCK_REALTIME));
}

EXPORTED int sem_clockwait(sem_t* semaphore, clockid_t clock, const timespec* until) {
  static const auto real = NEXT(sem_clockwait);
  runtime* const run = virtual_time();
  if (run == nullptr) return real(semaphore, clock, until);
  return wait_for(*run, semaphore, from_timespec(*until) - begin_of(clock));
}

EXPORTED int sem_trywait(sem_t* semaphore) noexcept {
  static const auto real = NEXT(sem_trywait);
  runtime* const run = virtual_time();
  const int result = real(semaphore);
  if (run == nullptr) return result;
  if (result == 0) {
    run->acquire(semaphore);
  } else if (errno == EAGAIN) {
    run->threads().poll();
    errno = EAGAIN;
  }
  return result;
}

EXPORTED int sem_post(sem_t* semaphore) noexcept {
  static const auto real = NEXT(sem_post);
  runtime* const run = virtual_time();
  if (run == nullptr) return real(semaphore);
  run->release_beside_others(semaphore);
  const int result = real(semaphore);
  run->threads().wake_one(semaphore);
  return result;
}

EXPORTED int pthread_rwlock_rdlock(pthread_rwlock_t* lock) noexcept {
  static const auto real = NEXT(pthread_rwlock_rdlock);
  static const auto try_real = NEXT(pthread_rwlock_tryrdlock);
  runtime* const run = virtual_time();
  return run == nullptr ? real(lock) : wait_for(*run, lock, try_real);
}

EXPORTED int pthread_rwlock_wrlock(pthread_rwlock_t* lock) noexcept {
  static const auto real = NEXT(pthread_rwlock_wrlock);
  static const auto try_real = NEXT(pthread_rwlock_trywrlock);
  runtime* const run = virtual_time();
  return run == nullptr ? real(lock) : note_write_lock(*run, lock, wait_for(*run, lock, try_real));
}

EXPORTED int pthread_rwlock_tryrdlock(pthread_rwlock_t* lock) noexcept {
  static const auto real = NEXT(pthread_rwlock_tryrdlock);
  runtime* const run = virtual_time();
  return run == nullptr ? real(lock) : try_once(*run, lock, real);
}

EXPORTED int pthread_rwlock_trywrlock(pthread_rwlock_t* lock) noexcept {
  static const auto real = NEXT(pthread_rwlock_trywrlock);
  runtime* const run = virtual_time();
  return run == nullptr ? real(lock) : note_write_lock(*run, lock, try_once(*run, lock, real));
}

EXPORTED int pthread_rwlock_unlock(pthread_rwlock_t* lock) noexcept {
  static const auto real = NEXT(pthread_rwlock_unlock);
  runtime* const run = virtual_time();
  if (run == nullptr) return real(lock);
  if (held_to_write().erase(lock) != 0) {
    run->release(lock);
  } else {
    run->release_beside_others(readers_of(lock));
  }
  const int result = real(lock);
  run->threads().wake_all(lock);
  run->interrupt();
  return result;
}

EXPORTED int pthread_spin_lock(pthread_spinlock_t* lock) noexcept {
  static const auto real = NEXT(pthread_spin_lock);
  static const auto try_real = NEXT(pthread_spin_trylock);
  runtime* const run = virtual_time();
  return run == nullptr ? real(lock) : wait_for(*run, lock, try_real, "a spin lock");
}

EXPORTED int pthread_spin_trylock(pthread_spinlock_t* lock) noexcept {
  static const auto real = NEXT(pthread_spin_trylock);
  runtime* const run = virtual_time();
  return run == nullptr ? real(lock) : try_once(*run, lock, real);
}

EXPORTED int pthread_spin_unlock(pthread_spinlock_t* lock) noexcept {
  static const auto real = NEXT(pthread_spin_unlock);
  runtime* const run = virtual_time();
  if (run == nullptr) return real(lock);
  run->release(object_of(lock));
  const int result = real(lock);
  run->threads().wake_one(object_of(lock));
  run->interrupt();
  return result;
}

EXPORTED int pthread_barrier_init(pthread_barrier_t* barrier, const pthread_barrierattr_t* attributes,
                                  unsigned int count) noexcept {
  static const auto real = NEXT(pthread_barrier_init);
  const int result = real(barrier, attributes, count);
  if (result == 0) barriers()[barrier] = {.count = count};
  return result;
}

EXPORTED int pthread_barrier_wait(pthread_barrier_t* barrier) noexcept {
  static const auto real = NEXT(pthread_barrier_wait);
  runtime* const run = virtual_time();
  if (run == nullptr) return real(barrier);
  barrier_state& state = barriers()[barrier];
  run->release_beside_others(barrier);
  const bool is_last = ++state.arrived == state.count;
  if (is_last) {
    state.arrived = 0;
    ++state.round;
    run->threads().wake_all(barrier);
  } else {
    for (const std::uint64_t round = state.round; state.round == round;)
      run->threads().wait_on(barrier, std::nullopt, "a barrier");
  }
  run->acquire(barrier);
  return is_last ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}

EXPORTED int pthread_once(pthread_once_t* control, void (*initialize)()) {
  static const auto real = NEXT(pthread_once);
  runtime* const run = virtual_time();
  if (run == nullptr) return real(control, initialize);
  while (begun_once().count(control) != 0) run->threads().wait_on(control, std::nullopt, "std::call_once");
  /// Ends the turn also when the initialization throws: then the next thread tries again.
  struct turn {
    runtime& run;
    pthread_once_t* control;
    ~turn() {
      begun_once().erase(control);
      run.release_beside_others(control);
      run.threads().wake_all(control);
    }
  };
  begun_once().insert(control);
  const turn mine{*run, control};
  run->acquire(control);
  return real(control, initialize);
}

// The three functions of the C++ ABI for static variables of functions. They are written out, because a compiler may link
// its own statically. Instrumented code reads the first byte itself: not 0 once the variable is there. No static variables in
// these functions: they would call them.
// Source: Itanium C++ ABI, 3.3.3 "One-time Construction API".

EXPORTED int __cxa_guard_acquire(long long* guard) {
  std::atomic_ref<std::uint8_t> is_there(reinterpret_cast<std::uint8_t*>(guard)[0]);
  std::atomic_ref<std::uint8_t> is_begun(reinterpret_cast<std::uint8_t*>(guard)[1]);
  runtime* const run = virtual_time();
  for (std::uint8_t nobody = 0; is_there.load() == 0; nobody = 0) {
    if (is_begun.compare_exchange_strong(nobody, 1)) {
      if (is_there.load() == 0) return 1;
      is_begun.store(0);
    } else if (run != nullptr) {
      run->threads().wait_on(guard, std::nullopt, "a static variable");
    } else {
      sched_yield();
    }
  }
  if (runtime* const observed = run_of_guard(guard)) observed->acquire(guard);
  return 0;
}

EXPORTED void __cxa_guard_release(long long* guard) {
  if (runtime* const run = run_of_guard(guard)) run->release(guard);
  std::atomic_ref<std::uint8_t>(reinterpret_cast<std::uint8_t*>(guard)[0]).store(1);
  end_construction(guard);
}

EXPORTED void __cxa_guard_abort(long long* guard) { end_construction(guard); }

EXPORTED long syscall(long number, ...) noexcept {
  static const auto real = NEXT(syscall);
  long arguments[6];
  va_list list;
  va_start(list, number);
  for (long& argument : arguments) argument = va_arg(list, long);
  va_end(list);
  runtime* const run = virtual_time();
  if (number == SYS_futex && run != nullptr) {
    const std::optional<long> result =
        futex(*run, reinterpret_cast<const std::uint32_t*>(arguments[0]), static_cast<int>(arguments[1]),
              static_cast<std::uint32_t>(arguments[2]), reinterpret_cast<const timespec*>(arguments[3]));
    if (result) return *result;
  }
  return real(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
}

}  // extern "C"

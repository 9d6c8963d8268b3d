// turn.h: how one host thread waits until another gives it the turn to run.
//
// Not std::binary_semaphore: that spins with sched_yield() and sleeps with syscall(), which in an exercise
// program are ours (interposition/) and would take the waiting thread for one of the program's.
//
//     turn.await();          // on one thread
//     turn.give();           // on another
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>

#include <atomic>
#include <cstdint>

namespace cuda_runtime {

/// Given or not; giving it twice is giving it once.
class turn {
 public:
  /// Waits for give(), and takes it.
  void await() {
    while (is_given_.exchange(0, std::memory_order_acquire) == 0) {
      futex(FUTEX_WAIT_PRIVATE, 0);
    }
  }
  /// Resumes the thread that waits, or the next that will.
  void give() {
    is_given_.store(1, std::memory_order_release);
    futex(FUTEX_WAKE_PRIVATE, 1);
  }

 private:
  static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));

  /// The system call itself, without time limit. @see futex(2), syscall(2) "Architecture calling conventions"
  void futex(long operation, long value) {
    long number = SYS_futex;
    register const void* timeout __asm__("r10") = nullptr;
    __asm__ volatile("syscall"
                     : "+a"(number)
                     : "D"(&is_given_), "S"(operation), "d"(value), "r"(timeout)
                     : "rcx", "r11", "memory");
  }

  std::atomic<std::uint32_t> is_given_{0};
};

}  // namespace cuda_runtime

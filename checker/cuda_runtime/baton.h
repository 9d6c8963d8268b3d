// baton.h: what exactly one host thread holds: it waits until somebody passes it.
//
// Not std::binary_semaphore: that spins with sched_yield() and sleeps with syscall(), which in an exercise
// program are ours (interposed.cpp) and would take the waiting thread for one of the program's.
//
//     baton.await();          // on one thread
//     baton.pass();           // on another
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>

#include <atomic>
#include <cstdint>

namespace cuda_runtime {

/// There or not there; passing it twice is passing it once.
class baton {
 public:
  /// Waits for pass(), and takes it.
  void await() {
    while (is_there_.exchange(0, std::memory_order_acquire) == 0) {
      futex(FUTEX_WAIT_PRIVATE, 0);
    }
  }
  /// Lets the thread that waits, or the next that will, go on.
  void pass() {
    is_there_.store(1, std::memory_order_release);
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
                     : "D"(&is_there_), "S"(operation), "d"(value), "r"(timeout)
                     : "rcx", "r11", "memory");
  }

  std::atomic<std::uint32_t> is_there_{0};
};

}  // namespace cuda_runtime

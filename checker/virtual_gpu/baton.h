// baton.h: what exactly one host thread holds: it waits until somebody passes it.
//
// Not std::binary_semaphore: that spins with sched_yield(), which in an exercise program is ours (interposed.cpp) and
// would take the waiting thread for one of the program's that polls.
//
//     baton.await();          // on one thread
//     baton.pass();           // on another
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>

namespace virtual_gpu {

class baton {
 public:
  /// Waits for pass(), and takes it.
  void await() {
    while (is_there_.exchange(0, std::memory_order_acquire) == 0) {
      syscall(SYS_futex, word(), FUTEX_WAIT_PRIVATE, 0, nullptr, nullptr, 0);
    }
  }
  /// Lets the thread that waits, or the next that will, go on.
  void pass() {
    is_there_.store(1, std::memory_order_release);
    syscall(SYS_futex, word(), FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
  }

 private:
  static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));
  std::uint32_t* word() { return reinterpret_cast<std::uint32_t*>(&is_there_); }

  std::atomic<std::uint32_t> is_there_{0};
};

}  // namespace virtual_gpu

// test_kernel.h: for tests: a function of the test that runs as the one thread of a kernel, in the memory of
// the process's runtime.
//
//     test_kernel kernel([&] { __tsan_read4(device_memory); });
//     EXPECT_EQ(kernel.run.run(), kernels::kernel_state::finished);
//     EXPECT_THAT(kernel.run.log().harvest(), ElementsAre(...));
#pragma once

#include <functional>
#include <utility>

#include "cuda_runtime/runtime.h"
#include "kernels/kernel_run.h"

namespace interposition {

/// The function must not use assertions that print: a fiber's stack is small.
struct test_kernel {
  explicit test_kernel(std::function<void()> function)
      : thread(std::move(function)),
        run({kernels::kernel_copy({"kernel", &self, sizeof self, alignof(test_kernel*), &run_thread, nullptr,
                                   nullptr, 0, nullptr, nullptr, nullptr}),
             {1, 1}},
            48 << 10, cuda_runtime::runtime::get().gpu(), cuda_runtime::runtime::get().memory(), fibers) {}
  static void run_thread(void* closure) { (*static_cast<test_kernel**>(closure))->thread(); }

  test_kernel* self = this;  // the kernel's argument
  std::function<void()> thread;
  kernels::fiber_pool fibers;
  kernels::kernel_run run;
};

/// Runs the function as a kernel that ends, and returns what its work was counted as.
inline kernels::work_counters work_in_kernel(std::function<void()> function) {
  kernels::work_counters work;
  test_kernel kernel([&] {
    // From zero, because differences of sums are not exact.
    const kernels::work_counters before = std::exchange(kernels::counters, {});
    function();
    work = std::exchange(kernels::counters, before);
  });
  kernel.run.run();
  return work;
}

}  // namespace interposition

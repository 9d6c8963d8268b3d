// running_kernel.h: for tests: a kernel whose threads run a function of the test, with a GPU on which a basic block takes a cycle.
//
//     running_kernel it(2, 32, [&](kernel_run& kernel) { results.push_back(thread_number(kernel)); });
//     EXPECT_EQ(it.run.run(), kernel_state::finished);
#pragma once

#include <functional>
#include <list>
#include <string>
#include <utility>

#include "kernels/kernel_run.h"

namespace kernels {

/// A kernel whose threads run a function of the test.
struct running_kernel {
  explicit running_kernel(dim3 blocks, dim3 threads, std::function<void(kernel_run&)> each_thread,
                          block_residency residency = block_residency::in_turn)
      : body(std::move(each_thread)),
        run({kernel_copy(image()), {blocks, threads}, 0, residency}, 48 << 10, gpu, all, fibers) {}

  kernel_image image() {
    return {name.c_str(), &self,   sizeof(self), alignof(running_kernel*), &run_thread, nullptr, nullptr, 0,
            nullptr,      nullptr, nullptr};
  }
  static void run_thread(void* self) { (*static_cast<running_kernel**>(self))->body(*kernel_run::current()); }
  static inline std::list<std::string> names;  // they outlive their kernels, as literals do
  static device::profile simple_gpu() {
    device::profile gpu;
    gpu.warp_size = 32;
    gpu.clock = 1000;
    gpu.basic_block_latency = 1;
    gpu.basic_block_throughput = 1;
    return gpu;
  }

  const std::string& name = names.emplace_back("kernel " + std::to_string(names.size()));
  const device::profile gpu = simple_gpu();
  memory all;
  fiber_pool fibers;
  running_kernel* self = this;  // the argument
  std::function<void(kernel_run&)> body;
  kernel_run run;
};

/// threadIdx.x
inline unsigned thread_number(kernel_run& kernel) {
  const dim3 index = kernel.running_thread_index();
  return index.x;
}

/// __syncthreads()
inline void wait_at_barrier(kernel_run& kernel) {
  barrier_arrival arrival{"__syncthreads"};
  kernel.wait_at_barrier(arrival);
}

}  // namespace kernels

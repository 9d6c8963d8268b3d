// kernel_run.h: one kernel executed as C++: its blocks one after another, their threads as loops on fibers.
//
// A thread that meets a barrier, or that polls memory without progress, leaves its fiber; the next thread goes on on
// another one. A kernel that polls for something outside it is *waiting*: run() is called again when memory may have
// changed. What the threads did is counted for the time model. Not here: when the kernel starts and ends (device/).
//
//     kernel_run run(image, grid, block, shared_bytes, gpu, memory);
//     if (run.run() == kernel_state::finished) use(run.work(), run.log().harvest());
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "device/kernel_cost.h"
#include "virtual_gpu/access_log.h"
#include "virtual_gpu/fiber.h"
#include "virtual_gpu/include/device_language.h"

namespace virtual_gpu {

enum class kernel_state { finished, waiting, faulted };

/// Why a kernel was stopped.
struct kernel_fault {
  int error = 0;            ///< the cudaError_t that the hardware gives
  std::string kind;         ///< for the diagnostic: "illegal_address", ...
  std::string message;      ///< one plain sentence
  address code = 0;         ///< where in the kernel; 0: not known
};

/// Counts of what the running kernel did, written by the instrumentation's hooks.
struct work_counters {
  std::uint64_t basic_blocks = 0;
  std::uint64_t accesses = 0;
  double math_throughput = 0;  ///< cycles/warp
  double math_latency = 0;     ///< cycles
  double spin = 0;             ///< cycles
};
extern work_counters counters;

class kernel_run {
 public:
  kernel_run(const kernel_image& image, dim3 grid, dim3 block, std::size_t dynamic_shared_bytes, const device::profile& gpu,
             const memory& where, fiber_pool& fibers);
  ~kernel_run();
  kernel_run(const kernel_run&) = delete;
  kernel_run& operator=(const kernel_run&) = delete;

  /// Runs until all blocks are done, or all that are left wait for memory to change, or a thread faults.
  kernel_state run();
  /// Whether it ever waited for memory to change: then its writes were visible meanwhile.
  bool has_waited() const { return has_waited_; }
  device::kernel_work work() const;
  kernel_log& log() { return log_; }
  const kernel_fault& fault() const { return fault_; }

  /// The kernel that is running now, or nullptr in host code.
  static kernel_run* current() { return current_; }

  // Called on a fiber of the running kernel:
  void barrier();                                  ///< __syncthreads()
  void poll();                                     ///< a volatile or atomic read: may be part of a polling loop
  void progress() { polls_ = 0; }                  ///< anything that is no polling
  [[noreturn]] void stop(kernel_fault why);        ///< ends the kernel
  long long clock();                               ///< clock64()
  void* shared_object(const void* key, std::size_t bytes, std::size_t alignment);
  void* dynamic_shared();
  /// Whether a thread may use that address outside the arena: its stack, its arguments, shared memory, the program's
  /// constants and variables.
  bool owns_address(address where) const;

 private:
  struct thread_position {
    std::unique_ptr<fiber> on;
    unsigned thread = 0;
  };
  /// One block that has begun.
  struct block_run {
    std::uint64_t index = 0;
    unsigned next_thread = 0;
    std::vector<thread_position> at_barrier;
    std::vector<thread_position> polling;
    std::vector<std::pair<const void*, std::size_t>> shared_objects;  // key, offset
    std::unique_ptr<unsigned char[]> shared_memory;
    std::size_t shared_bytes = 0;
    double latency_cycles = 0;     // of the phases between barriers that are over
    double slowest_thread = 0;     // of this phase
    device::block_work work;
  };

  enum class fiber_is { fresh, parked };

  static constexpr std::size_t shared_memory_most = 256 << 10;
  static constexpr int polls_most = 256;

  void set_block(const block_run& block) const;
  void set_thread(unsigned thread);
  bool continue_block(block_run& block);
  void run_fiber(thread_position position, fiber_is what);
  static void thread_loop(void* self);
  void account();
  void park(std::vector<thread_position>& where);

  const kernel_image image_;
  dim3 grid_;
  dim3 block_;
  unsigned threads_;
  std::size_t dynamic_shared_bytes_;
  const device::profile& gpu_;
  kernel_log log_;
  fiber_pool& fibers_;
  std::uint64_t next_block_ = 0;
  std::uint64_t blocks_;
  std::deque<block_run> open_;                  // begun and not ended: waiting ones
  std::unique_ptr<unsigned char[]> spare_shared_;
  block_run* running_ = nullptr;
  unsigned thread_ = 0;
  std::unique_ptr<fiber> fiber_;                // the one that is running
  std::vector<thread_position>* park_in_ = nullptr;
  work_counters mark_;                          // counters when the running thread was entered
  int polls_ = 0;
  int clock_reads_ = 0;
  bool has_waited_ = false;
  bool has_faulted_ = false;
  kernel_fault fault_;
  std::vector<device::block_work> done_;        // by block

  static kernel_run* current_;
};

}  // namespace virtual_gpu

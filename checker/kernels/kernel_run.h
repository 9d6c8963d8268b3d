// kernel_run.h: one kernel executed as C++: its blocks one after another, their threads as loops on fibers.
//
// A thread that waits (at a barrier, for its warp, polling memory without progress) leaves its fiber; the
// next thread goes on on another one. A kernel that polls for something outside it is *waiting*: run() is
// called again when memory may have changed. Threads that wait for each other in vain are a fault. What the
// threads did is counted for the time model. Not here: when the kernel starts and ends (device/).
//
//     kernel_run run(launch, shared_bytes_most, gpu, memory, fibers);
//     if (run.run() == kernel_state::finished) use(run.work(), run.log().harvest());
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "device/kernel_cost.h"
#include "kernels/access_log.h"
#include "kernels/fiber.h"
#include "kernels/kernel_arguments.h"
#include "kernels/warp.h"

namespace kernels {

/// How far run() came: all blocks are done; those that are left wait for memory to change; a fault ended it.
enum class kernel_state { finished, waiting, faulted };

/// Why a kernel was stopped.
struct kernel_fault {
  int error = 0;  ///< the cudaError_t that the hardware gives
  trace::diagnostic_kind kind = trace::diagnostic_kind::out_of_bounds;
  std::string message;  ///< one plain sentence
  address code = 0;     ///< where in the kernel; 0: not known
};

/// Counts of what the running kernel did, written by the instrumentation's hooks.
struct work_counters {
  std::uint64_t basic_blocks = 0;  ///< executed
  std::uint64_t accesses = 0;      ///< reads, writes and atomic updates
  double math_throughput = 0;      ///< cycles/warp
  double math_latency = 0;         ///< cycles
  double spin = 0;                 ///< cycles

  work_counters operator-(const work_counters& other) const {
    return {basic_blocks - other.basic_blocks, accesses - other.accesses,
            math_throughput - other.math_throughput, math_latency - other.math_latency, spin - other.spin};
  }
  bool operator==(const work_counters&) const = default;
};
/// Counted up by the hooks, and never reset: a run takes the difference around each of its threads.
extern work_counters counters;

/// A thread at a barrier of its block. It lives on the thread's stack while the thread waits.
struct barrier_arrival {
  const char* operation;    ///< "__syncthreads": all threads have to come to the same one
  bool predicate = false;   ///< what the thread gave
  address code = 0;         ///< where the thread is
  unsigned true_count = 0;  ///< filled in: how many gave true, ...
  unsigned count = 0;       ///< ... of how many
};

/// Whether the blocks of a kernel may wait for each other: only when all of them are resident.
enum class block_residency { in_turn, all_at_once };

/// A launch that has not started.
struct kernel_launch {
  kernel_copy kernel;                                    ///< launches of a graph's node share its arguments
  dim3 grid;                                             ///< blocks
  dim3 block;                                            ///< threads of a block
  std::size_t shared_memory_bytes = 0;                   ///< dynamic shared memory of each block
  block_residency residency = block_residency::in_turn;  ///< cooperative launches: all_at_once
};

/// One launch, from its first thread to its last. Everything runs on the calling system thread.
class kernel_run {
 public:
  /// `shared_bytes_most`: what a block may have of shared memory, dynamic
  /// and static together. The others outlive it.
  kernel_run(const kernel_launch& what, std::size_t shared_bytes_most, const device::profile& gpu,
             const memory& where, fiber_pool& fibers);
  ~kernel_run();
  kernel_run(const kernel_run&) = delete;
  kernel_run& operator=(const kernel_run&) = delete;

  /// Runs until all blocks are done, or all that are left wait for memory to change, or a thread faults.
  kernel_state run();
  /// Whether it ever waited for memory to change: then its writes were visible meanwhile.
  bool has_waited() const { return has_waited_; }
  /// Whether a thread ordered its writes for others by a fence: who sees its flag must see them too.
  bool shows_writes() const { return shows_writes_; }
  /// What the blocks did, for the time model; complete once run() has said finished.
  device::kernel_work work() const;
  /// The bytes that its threads touched.
  kernel_log& log() { return log_; }
  /// Why it was stopped; of use once run() has said faulted.
  const kernel_fault& fault() const { return fault_; }
  /// What its threads printed since the last call.
  std::vector<std::string> take_printed() { return std::exchange(printed_, {}); }
  /// Whether its blocks may wait for each other.
  bool is_cooperative() const { return residency_ == block_residency::all_at_once; }

  /// The kernel that is running now, or nullptr in host code.
  static kernel_run* current() { return current_; }

  // Called on a fiber of the running kernel:
  /// A fence for other kernels or the host: from now on what the kernel writes is seen at once.
  void show_writes() { shows_writes_ = true; }
  void wait_at_barrier(
      barrier_arrival& arrival);         ///< until all threads of the block that have not ended are there
  void wait_for_grid(address code);      ///< until all threads of all blocks are there
  void meet(warp_arrival& arrival);      ///< until all lanes of the mask that have not ended are there
  lane_mask active_lanes(address code);  ///< the lanes that came to that place together
  /// The running thread's place in its warp, 0 to 31.
  unsigned lane() const { return thread_ % 32; }
  void poll(address where);                                ///< a read that may be part of a polling loop
  void progress() { has_progressed_ = true, polls_ = 0; }  ///< anything that others may wait for
  /// The running thread printed that.
  void print(std::string text) { printed_.push_back(std::move(text)); }
  /// "thread 3 of block 0": for messages.
  std::string running_thread_in_words() const { return in_words(*running_, thread_); }
  /// blockIdx
  dim3 running_block_index() const { return index_of_block(running_->index); }
  /// threadIdx
  dim3 running_thread_index() const { return index_of_thread(thread_); }
  [[noreturn]] void stop(kernel_fault why);  ///< ends the kernel
  long long clock();                         ///< clock64()
  /// The block's own copy of a shared variable; `key` tells variables apart. Stops the kernel with
  /// cudaErrorLaunchOutOfResources when a block would need more than it may have.
  void* shared_object(const void* key, std::size_t bytes, std::size_t alignment);
  /// Where `extern __shared__` variables of the block begin.
  void* dynamic_shared();
  /// Whether a thread may use that address outside the arena: its stack, its arguments, shared memory, the
  /// program's constants and variables.
  bool owns_address(address where) const;
  /// Whether it is a local variable of the running thread.
  bool is_on_stack(address where) const { return fiber_->owns_address(where); }
  /// Whether it is a constant or a variable of the program.
  static bool is_of_program(address where) { return where - program_.begin < program_.bytes; }

 private:
  /// A thread that has left its fiber.
  struct parked_thread {
    std::unique_ptr<fiber> on;
    double latency = 0;  // cycles of this phase
  };
  /// A thread that asks who is there with it.
  struct active_query {
    unsigned thread;
    address code;
    lane_mask* answer;
  };
  /// Why continue_block() came back.
  enum class block_state { ended, polls, at_grid_barrier, faulted };
  enum class fiber_is { fresh, parked };
  /// One block that has begun. Lists hold thread numbers.
  struct block_run {
    std::uint64_t index = 0;
    unsigned next_thread = 0;
    std::vector<parked_thread> parked;  // by thread; empty as long as none ever was
    std::vector<unsigned> ready;        // parked, and may go on; from `next_ready`
    std::size_t next_ready = 0;
    std::vector<unsigned> polling;
    std::vector<std::pair<unsigned, barrier_arrival*>> at_barrier;
    std::vector<std::pair<unsigned, address>> at_grid_barrier;
    std::vector<active_query> active_queries;
    std::vector<warp> warps;  // empty as long as no thread used an operation of its warp
    std::vector<std::pair<const void*, std::size_t>> shared_objects;  // key, offset
    std::unique_ptr<unsigned char[]> shared_memory;
    std::size_t shared_bytes = 0;
    double latency_cycles = 0;  // of the phases between barriers that are over
    double slowest_thread = 0;  // of this phase
    device::block_work work;
    block_state state = block_state::polls;
  };

  static constexpr std::size_t shared_memory_most = 256 << 10;
  static constexpr int polls_most = 256;  // of a few addresses, before the thread lets others go on
  static constexpr int polls_of_many_most = 1 << 16;  // of whatever addresses, also between writes
  static constexpr int rounds_most = 1024;            // over the blocks that wait, before the host goes on

  void set_block(const block_run& block) const;
  void set_thread(unsigned thread);
  bool run_blocks();
  block_state continue_block(block_run& block);
  block_state let_wait(block_run& block);
  void release_barrier(block_run& block);
  bool answer_active_queries(block_run& block);
  bool release_grid();
  void begin_threads();
  void run_fiber(std::unique_ptr<fiber> on, fiber_is what);
  static void thread_loop(void* self);
  void end_thread();
  struct cost {
    double latency = 0;     // cycles
    double throughput = 0;  // cycles of a multiprocessor, of a thread
  };
  cost cost_of(const work_counters& work) const;
  void account();
  void park();
  static void let_go_on(block_run& block, unsigned thread, double latency);
  bool complete_meeting(warp& of, const warp_arrival& arrival);
  bool is_alive(unsigned thread) const;
  void fail(kernel_fault why);
  kernel_fault deadlock(const block_run& block) const;
  dim3 index_of_block(std::uint64_t block) const;
  dim3 index_of_thread(unsigned thread) const;
  std::string in_words(const block_run& block, unsigned thread) const;

  const kernel_copy kernel_;
  dim3 grid_;
  dim3 block_;
  unsigned threads_;
  std::size_t dynamic_shared_bytes_;
  std::size_t shared_bytes_most_;
  const device::profile& gpu_;
  block_residency residency_;
  kernel_log log_;
  fiber_pool& fibers_;
  std::uint64_t next_block_ = 0;
  std::uint64_t blocks_;
  std::deque<block_run> open_;  // begun and not ended: waiting ones
  std::unique_ptr<unsigned char[]> spare_shared_;
  block_run* running_ = nullptr;
  unsigned thread_ = 0;
  std::unique_ptr<fiber> fiber_;  // the one that is running
  double thread_latency_ = 0;     // cycles of the running thread in this phase, up to mark_
  work_counters mark_;            // counters when the running thread was last accounted for
  work_counters last_counted_;    // what account() saw last: most threads do the same as the one before
  cost last_cost_;                // and what it cost
  int polls_ = 0;
  int polls_of_many_ = 0;
  std::array<address, 4> polled_{};  // the latest addresses
  bool has_progressed_ = false;
  int clock_reads_ = 0;
  bool has_waited_ = false;
  bool shows_writes_ = false;
  bool has_faulted_ = false;
  kernel_fault fault_;
  std::vector<std::string> printed_;
  std::vector<device::block_work> done_;  // by block

  struct address_range {
    address begin;
    std::size_t bytes;
  };
  static address_range find_program();
  static const address_range program_;
  static kernel_run* current_;
};

}  // namespace kernels

// work_meter.h: counts the work of a kernel's threads and turns it into the cost of their block.
//
// Not here: how long the block then runs (device/kernel_cost.h).
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "device/kernel_cost.h"
#include "kernels/clock_wait.h"

namespace kernels {

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
/// Member by member: a wide read right after a write of 8 bytes waits until that has left the store buffer.
inline void assign(work_counters& to, const work_counters& from) {
  to.basic_blocks = from.basic_blocks;
  to.accesses = from.accesses;
  to.math_throughput = from.math_throughput;
  to.math_latency = from.math_latency;
  to.spin = from.spin;
}

/// Counted up by the hooks: a run begins at 0 with each block, and takes the difference around each of its threads.
extern work_counters counters;

/// The cost of a block so far. A phase between two barriers takes as long as its slowest thread.
struct block_cost {
  double earlier_phases = 0;  ///< cycles
  double slowest_thread = 0;  ///< cycles of this phase
  double warp_cycles = 0;     ///< throughput of a multiprocessor

  double latency_cycles() const { return earlier_phases + slowest_thread; }
  void end_phase() {
    earlier_phases += slowest_thread;
    slowest_thread = 0;
  }
};

/// Accounts for the threads of one kernel, one after another.
class work_meter {
 public:
  explicit work_meter(const device::profile& gpu) : gpu_(gpu) {}

  /// A thread begins, or resumes after so many cycles of this phase.
  void begin_thread(double latency_cycles) {
    assign(mark_, counters);
    begin_next_thread();
    latency_ = latency_cycles;
  }
  /// The same of a thread that begins right after account().
  void begin_next_thread() {
    latency_ = 0;
    clock_reads_ = 0;
    polling_blocks_ = 0;
    wait_.interrupt();
  }
  /// Adds what the running thread did since the last call to its block.
  void account(block_cost& block) {
    const work_counters work = counters - mark_;
    assign(mark_, counters);
    if (work != last_counted_) set_cost(work);
    latency_ += last_cost_.latency;
    block.slowest_thread = std::max(block.slowest_thread, latency_);
    if (polling_blocks_ == 0) {
      block.warp_cycles += last_warp_cycles_;
    } else {
      account_for_polling(block);
    }
  }
  /// Cycles of the running thread in this phase, up to the last account().
  double latency_cycles() const { return latency_; }
  void set_latency_cycles(double cycles) { latency_ = cycles; }
  /// clock64() of the running thread: cycles since its block began.
  long long clock(const block_cost& block);
  /// The running thread comes to a loop that only waits for the clock.
  void begin_clock_wait(address loop);
  /// A try of that loop has ended; whether to try it again. @see clock_wait
  bool end_clock_wait(bool has_same_result);
  void interrupt_clock_wait() { wait_.interrupt(); }

 private:
  struct cost {
    double latency = 0;     // cycles
    double throughput = 0;  // cycles of a multiprocessor
  };
  cost cost_of(const work_counters& work) const;
  void set_cost(const work_counters& work);
  void account_for_polling(block_cost& block);

  /// Where a thread is in its work.
  struct progress {
    work_counters counted;
    work_counters at_clock_read;
    std::uint64_t polling_blocks;
    int clock_reads;
  };
  void keep(progress& current) const;
  void return_to(const progress& earlier);

  const device::profile& gpu_;
  double latency_ = 0;
  work_counters mark_;          // counters at the last account()
  work_counters last_counted_;  // most threads do the same as the one before
  cost last_cost_;
  double last_warp_cycles_ = 0;  // its throughput by warp
  int clock_reads_ = 0;
  work_counters at_clock_read_;       // counters at the last clock read
  std::uint64_t polling_blocks_ = 0;  // since the last account(), only to read the clock again
  clock_wait wait_;
  progress at_wait_{};        // when the thread came to the loop
  progress at_first_read_{};  // of the first try
};

}  // namespace kernels

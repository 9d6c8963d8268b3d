#include "kernels/work_meter.h"

#include <algorithm>

namespace kernels {

work_counters counters;

work_meter::cost work_meter::cost_of(const work_counters& work) const {
  const auto basic_blocks = static_cast<double>(work.basic_blocks);
  const auto accesses = static_cast<double>(work.accesses);
  return {
      basic_blocks * gpu_.basic_block_latency + accesses * gpu_.access_latency + work.math_latency +
          work.spin,
      basic_blocks * gpu_.basic_block_throughput + accesses * gpu_.access_throughput + work.math_throughput};
}

void work_meter::set_cost(const work_counters& work) {
  assign(last_counted_, work);
  last_cost_ = cost_of(work);
  last_warp_cycles_ = last_cost_.throughput / gpu_.warp_size;
}

void work_meter::account_for_polling(block_cost& block) {
  const double polling = static_cast<double>(polling_blocks_) * gpu_.basic_block_throughput;
  block.warp_cycles += (last_cost_.throughput - polling) / gpu_.warp_size;
  polling_blocks_ = 0;
}

void work_meter::keep(progress& current) const {
  assign(current.counted, counters);
  assign(current.at_clock_read, at_clock_read_);
  current.polling_blocks = polling_blocks_;
  current.clock_reads = clock_reads_;
}

void work_meter::return_to(const progress& earlier) {
  assign(counters, earlier.counted);
  assign(at_clock_read_, earlier.at_clock_read);
  polling_blocks_ = earlier.polling_blocks;
  clock_reads_ = earlier.clock_reads;
}

void work_meter::begin_clock_wait(address loop) {
  wait_.begin(loop);
  keep(at_wait_);
}

bool work_meter::end_clock_wait(bool has_same_result) {
  if (wait_.end(has_same_result) == clock_wait::next::go_on) return false;
  return_to(at_wait_);
  return true;
}

long long work_meter::clock(const block_cost& block) {
  // The rounds of a loop that waits are no work: a multiprocessor full of such threads ends when the clock says so.
  constexpr std::uint64_t max_blocks_of_round = 4;
  const work_counters round = counters - at_clock_read_;
  const bool is_pure = clock_reads_ > 0 && round.accesses == 0 && round.math_throughput == 0;
  const bool is_polling = is_pure && round.basic_blocks <= max_blocks_of_round;
  std::uint64_t left_out = 0;
  const bool is_waiting = wait_.is_active();
  if (is_waiting) {
    left_out = wait_.rounds_before_read(is_pure);
    if (wait_.is_at_first_read()) {
      // A later try begins with a few blocks more or less.
      if (wait_.is_first_try()) {
        keep(at_first_read_);
      } else {
        return_to(at_first_read_);
      }
    }
  }
  if (is_polling) polling_blocks_ += (1 + left_out) * round.basic_blocks;
  counters.basic_blocks += left_out * round.basic_blocks;
  if (is_waiting) {
    clock_reads_ = std::max(clock_reads_, 1);
    counters.spin += static_cast<double>(1 + left_out) * gpu_.basic_block_latency;
  } else {
    // A loop that is not known as one that waits would take many rounds of a few cycles: each further read in a row
    // takes longer, by a sixty-fourth of what the thread has waited, so that the error stays below 1.6 %.
    const double waited = counters.spin - mark_.spin;
    counters.spin += std::max(gpu_.basic_block_latency, ++clock_reads_ > 64 ? waited / 64 : 0);
  }
  assign(at_clock_read_, counters);
  return static_cast<long long>(block.earlier_phases + latency_ + cost_of(counters - mark_).latency);
}

}  // namespace kernels

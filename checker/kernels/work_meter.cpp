#include "kernels/work_meter.h"

#include <algorithm>

namespace kernels {

work_counters counters;

namespace {

/// Member by member: a wide read right after a write of 8 bytes waits until that has left the store buffer.
void assign(work_counters& to, const work_counters& from) {
  to.basic_blocks = from.basic_blocks;
  to.accesses = from.accesses;
  to.math_throughput = from.math_throughput;
  to.math_latency = from.math_latency;
  to.spin = from.spin;
}

}  // namespace

work_meter::cost work_meter::cost_of(const work_counters& work) const {
  const auto basic_blocks = static_cast<double>(work.basic_blocks);
  const auto accesses = static_cast<double>(work.accesses);
  return {
      basic_blocks * gpu_.basic_block_latency + accesses * gpu_.access_latency + work.math_latency +
          work.spin,
      basic_blocks * gpu_.basic_block_throughput + accesses * gpu_.access_throughput + work.math_throughput};
}

void work_meter::begin_thread(double latency_cycles) {
  assign(mark_, counters);
  latency_ = latency_cycles;
  clock_reads_ = 0;
  polling_blocks_ = 0;
}

void work_meter::account(block_cost& block) {
  const work_counters work = counters - mark_;
  if (work != last_counted_) {
    assign(last_counted_, work);
    last_cost_ = cost_of(last_counted_);
  }
  latency_ += last_cost_.latency;
  block.slowest_thread = std::max(block.slowest_thread, latency_);
  const double polling = static_cast<double>(polling_blocks_) * gpu_.basic_block_throughput;
  block.warp_cycles += (last_cost_.throughput - polling) / gpu_.warp_size;
  polling_blocks_ = 0;
  assign(mark_, counters);
}

long long work_meter::clock(const block_cost& block) {
  // A loop that waits for the clock would take many rounds of a few cycles: each further read in a row takes
  // longer, by a sixty-fourth of what the thread has waited, so that the error stays below 1.6 %.
  // Its rounds are no work: a multiprocessor full of such threads ends when the clock says so.
  constexpr std::uint64_t max_blocks_of_round = 4;
  const work_counters round = counters - at_clock_read_;
  const bool is_polling = clock_reads_ > 0 && round.accesses == 0 && round.math_throughput == 0 &&
                          round.basic_blocks <= max_blocks_of_round;
  if (is_polling) polling_blocks_ += round.basic_blocks;
  const double waited = counters.spin - mark_.spin;
  counters.spin += std::max(gpu_.basic_block_latency, ++clock_reads_ > 64 ? waited / 64 : 0);
  assign(at_clock_read_, counters);
  return static_cast<long long>(block.earlier_phases + latency_ + cost_of(counters - mark_).latency);
}

}  // namespace kernels

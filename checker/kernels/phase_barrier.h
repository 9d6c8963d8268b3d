// phase_barrier.h: a barrier that is an object of the program, as eight bytes of its memory: cuda::barrier.
//
// A phase ends when as many arrivals were counted as are expected; the next one begins at once. Not here: who waits for a
// phase (block_run.h), and the copies that end with it.
//
//     phase_barrier bits(2);
//     bits.arrive(1);
//     if (bits.arrive(1)) resume_those_that_wait();
#pragma once

#include <cstdint>

namespace kernels {

/// The state of one barrier, in the bytes that the program gives it.
class phase_barrier {
 public:
  static constexpr std::uint64_t max_count =
      (1 << 20) - 1;  // @see libcu++, cuda::barrier::max for barriers of a block

  /// Expects 1 to `max_count` arrivals a phase.
  explicit phase_barrier(std::uint64_t expected)
      : pending_(expected & max_count), expected_(expected & max_count), phase_(0), mark_(made) {}

  /// False for bytes that nobody has made a barrier.
  bool is_made() const { return mark_ == made; }
  /// Counts arrivals, at most as many as are pending. True when that ends the phase.
  bool arrive(std::uint64_t count) {
    pending_ -= count;
    if (pending_ != 0) return false;
    pending_ = expected_;
    ++phase_;
    return true;
  }
  /// This phase's arrivals are as before, later phases expect that many less.
  void expect_less(std::uint64_t count) { expected_ -= count; }
  /// Arrivals that this phase still needs.
  std::uint64_t pending() const { return pending_; }
  /// Its number modulo 2^20.
  std::uint64_t phase() const { return phase_; }

 private:
  static constexpr std::uint64_t made = 0xB;

  std::uint64_t pending_ : 20, expected_ : 20, phase_ : 20, mark_ : 4;
};

static_assert(sizeof(phase_barrier) == 8);

}  // namespace kernels

// Barriers that are objects of the program, and the copies that end with their phases.
#include <algorithm>
#include <cstring>
#include <utility>

#include "include/driver_types.h"
#include "kernels/kernel_access.h"
#include "kernels/kernel_run.h"

namespace kernels {

void kernel_run::make_barrier(address where, std::uint64_t expected, address code) {
  note_access(*this, code, where, sizeof(phase_barrier), trace::access_mode::write, sizeof(phase_barrier));
  if (expected == 0 || expected > phase_barrier::max_count) {
    stop({cudaErrorLaunchFailure, trace::diagnostic_kind::barrier_mismatch,
          running_thread_in_words() + " makes a barrier for " + std::to_string(expected) +
              " arrivals; possible are 1 to " + std::to_string(phase_barrier::max_count),
          code});
  }
  new (reinterpret_cast<void*>(where)) phase_barrier(expected);
}

phase_barrier& kernel_run::barrier_at(address where, address code) {
  // In shared memory a read: it races with the making of the barrier, and with nothing else.
  const auto mode = is_in_shared(where) ? trace::access_mode::read : trace::access_mode::atomic;
  note_access(*this, code, where, sizeof(phase_barrier), mode, sizeof(phase_barrier));
  auto& bits = *reinterpret_cast<phase_barrier*>(where);
  if (!bits.is_made()) {
    stop(
        {cudaErrorLaunchFailure, trace::diagnostic_kind::barrier_mismatch,
         running_thread_in_words() +
             " uses a barrier that nobody has made: one thread calls init() on it, and __syncthreads() follows",
         code});
  }
  return bits;
}

std::uint64_t kernel_run::arrive(address where, std::uint64_t count, arrival_use use, address code) {
  phase_barrier& bits = barrier_at(where, code);
  if (count == 0 || count > bits.pending()) {
    stop({cudaErrorLaunchFailure, trace::diagnostic_kind::barrier_mismatch,
          running_thread_in_words() + " arrives " + std::to_string(count) +
              " times at a barrier whose phase waits for " + std::to_string(bits.pending()) +
              " more arrivals",
          code});
  }
  ++counters.basic_blocks;
  meter_.account(running_->cost);
  barrier_object& object = running_->object_at(where);
  object.latency = std::max(object.latency, meter_.latency_cycles());
  object.is_split = object.is_split || use != arrival_use::waits;
  if (use == arrival_use::drops_out) bits.expect_less(1);
  const std::uint64_t phase = bits.phase();
  if (bits.arrive(count)) end_phase(where);
  progress();
  return phase;
}

/// Makes the copies that belong to the phase, and resumes the threads of the block that wait for it.
void kernel_run::end_phase(address where) {
  block_run& block = *running_;
  barrier_object& object = block.object_at(where);
  const work_counters counted = counters;  // copies are work of the threads that asked for them
  const unsigned running = thread_;
  for (const auto& [thread, copy] : std::exchange(object.copies, {})) {
    thread_ = thread;
    make({copy});
  }
  thread_ = running;
  counters = counted;

  object.ended_latency = std::exchange(object.latency, 0);
  const auto is_waiting = [&](const block_run::phase_wait& wait) { return wait.where == where; };
  const auto waiting = std::count_if(block.phase_waits.begin(), block.phase_waits.end(), is_waiting);
  object.is_meeting = !std::exchange(object.is_split, false) && waiting + 1 == alive_threads();
  if (object.is_meeting && block.races) block.races->note_barrier();
  for (const block_run::phase_wait& wait : block.phase_waits) {
    if (is_waiting(wait))
      block.resume(wait.thread, std::max(block.parked[wait.thread].latency, object.ended_latency));
  }
  std::erase_if(block.phase_waits, is_waiting);
}

long kernel_run::alive_threads() const {
  long alive = 0;
  for (unsigned thread = 0; thread < threads_; ++thread) alive += is_alive(thread) ? 1 : 0;
  return alive;
}

bool kernel_run::has_phase_ended(address where, std::uint64_t phase, address code) {
  const bool has_ended = barrier_at(where, code).phase() != phase;
  has_ended ? know_of_phase(where, phase) : poll(where, code);
  return has_ended;
}

void kernel_run::wait_for_phase(address where, std::uint64_t phase, address code) {
  const phase_barrier& bits = barrier_at(where, code);
  if (!is_in_shared(where)) {
    while (bits.phase() == phase) poll(where, code);
    return;
  }
  ++counters.basic_blocks;
  if (bits.phase() == phase) {
    running_->phase_waits.push_back({thread_, where, code});
    park();
  } else {
    meter_.account(running_->cost);
    meter_.set_latency_cycles(std::max(meter_.latency_cycles(), running_->object_at(where).ended_latency));
  }
  know_of_phase(where, phase);
}

/// Where all threads of the block met, they know of each other as at __syncthreads(). Else nothing is said about a thread
/// that waited: which arrivals it knows of is not kept. The phase before the first one says nothing.
void kernel_run::know_of_phase(address where, std::uint64_t phase) {
  if (phase != phase_barrier::max_count && !running_->object_at(where).is_meeting) note_synchronization();
}

void kernel_run::copy_until_phase_ends(address where, address code) {
  barrier_at(where, code);
  const bool is_shared = is_in_shared(where);
  for (const async_copy& copy : copies().take_open()) {
    if (!is_shared || is_on_stack(address_of(copy.to))) {
      make({copy});
    } else {
      ++counters.accesses;
      running_->object_at(where).copies.emplace_back(thread_, copy);
    }
  }
}

void kernel_run::make(const std::vector<async_copy>& copies) {
  for (const async_copy& copy : copies) {
    codes_of_copies_.insert(copy.code);
    const std::size_t read = copy.bytes - copy.zero_bytes;
    if (read > 0)
      note_access(*this, copy.code, address_of(copy.from), read, trace::access_mode::read, copy.alignment);
    note_access(*this, copy.code, address_of(copy.to), copy.bytes, trace::access_mode::write, copy.alignment);
    std::memcpy(copy.to, copy.from, read);
    std::memset(static_cast<char*>(copy.to) + read, 0, copy.zero_bytes);
  }
}

}  // namespace kernels

// block_run.h: one block of a running kernel: its shared memory and its waiting threads.
//
// Only for kernel_run. Lists hold thread numbers.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "kernels/async_copies.h"
#include "kernels/fiber.h"
#include "kernels/memory.h"
#include "kernels/poll_counter.h"
#include "kernels/shared_races.h"
#include "kernels/warp.h"
#include "kernels/work_meter.h"

namespace kernels {

/// A thread at a barrier of its block. It lives on the thread's stack while the thread waits.
struct barrier_arrival {
  const char* operation;  ///< "__syncthreads"; the same for all threads
  bool predicate = false;
  address code = 0;
  int line = 0;             ///< of the source; 0: not known
  unsigned true_count = 0;  ///< result: threads whose predicate was true, ...
  unsigned count = 0;       ///< ... of so many
};

/// The shared memory of one block.
class shared_memory {
 public:
  static constexpr std::size_t max_bytes = 256 << 10;
  /// Chosen: an index that is off by a warp's worth of doubles is found.
  static constexpr std::size_t gap_bytes = 256;

  /// The storage, made at first use.
  unsigned char* begin() {
    if (!bytes_) bytes_ = std::make_unique_for_overwrite<unsigned char[]>(storage_bytes);
    return bytes_.get();
  }
  /// The dynamic shared memory.
  unsigned char* dynamic(std::size_t bytes) {
    if (!std::exchange(is_dynamic_used_, true)) fill(begin(), bytes);
    return begin();
  }
  /// The variable with that key, at the same place for every thread; nullptr when the block would need more than
  /// `limit_bytes`. Variables lie behind the dynamic shared memory, with gaps that nobody may touch.
  void* find_or_add(const void* key, std::size_t bytes, std::size_t alignment, std::size_t dynamic_bytes,
                    std::size_t limit_bytes) {
    for (const variable& known : variables_) {
      if (known.key == key) return begin() + known.begin;
    }
    if (variables_.empty()) taken_bytes_ = end_ = (dynamic_bytes + 15) / 16 * 16;
    taken_bytes_ = round_up(taken_bytes_, alignment) + bytes;
    if (taken_bytes_ > limit_bytes) return nullptr;
    const bool has_room =
        round_up(end_ + gap_bytes, alignment) + bytes + max_bytes - taken_bytes_ <= storage_bytes;
    const std::size_t begins = round_up(end_ + (has_room ? gap_bytes : 0), alignment);
    variables_.push_back({key, begins, begins + bytes});
    end_ = begins + bytes;
    fill(begin() + begins, bytes);
    return begin() + begins;
  }
  /// Whether a thread may use that address: in a variable, or in the dynamic shared memory.
  bool owns_address(address where, std::size_t dynamic_bytes) const {
    const std::size_t offset = where - address_of(bytes_.get());
    if (!bytes_ || offset >= storage_bytes) return false;
    return offset < dynamic_bytes ||
           std::any_of(variables_.begin(), variables_.end(),
                       [&](const variable& one) { return offset >= one.begin && offset < one.end; });
  }
  /// Whether it is where shared memory lies, or just behind.
  bool is_near(address where) const { return bytes_ && where - address_of(bytes_.get()) < storage_bytes; }
  /// The storage of a block that has ended, for the next one.
  std::unique_ptr<unsigned char[]> take_storage() { return std::move(bytes_); }
  void reuse(std::unique_ptr<unsigned char[]> storage) { bytes_ = std::move(storage); }

 private:
  static constexpr std::size_t storage_bytes = max_bytes + (32 << 10);  // with the gaps
  struct variable {
    const void* key;
    std::size_t begin, end;
  };
  static std::size_t round_up(std::size_t bytes, std::size_t unit) {
    return (bytes + unit - 1) / unit * unit;
  }
  /// Nothing of another block is left, nor a plausible value: as in memory.h.
  static void fill(unsigned char* begin, std::size_t bytes) { std::fill_n(begin, bytes, 0xCD); }

  std::unique_ptr<unsigned char[]> bytes_;
  bool is_dynamic_used_ = false;
  std::vector<variable> variables_;
  std::size_t end_ = 0;          // behind the last variable
  std::size_t taken_bytes_ = 0;  // as on hardware, without gaps
};

/// Progress of a block.
enum class block_state { ended, polls, at_grid_barrier, faulted };

/// What is known of a barrier that is an object in the block's shared memory. @see phase_barrier
struct barrier_object {
  address where = 0;
  double latency = 0;        ///< cycles of the slowest arrival of this phase, ...
  double ended_latency = 0;  ///< ... and of the one that has ended
  bool is_split = false;     ///< in this phase, a thread arrived that does not wait in the same call
  bool is_meeting = false;   ///< all threads of the block waited for the end of the last phase
  std::vector<std::pair<unsigned, async_copy>> copies;  ///< by thread, made when the phase ends
};

/// What threads poll that meet again and again.
struct meeting_polls {
  address polled = 0;          ///< last, since they met; 0: nothing
  std::uint64_t progress = 0;  ///< of the kernel, when they met
  // Chosen: so many meetings before another thread runs.
  poll_counter counter{16, std::numeric_limits<int>::max()};
};

/// A block that has begun.
struct block_run {
  /// A thread that has left its fiber.
  struct parked_thread {
    std::unique_ptr<fiber> stack;
    double latency = 0;  // cycles of this phase
  };
  /// A thread that waits for a phase of a barrier object to end.
  struct phase_wait {
    unsigned thread;
    address where;
    address code;
  };
  /// A thread that polls.
  struct poll_wait {
    unsigned thread;
    address where;  // that it read last; 0: none
    address code;
  };
  /// What was in a place before a thread wrote to it in a loop that polls. Of one thread the latest few.
  struct kept_write {
    address where = 0;
    std::size_t bytes = 0;
    std::array<unsigned char, 16> before{};
  };
  /// A thread that asks which lanes are at the same place as it.
  struct active_query {
    unsigned thread;
    address code;
    lane_mask* answer;
  };

  std::uint64_t index = 0;
  unsigned next_thread = 0;
  std::vector<parked_thread> parked;  // by thread; empty as long as none ever was
  std::vector<unsigned> ready;        // parked, and may resume; from `next_ready`
  std::size_t next_ready = 0;
  std::vector<poll_wait> polling;
  poll_wait last_poll{};                                         // of any of its threads
  meeting_polls polls;                                           // of all, between barriers
  std::vector<std::array<kept_write, 4>> written_between_polls;  // by thread; empty as long as there was none
  std::vector<std::pair<unsigned, barrier_arrival*>> at_barrier;
  std::vector<std::pair<unsigned, address>> at_grid_barrier;
  std::vector<phase_wait> phase_waits;
  std::vector<active_query> active_queries;
  std::vector<async_copies> copies;  // by thread; empty as long as none asked for one
  std::vector<barrier_object> barrier_objects;
  std::vector<warp> warps;  // empty as long as no thread used an operation of its warp
  std::vector<meeting_polls> warp_polls;  // by warp, between operations of it
  shared_memory shared;
  std::unique_ptr<shared_races> races;  // nullptr as long as no thread used shared memory
  block_cost cost;
  block_state state = block_state::polls;

  barrier_object& object_at(address where) {
    for (barrier_object& known : barrier_objects) {
      if (known.where == where) return known;
    }
    barrier_object& added = barrier_objects.emplace_back();
    added.where = where;
    return added;
  }
  void resume(unsigned thread, double latency) {
    parked[thread].latency = latency;
    ready.push_back(thread);
  }
};

}  // namespace kernels

// block_run.h: one block of a running kernel: its shared memory and its waiting threads.
//
// Only for kernel_run. Lists hold thread numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "kernels/fiber.h"
#include "kernels/memory.h"
#include "kernels/warp.h"
#include "kernels/work_meter.h"

namespace kernels {

/// A thread at a barrier of its block. It lives on the thread's stack while the thread waits.
struct barrier_arrival {
  const char* operation;  ///< "__syncthreads"; the same for all threads
  bool predicate = false;
  address code = 0;
  unsigned true_count = 0;  ///< result: threads whose predicate was true, ...
  unsigned count = 0;       ///< ... of so many
};

/// The shared memory of one block.
class shared_memory {
 public:
  static constexpr std::size_t max_bytes = 256 << 10;

  /// The storage, made at first use.
  unsigned char* begin() {
    if (!bytes_) bytes_ = std::make_unique<unsigned char[]>(max_bytes);
    return bytes_.get();
  }
  /// The variable with that key, at the same place for every thread; nullptr when it would end beyond `limit_bytes`.
  /// Variables lie behind the dynamic shared memory.
  void* find_or_add(const void* key, std::size_t bytes, std::size_t alignment, std::size_t dynamic_bytes,
                    std::size_t limit_bytes) {
    for (const auto& [known, offset] : variables_) {
      if (known == key) return begin() + offset;
    }
    if (used_bytes_ == 0) used_bytes_ = (dynamic_bytes + 15) / 16 * 16;
    const std::size_t offset = (used_bytes_ + alignment - 1) / alignment * alignment;
    if (offset + bytes > limit_bytes) return nullptr;
    variables_.emplace_back(key, offset);
    used_bytes_ = offset + bytes;
    return begin() + offset;
  }
  bool owns_address(address where) const { return bytes_ && where - address_of(bytes_.get()) < max_bytes; }
  /// The storage of a block that has ended, for the next one.
  std::unique_ptr<unsigned char[]> take_storage() { return std::move(bytes_); }
  void reuse(std::unique_ptr<unsigned char[]> storage) { bytes_ = std::move(storage); }

 private:
  std::unique_ptr<unsigned char[]> bytes_;
  std::vector<std::pair<const void*, std::size_t>> variables_;  // key, offset
  std::size_t used_bytes_ = 0;
};

/// Progress of a block.
enum class block_state { ended, polls, at_grid_barrier, faulted };

/// A block that has begun.
struct block_run {
  /// A thread that has left its fiber.
  struct parked_thread {
    std::unique_ptr<fiber> stack;
    double latency = 0;  // cycles of this phase
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
  std::vector<unsigned> polling;
  std::vector<std::pair<unsigned, barrier_arrival*>> at_barrier;
  std::vector<std::pair<unsigned, address>> at_grid_barrier;
  std::vector<active_query> active_queries;
  std::vector<warp> warps;  // empty as long as no thread used an operation of its warp
  shared_memory shared;
  block_cost cost;
  block_state state = block_state::polls;

  void resume(unsigned thread, double latency) {
    parked[thread].latency = latency;
    ready.push_back(thread);
  }
};

}  // namespace kernels

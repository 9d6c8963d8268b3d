// block_scheduler.h: which block of which kernel runs on which multiprocessor, and when.
//
// Kernels that have been dispatched hold a place here until their last block ends. Blocks are placed in order
// of priority, then of dispatch; a kernel's blocks are placed before any block of the next one (a kernel that
// does not fit holds back those behind it). Running blocks are never preempted. The caller keeps the clock.
//
//     scheduler.add(id, shape, priority);
//     for (auto& placed : scheduler.place(now, durations_of)) queue.push(placed.end, placed.batch);
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "device/kernel_cost.h"
#include "trace/recording.h"

namespace device {

/// Places blocks of kernels on multiprocessors as room becomes free, those of urgent streams first.
class block_scheduler {
 public:
  explicit block_scheduler(const profile& gpu);

  /// Blocks that start together and end together.
  struct batch {
    std::uint32_t index = 0;  ///< to be given to finish()
    nanoseconds end{0};
  };

  /// Called when the first block of a kernel is placed; gives the duration of each block (one entry: all
  /// alike), or nothing when the kernel waits for something outside it: then its blocks hold their places
  /// until resume().
  using first_block = std::function<std::optional<std::vector<nanoseconds>>(trace::operation_id)>;

  /// Adds a dispatched kernel. Its blocks wait until place() finds room.
  void add(trace::operation_id kernel, const kernel_shape& shape, int priority);
  /// Number of kernels added and not yet complete.
  std::size_t resident_kernels() const { return kernels_.size(); }
  /// Places as many blocks as fit and returns the batches that will end.
  std::vector<batch> place(nanoseconds now, const first_block& begins);
  /// Ends a batch at that time and tells `ended_blocks` where its blocks were; returns the kernel when that was its last block.
  std::optional<trace::operation_id> finish(
      std::uint32_t batch_index, nanoseconds now,
      const std::function<void(const trace::residency&)>& ended_blocks = {});
  /// Gives a waiting kernel its durations; returns the batches that will end.
  std::vector<batch> resume(nanoseconds now, trace::operation_id kernel, std::vector<nanoseconds> durations);
  /// The kernel whose batch ended last: it held the room that somebody waited for. 0: none yet.
  trace::operation_id last_finished() const { return last_finished_; }

 private:
  struct multiprocessor {
    int threads = 0;
    int blocks = 0;
    std::size_t shared_memory = 0;  ///< bytes that its blocks take
    std::size_t carveout = 0;       ///< bytes of shared memory that it has while blocks are there
  };
  struct resident_kernel {
    trace::operation_id id = 0;
    kernel_shape shape;
    device::carveout wanted;
    int priority = 0;
    std::uint64_t placed = 0;   ///< blocks placed so far
    std::uint64_t running = 0;  ///< batches that have not ended
    bool has_begun = false;
    bool is_waiting = false;  ///< begun, but without durations yet
    std::vector<nanoseconds> durations;
  };
  struct placement {
    std::uint32_t multiprocessor = 0;
    std::uint32_t blocks = 0;
  };
  struct running_batch {
    trace::operation_id kernel = 0;
    nanoseconds start{0};
    std::vector<placement> placements;
  };

  std::uint64_t room(const multiprocessor& where, const resident_kernel& kernel) const;
  std::optional<std::uint32_t> place_of_next(const resident_kernel& kernel) const;
  placement take(const resident_kernel& kernel, std::uint32_t index, std::uint32_t blocks);
  std::vector<placement> take_room(const resident_kernel& kernel, std::uint64_t max_blocks);
  static void tell(const running_batch& ended, nanoseconds now,
                   const std::function<void(const trace::residency&)>& ended_blocks);
  void place_blocks(nanoseconds now, resident_kernel& kernel, std::vector<batch>& out);
  std::uint32_t new_batch(trace::operation_id kernel, nanoseconds start, std::vector<placement> placements);

  const profile gpu_;
  std::vector<multiprocessor> multiprocessors_;
  std::vector<resident_kernel> kernels_;  // by priority, then by dispatch
  std::vector<running_batch> batches_;
  std::vector<std::uint32_t> free_batches_;
  trace::operation_id last_finished_ = 0;
};

}  // namespace device

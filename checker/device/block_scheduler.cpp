#include "device/block_scheduler.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

namespace device {

block_scheduler::block_scheduler(const profile& gpu)
    : gpu_(gpu), multiprocessors_(static_cast<std::size_t>(gpu.multiprocessors)) {}

void block_scheduler::add(trace::operation_id kernel, const kernel_shape& shape, int priority) {
  const auto behind = std::find_if(kernels_.begin(), kernels_.end(),
                                   [&](const resident_kernel& other) { return other.priority > priority; });
  resident_kernel added;
  added.id = kernel;
  added.shape = shape;
  added.priority = priority;
  added.wanted = carveout_for(gpu_, shape);
  kernels_.insert(behind, std::move(added));
}

std::uint64_t block_scheduler::room(const multiprocessor& where, const resident_kernel& kernel) const {
  const bool is_empty = where.blocks == 0;
  if (!is_empty && where.carveout < kernel.wanted.required) return 0;
  const auto fit = static_cast<std::size_t>(
      std::min(gpu_.blocks_per_multiprocessor - where.blocks,
               (gpu_.threads_per_multiprocessor - where.threads) / occupied_threads(gpu_, kernel.shape)));
  const std::size_t taken = taken_shared_memory(gpu_, kernel.shape);
  if (taken == 0) return fit;
  const std::size_t shared_memory = is_empty ? kernel.wanted.preferred : where.carveout;
  return std::min(fit, (shared_memory - where.shared_memory) / taken);
}

/// Where the next block has room: of the multiprocessors with the fewest threads the first.
std::optional<std::uint32_t> block_scheduler::place_of_next(const resident_kernel& kernel) const {
  std::optional<std::uint32_t> best;
  for (std::uint32_t index = 0; index < multiprocessors_.size(); ++index) {
    const multiprocessor& one = multiprocessors_[index];
    if ((!best || one.threads < multiprocessors_[*best].threads) && room(one, kernel) > 0) best = index;
  }
  return best;
}

/// Takes room for up to `max_blocks` blocks, one at a time on the multiprocessor with the fewest threads.
std::vector<block_scheduler::placement> block_scheduler::take_room(const resident_kernel& kernel,
                                                                   std::uint64_t max_blocks) {
  if (max_blocks == 1) {  // most small kernels: one look at each multiprocessor will do
    const std::optional<std::uint32_t> place = place_of_next(kernel);
    return place ? std::vector{take(kernel, *place, 1)} : std::vector<placement>{};
  }
  constexpr int full = std::numeric_limits<int>::max();
  std::vector<int> load;  // threads, with those taken here
  load.reserve(multiprocessors_.size());
  for (const multiprocessor& one : multiprocessors_) load.push_back(one.threads);
  std::vector<std::uint64_t> left(multiprocessors_.size());
  std::vector<std::uint32_t> taken(multiprocessors_.size());
  const int threads = occupied_threads(gpu_, kernel.shape);
  for (std::uint64_t placed = 0; placed < max_blocks;) {
    const int least = *std::min_element(load.begin(), load.end());
    if (least == full) break;
    for (std::uint32_t index = 0; index < load.size() && placed < max_blocks; ++index) {
      if (load[index] != least) continue;
      if (taken[index] == 0) left[index] = room(multiprocessors_[index], kernel);
      if (left[index] > 0) {
        ++placed;
        ++taken[index];
        --left[index];
      }
      load[index] = left[index] > 0 ? least + threads : full;
    }
  }
  std::vector<placement> result;
  for (std::uint32_t index = 0; index < taken.size(); ++index) {
    if (taken[index] != 0) result.push_back(take(kernel, index, taken[index]));
  }
  return result;
}

block_scheduler::placement block_scheduler::take(const resident_kernel& kernel, std::uint32_t index,
                                                 std::uint32_t blocks) {
  multiprocessor& used = multiprocessors_[index];
  if (used.blocks == 0) used.carveout = kernel.wanted.preferred;
  used.blocks += static_cast<int>(blocks);
  used.threads += static_cast<int>(blocks) * occupied_threads(gpu_, kernel.shape);
  used.shared_memory += blocks * taken_shared_memory(gpu_, kernel.shape);
  return {index, blocks};
}

std::uint32_t block_scheduler::new_batch(trace::operation_id kernel, nanoseconds start,
                                         std::vector<placement> placements) {
  if (free_batches_.empty()) {
    free_batches_.push_back(static_cast<std::uint32_t>(batches_.size()));
    batches_.emplace_back();
  }
  const std::uint32_t index = free_batches_.back();
  free_batches_.pop_back();
  batches_[index] = {kernel, start, std::move(placements)};
  return index;
}

/// Places what fits of one kernel and groups the blocks that end together.
void block_scheduler::place_blocks(nanoseconds now, resident_kernel& kernel, std::vector<batch>& out) {
  const std::vector<placement> placements = take_room(kernel, kernel.shape.blocks - kernel.placed);
  std::uint64_t count = 0;
  for (const placement& placement : placements) count += placement.blocks;
  if (count == 0) return;
  // Blocks are handed out one after another while the first ones run already: a wave takes as long as the
  // slower of both.
  const nanoseconds dispatch(std::llround(gpu_.block_dispatch * static_cast<double>(count)));
  std::map<nanoseconds, std::vector<placement>> by_end;
  if (kernel.durations.size() == 1) {
    by_end[now + std::max(dispatch, kernel.durations.front())] = placements;
  } else {
    std::uint64_t block = kernel.placed;
    for (const placement& piece : placements) {
      for (std::uint32_t i = 0; i < piece.blocks; ++i) {
        std::vector<placement>& group = by_end[now + std::max(dispatch, kernel.durations.at(block++))];
        if (!group.empty() && group.back().multiprocessor == piece.multiprocessor) {
          ++group.back().blocks;
        } else {
          group.push_back({piece.multiprocessor, 1});
        }
      }
    }
  }
  kernel.placed += count;
  for (auto& [end, group] : by_end) {
    ++kernel.running;
    out.push_back({new_batch(kernel.id, now, std::move(group)), end});
  }
}

std::vector<block_scheduler::batch> block_scheduler::place(nanoseconds now, const first_block& begins) {
  std::vector<batch> result;
  for (resident_kernel& kernel : kernels_) {
    if (kernel.placed == kernel.shape.blocks) continue;
    if (!kernel.has_begun) {
      const bool has_room =
          std::any_of(multiprocessors_.begin(), multiprocessors_.end(),
                      [&](const multiprocessor& multiprocessor) { return room(multiprocessor, kernel) > 0; });
      if (!has_room) break;
      kernel.has_begun = true;
      std::optional<std::vector<nanoseconds>> durations = begins(kernel.id);
      if (durations) {
        kernel.durations = std::move(*durations);
      } else {
        kernel.is_waiting = true;
        std::vector<placement> placements = take_room(kernel, kernel.shape.blocks);
        for (const placement& placement : placements) kernel.placed += placement.blocks;
        ++kernel.running;
        new_batch(kernel.id, now, std::move(placements));
      }
    }
    if (!kernel.is_waiting) place_blocks(now, kernel, result);
    if (kernel.placed < kernel.shape.blocks) break;
  }
  return result;
}

std::vector<block_scheduler::batch> block_scheduler::resume(nanoseconds now, trace::operation_id kernel,
                                                            std::vector<nanoseconds> durations) {
  std::vector<batch> result;
  for (resident_kernel& waiting : kernels_) {
    if (waiting.id != kernel) continue;
    waiting.is_waiting = false;
    waiting.durations = std::move(durations);
    const nanoseconds longest = *std::max_element(waiting.durations.begin(), waiting.durations.end());
    for (std::uint32_t index = 0; index < batches_.size(); ++index) {
      if (batches_[index].kernel == kernel) result.push_back({index, now + longest});
    }
  }
  return result;
}

/// Neighbours with as many blocks are told of together.
void block_scheduler::tell(const running_batch& ended, nanoseconds now,
                           const std::function<void(const trace::residency&)>& ended_blocks) {
  trace::residency together{ended.kernel, 0, 0, 0, ended.start, now};
  for (const placement& piece : ended.placements) {
    if (together.multiprocessor + together.multiprocessors == piece.multiprocessor &&
        together.blocks == piece.blocks) {
      ++together.multiprocessors;
      continue;
    }
    if (together.multiprocessors > 0) ended_blocks(together);
    together.multiprocessor = piece.multiprocessor;
    together.multiprocessors = 1;
    together.blocks = piece.blocks;
  }
  ended_blocks(together);
}

std::optional<trace::operation_id> block_scheduler::finish(
    std::uint32_t batch_index, nanoseconds now,
    const std::function<void(const trace::residency&)>& ended_blocks) {
  running_batch& ended = batches_[batch_index];
  const auto kernel = std::find_if(kernels_.begin(), kernels_.end(), [&](const resident_kernel& resident) {
    return resident.id == ended.kernel;
  });
  for (const placement& placement : ended.placements) {
    multiprocessor& freed = multiprocessors_[placement.multiprocessor];
    freed.blocks -= static_cast<int>(placement.blocks);
    freed.threads -= static_cast<int>(placement.blocks) * occupied_threads(gpu_, kernel->shape);
    freed.shared_memory -= placement.blocks * taken_shared_memory(gpu_, kernel->shape);
  }
  if (ended_blocks) tell(ended, now, ended_blocks);
  last_finished_ = ended.kernel;
  ended = {};
  free_batches_.push_back(batch_index);
  if (--kernel->running > 0 || kernel->placed < kernel->shape.blocks) return std::nullopt;
  kernels_.erase(kernel);
  return last_finished_;
}

}  // namespace device

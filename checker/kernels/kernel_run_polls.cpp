// kernel_run_polls.cpp: threads that poll: when they let others go on, and what counts as progress between two reads.
#include <algorithm>
#include <cstring>
#include <utility>

#include "kernels/kernel_run.h"
#include "kernels/process_copy.h"

namespace kernels {

void kernel_run::poll(address where, address code, std::size_t bytes) {
  if (is_on_stack(where)) return;
  if (where != 0 || last_polled_ == 0) {
    last_polled_ = where;
    polling_code_ = code;
  }
  const bool may_be_flag = flags_.size() < max_flags && memory::is_in_arena(where);
  if (may_be_flag && std::find(flags_.begin(), flags_.end(), where) == flags_.end()) {
    process_copy::end_if_copy("a block polls");
    flags_.push_back(where);
  }
  meter_.interrupt_clock_wait();
  running_->last_poll = {thread_, last_polled_, polling_code_};
  running_->has_polled = true;
  const bool is_too_often = polls_.count(where);
  if (bytes > 0 && polls_.is_in_loop()) log_.forget_reads_of_flag(where, bytes);
  if (!is_too_often) return;
  note_synchronization();
  running_->polling.push_back({thread_, last_polled_, polling_code_});
  ++parked_polls_;
  park();
  polls_.count(where);  // this one, which is made now
}

void kernel_run::note_write_between_polls(address where, std::size_t bytes) {
  if (polls_.is_latest(where)) return progress();
  const auto* const now = reinterpret_cast<const unsigned char*>(where);
  if (running_->written_between_polls.empty()) running_->written_between_polls.resize(threads_);
  block_run::kept_write& last = running_->written_between_polls[thread_];
  const bool is_again = where == last.where && bytes == last.bytes;
  if (is_again && std::memcmp(last.before.data(), now, bytes) == 0) return;
  last = {.where = where, .bytes = std::min(bytes, last.before.size())};
  std::memcpy(last.before.data(), now, last.bytes);
  progress();
}

/// Whether the threads of the block have met again and again, while some polled and none did anything else.
bool kernel_run::polls_between_barriers(block_run& block) {
  const bool has_polled = std::exchange(block.has_polled, false);
  if (std::exchange(has_progressed_, false)) {
    has_progressed_before_barrier_ = true;
    block.idle_phases = 0;
  } else if (has_polled) {
    ++block.idle_phases;
  }
  return block.idle_phases >= max_idle_phases;
}

/// All threads that could go on wait as if they polled.
void kernel_run::hold(block_run& block) {
  block.idle_phases = 0;
  for (std::size_t i = block.next_ready; i < block.ready.size(); ++i) {
    const unsigned thread = block.ready[i];
    block.polling.push_back(thread == block.last_poll.thread ? block.last_poll
                                                             : block_run::poll_wait{thread, 0, 0});
  }
  parked_polls_ += block.polling.size();
  block.ready.clear();
  block.next_ready = 0;
}

std::optional<polling_thread> kernel_run::first_polling() const {
  for (const block_run& block : open_) {
    if (block.polling.empty()) continue;
    const auto named = std::find_if(block.polling.begin(), block.polling.end(),
                                    [](const block_run::poll_wait& one) { return one.code != 0; });
    const auto& [thread, where, code] = named != block.polling.end() ? *named : block.polling.front();
    return polling_thread{in_words(block, thread), where, code,
                          block.shared.owns_address(where, dynamic_shared_bytes_)};
  }
  return std::nullopt;
}

}  // namespace kernels

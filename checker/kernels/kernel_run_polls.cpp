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
  if (last_polled_ != 0) {  // not a pause of a thread that lets another one read
    running_->last_poll = {thread_, last_polled_, polling_code_};
    running_->polls.polled = last_polled_;
    if (!running_->warp_polls.empty()) running_->warp_polls[thread_ / 32].polled = last_polled_;
  }
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
  auto& written = running_->written_between_polls[thread_];
  const auto known = std::find_if(written.begin(), written.end(), [&](const block_run::kept_write& one) {
    return one.where == where && one.bytes == bytes;
  });
  if (known != written.end() && std::memcmp(known->before.data(), now, bytes) == 0) return;
  std::rotate(written.begin(), known != written.end() ? known : written.end() - 1, written.end());
  written.front() = {.where = where, .bytes = std::min(bytes, written.front().before.size())};
  std::memcpy(written.front().before.data(), now, written.front().bytes);
  progress();
}

/// Threads have met. Whether they do so again and again, while some of them poll and nothing else is done.
bool kernel_run::only_polls(meeting_polls& polls) const {
  const address polled = std::exchange(polls.polled, 0);
  const bool has_progressed = std::exchange(polls.progress, progress_) != progress_;
  if (has_progressed) polls.counter.progress();
  if (has_progressed || polled == 0 || !polls.counter.count(polled)) return false;
  polls.counter.reset();
  return true;
}

/// The ready threads from that one on wait as if they polled.
void kernel_run::hold(block_run& block, std::size_t first) {
  for (std::size_t i = first; i < block.ready.size(); ++i) hold_thread(block, block.ready[i]);
  block.ready.resize(first);
}

void kernel_run::hold_thread(block_run& block, unsigned thread) {
  block.polling.push_back(thread == block.last_poll.thread ? block.last_poll
                                                           : block_run::poll_wait{thread, 0, 0});
  ++parked_polls_;
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

// What a kernel_run does in copies of the process: blocks that other cores run ahead, and blocks that go on with another undefined value.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <deque>
#include <fstream>
#include <map>
#include <string_view>

#include "kernels/kernel_run.h"

namespace kernels {
namespace {

using std::chrono::steady_clock;

/// By kernel.
std::map<std::pair<void (*)(void*), std::string_view>, sharing_history> histories;

/// In how many launches copies went on with another undefined value, by place in the code.
std::map<address, int> launches_with_copies;
constexpr int max_launches_with_copies = 3;  // chosen: kernels may be launched thousands of times

}  // namespace

void kernel_run::share_blocks(const trace::block_sharing& sharing) {
  sharing_ = sharing;
  nanoseconds_of_part_ = std::max(1.0, static_cast<double>(sharing.min_part.count()));
  history_ = &histories[{kernel_.image.run_thread, kernel_.image.name}];
}

/// Why the blocks that are left should run in this process; nullptr when copies are worth it.
const char* kernel_run::why_alone() {
  if (sharing_.processes < 2) return "there is one core for it";
  if (shape_.blocks() < 2) return "it is one block";
  if (residency_ == block_residency::all_at_once)
    return "a cooperative launch: its blocks may wait for each other";
  if (history_->why_in_order != nullptr) return history_->why_in_order;
  if (!open_.empty()) return "a block waits";
  timer_.look(steady_clock::now());
  const std::uint64_t left = shape_.blocks() - next_block_;
  const auto min_part = static_cast<double>(sharing_.min_part.count());
  if (left < 2 || timer_.nanoseconds() < min_part / 2 ||
      timer_.nanoseconds_of_block() * static_cast<double>(left) < 2 * min_part)
    return "it is short";
  return nullptr;
}

/// Runs the next blocks in this process, and those behind them in copies of it. False when it is not worth it.
bool kernel_run::share_next_blocks() {
  if (process_copy::is_copy() || !timer_.is_due()) return false;
  why_alone_ = why_alone();
  if (why_alone_ != nullptr) return false;

  if (!has_shared_) nanoseconds_alone_ = timer_.nanoseconds_of_block();
  const auto begin = steady_clock::now();
  const std::uint64_t first = next_block_;
  const char* const why = run_with_copies();
  const std::chrono::duration<double, std::nano> taken = steady_clock::now() - begin;
  // Chosen: the first parts are short, and for each thread that waits a copy touches a stack.
  const double may_lose = sharing_.min_part.count() == 0
                              ? HUGE_VAL
                              : 4 * static_cast<double>(sharing_.min_part.count()) +
                                    0.05 * nanoseconds_alone_ * static_cast<double>(shape_.blocks() - first);
  history_->note(why, taken.count() - nanoseconds_alone_ * static_cast<double>(next_block_ - first),
                 may_lose);
  timer_.begin(steady_clock::now());
  return true;
}

void sharing_history::note(const char* why, double lost, double may_lose) {
  lost_nanoseconds = std::max(0.0, lost_nanoseconds + lost);
  if (why != nullptr) {
    why_in_order = why;
  } else if (lost_nanoseconds > may_lose) {
    why_in_order = "copies of the process were no faster";
  }
}

/// A round: each part in a process of its own. Why there should be no other; nullptr when all went well.
const char* kernel_run::run_with_copies() {
  const std::uint64_t left = shape_.blocks() - next_block_;
  const double of_block = timer_.nanoseconds_of_block();
  const std::uint64_t parts = std::min<std::uint64_t>(sharing_.processes, left);
  const double wished = of_block > 0 ? nanoseconds_of_part_ / of_block : 0;
  const double even = std::ceil(static_cast<double>(left) / static_cast<double>(parts));
  const auto blocks = static_cast<std::uint64_t>(std::clamp(wished, 1.0, even));
  const std::uint64_t begin = next_block_;
  const auto begin_of = [&](std::uint64_t part) { return std::min(begin + part * blocks, shape_.blocks()); };
  const std::chrono::microseconds limit(
      100'000 + static_cast<std::int64_t>(of_block * static_cast<double>(blocks) / 50));

  log_.begin_part();
  depends_on_order_ = nullptr;
  std::deque<process_copy> copies;
  for (std::uint64_t part = 1; part < parts && begin_of(part) < shape_.blocks(); ++part) {
    copies.emplace_back(
        [&](process_copy::output& out) { run_ahead(begin_of(part), begin_of(part + 1), out); }, limit);
  }
  timer_.begin(steady_clock::now());
  while (depends_on_order_ == nullptr && next_block_ < begin_of(1)) {
    if (!run_next_block()) depend_on_order(has_faulted_ ? "a thread faults" : "a block waits");
  }
  timer_.look(steady_clock::now());
  std::size_t bytes = 0;
  for (process_copy& copy : copies) {
    if (depends_on_order_ != nullptr) break;
    const std::optional<process_copy::input> stored = copy.result();
    if (!stored) {
      depend_on_order(copy.why_ended());
    } else if (!take_over(next_block_, std::min(next_block_ + blocks, shape_.blocks()), *stored)) {
      depend_on_order("a block reads what another has written");
    } else {
      bytes = std::max(bytes, stored->size());
      has_shared_ = true;
    }
  }
  log_.join_parts();
  constexpr std::size_t max_bytes = 32 << 20;  // chosen: what copies write is in memory several times
  if (bytes < max_bytes) nanoseconds_of_part_ *= 4;
  return depends_on_order_;
}

/// In a copy of the process: runs those blocks, and hands out what came of it.
void kernel_run::run_ahead(std::uint64_t begin, std::uint64_t end, process_copy::output& out) {
  next_block_ = begin;
  shows_writes_ = false;
  progress_of_round_ = progress_;
  while (next_block_ < end) {
    if (!run_next_block()) process_copy::end_if_copy("a block waits");
  }
  out.put(shows_writes_);
  out.put(progress_ != progress_of_round_);
  out.put_bytes(&done_[begin], (end - begin) * sizeof done_[0]);
  log_.store_part(out);
}

/// Makes the blocks that a copy has run this process's own. False, and nothing is done, when it should have seen what the
/// blocks before them wrote.
bool kernel_run::take_over(std::uint64_t begin, std::uint64_t end, process_copy::input stored) {
  const bool shows_writes = stored.get<bool>();
  const bool has_progressed = stored.get<bool>();
  const std::size_t bytes = (end - begin) * sizeof done_[0];
  const unsigned char* const done = stored.bytes(bytes);
  if (!log_.append_part(stored)) return false;
  std::memcpy(&done_[begin], done, bytes);
  shows_writes_ = shows_writes_ || shows_writes;
  if (has_progressed) ++progress_;
  next_block_ = end;
  return true;
}

std::uint64_t kernel_run::undefined_value(const warp_arrival& arrival, unsigned lane) {
  constexpr std::uint64_t value = 0xCDCDCDCDCDCDCDCD;  // none that anyone computes
  if (arrival.code == varied_place_) return ~value;
  const bool is_known =
      !is_new_misuse(arrival.code, 0) ||
      std::find(undefined_places_.begin(), undefined_places_.end(), arrival.code) != undefined_places_.end();
  if (is_known || varied_place_ != 0) return value;
  process_copy::end_if_copy("it reads an undefined value");
  undefined_places_.push_back(arrival.code);
  if (undefined_places_.size() > max_misuses || open_.size() != 1 || is_cooperative() || !log_.is_private() ||
      ++launches_with_copies[arrival.code] > max_launches_with_copies)
    return value;
  // In the copy the object has to stay.
  auto* const copy = new process_copy(std::chrono::seconds(10));
  if (process_copy::is_copy()) {
    varied_place_ = arrival.code;
    return ~value;
  }
  varied_copies_.push_back(
      {std::unique_ptr<process_copy>(copy),
       {0, trace::diagnostic_kind::warp_mismatch,
        running_thread_in_words() + " reads the value of lane " + std::to_string(lane) + " at " +
            arrival.operation +
            "(), which takes no part in it: CUDA does not define that value, and what the block writes depends on it",
        arrival.code}});
  return value;
}

/// Only of blocks that end without waiting for others: what those do in between is not known here.
void kernel_run::compare_copies(block_state reached) {
  if (varied_place_ != 0 && reached == block_state::ended) process_copy::hand_back(log_.digest_of_writes());
  process_copy::end_if_copy("it reads an undefined value");
  auto copies = std::exchange(varied_copies_, {});
  if (reached != block_state::ended) return;
  const std::uint64_t digest = log_.digest_of_writes();
  for (varied_copy& varied : copies) {
    const auto result = varied.copy->result();
    if (result && process_copy::input(*result).get<std::uint64_t>() != digest) note(std::move(varied.misuse));
  }
}

void kernel_run::log_sharing() const {
  if (sharing_.log.empty()) return;
  const char* const why = has_shared_ ? history_->why_in_order : why_alone_;
  std::ofstream(sharing_.log, std::ios::app)
      << kernel_.image.name << '\t' << (has_shared_ ? "parallel" : "in order") << '\t'
      << (why != nullptr ? why : "") << '\n';
}

}  // namespace kernels

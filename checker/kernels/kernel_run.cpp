#include "kernels/kernel_run.h"

#include <link.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>

#include "kernels/exported.h"
#include "include/device_language.h"

// The builtin variables of a kernel. Programs see them as constants (device_language.h); here they are set.
// The assembler names keep the two declarations apart.
namespace kernels {
EXPORTED extern uint3 thread_index asm("threadIdx");
EXPORTED extern uint3 block_index asm("blockIdx");
EXPORTED extern dim3 block_dimensions asm("blockDim");
EXPORTED extern dim3 grid_dimensions asm("gridDim");
EXPORTED extern int warp_width asm("warpSize");

uint3 thread_index;
uint3 block_index;
dim3 block_dimensions;
dim3 grid_dimensions;
int warp_width = 32;

work_counters counters;
kernel_run* kernel_run::current_ = nullptr;

kernel_run::address_range kernel_run::find_program() {
  address_range result{~address{0}, 0};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        auto& range = *static_cast<address_range*>(data);
        address end = 0;
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          if (info->dlpi_phdr[i].p_type != PT_LOAD) continue;
          const address begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
          range.begin = std::min(range.begin, begin);
          end = std::max<address>(end, begin + info->dlpi_phdr[i].p_memsz);
        }
        range.bytes = end - range.begin;
        return 1;  // the first entry is the program
      },
      &result);
  return result;
}

const kernel_run::address_range kernel_run::program_ = find_program();

kernel_run::kernel_run(const kernel_launch& what, std::size_t shared_bytes_most, const device::profile& gpu,
                       const memory& where, fiber_pool& fibers)
    : kernel_(what.kernel),
      grid_(what.grid),
      block_(what.block),
      threads_(block_.x * block_.y * block_.z),
      dynamic_shared_bytes_(what.shared_memory_bytes),
      shared_bytes_most_(std::min(shared_bytes_most, shared_memory_most)),
      gpu_(gpu),
      residency_(what.residency),
      log_(where),
      fibers_(fibers),
      blocks_(std::uint64_t{grid_.x} * grid_.y * grid_.z) {
  done_.resize(blocks_);
}

kernel_run::~kernel_run() {
  for (block_run& block : open_) {
    for (parked_thread& each : block.parked) {
      if (each.on) fibers_.give_back(std::move(each.on));
    }
  }
}

dim3 kernel_run::index_of_block(std::uint64_t block) const {
  return {static_cast<unsigned>(block % grid_.x), static_cast<unsigned>(block / grid_.x % grid_.y),
          static_cast<unsigned>(block / grid_.x / grid_.y)};
}

dim3 kernel_run::index_of_thread(unsigned thread) const {
  return {thread % block_.x, thread / block_.x % block_.y, thread / block_.x / block_.y};
}

std::string kernel_run::in_words(const block_run& block, unsigned thread) const {
  const auto triple = [](dim3 index) {
    return '(' + std::to_string(index.x) + ',' + std::to_string(index.y) + ',' + std::to_string(index.z) +
           ')';
  };
  return "thread " + triple(index_of_thread(thread)) + " of block " + triple(index_of_block(block.index));
}

void kernel_run::set_block(const block_run& block) const {
  block_dimensions = block_;
  grid_dimensions = grid_;
  block_index = index_of_block(block.index);
}

void kernel_run::set_thread(unsigned thread) {
  thread_ = thread;
  thread_index = index_of_thread(thread);
  mark_ = counters;
  thread_latency_ = 0;
  polls_ = 0;
  polls_of_many_ = 0;
  clock_reads_ = 0;
}

kernel_run::cost kernel_run::cost_of(const work_counters& work) const {
  const auto basic_blocks = static_cast<double>(work.basic_blocks);
  const auto accesses = static_cast<double>(work.accesses);
  return {
      basic_blocks * gpu_.basic_block_latency + accesses * gpu_.access_latency + work.math_latency +
          work.spin,
      basic_blocks * gpu_.basic_block_throughput + accesses * gpu_.access_throughput + work.math_throughput};
}

/// Adds what the running thread did since it was last accounted for to its block.
void kernel_run::account() {
  const work_counters work = counters - mark_;
  if (work != last_counted_) {
    last_counted_ = work;
    last_cost_ = cost_of(work);
  }
  thread_latency_ += last_cost_.latency;
  running_->slowest_thread = std::max(running_->slowest_thread, thread_latency_);
  running_->work.warp_cycles += last_cost_.throughput / gpu_.warp_size;
  mark_ = counters;
}

/// Runs threads of the block, one after another, until none is left that has not begun.
void kernel_run::thread_loop(void* self) {
  auto& run = *static_cast<kernel_run*>(self);
  const block_run& block = *run.running_;
  while (block.next_thread < run.threads_) {
    run.set_thread(run.running_->next_thread++);
    run.kernel_.image.run_thread(run.kernel_.image.closure);
    run.end_thread();
  }
}

/// The running thread is over: whoever waited only for it may go on.
void kernel_run::end_thread() {
  account();
  block_run& block = *running_;
  if (block.parked.empty()) return;
  has_progressed_ = true;
  const unsigned ended = std::exchange(thread_, threads_);
  if (block.warps.empty()) return;
  warp& own = block.warps[ended / 32];
  for_each_lane(own.waiting(), [&](unsigned lane) {
    if ((own.waiting() >> lane & 1) != 0) complete_meeting(own, own.at(lane));
  });
}

/// Begins threads of the running block on a fiber of their own.
void kernel_run::begin_threads() {
  std::unique_ptr<fiber> fresh = fibers_.take();
  if (fresh) return run_fiber(std::move(fresh), fiber_is::fresh);
  fail({cudaErrorLaunchOutOfResources, trace::diagnostic_kind::not_supported,
        "more than " + std::to_string(fiber_pool::most_fibers) +
            " threads that wait for others at once are not modelled by the virtual GPU; launch fewer",
        0});
}

/// Enters a fiber; afterwards it is over, or its thread is parked.
void kernel_run::run_fiber(std::unique_ptr<fiber> on, fiber_is what) {
  fiber_ = std::move(on);
  if (what == fiber_is::fresh) {
    fiber_->start(&thread_loop, this);
  } else {
    fiber_->enter();
  }
  if (has_faulted_ || fiber_->has_ended()) {
    fibers_.give_back(std::move(fiber_));
  } else {
    running_->parked[thread_] = {std::move(fiber_), thread_latency_};
  }
}

/// Leaves the running thread's fiber; it goes on when the thread is among the ready ones.
void kernel_run::park() {
  account();
  if (running_->parked.empty()) running_->parked.resize(threads_);
  fiber::leave();
}

void kernel_run::let_go_on(block_run& block, unsigned thread, double latency) {
  block.parked[thread].latency = latency;
  block.ready.push_back(thread);
}

/// Runs the block as far as it goes.
kernel_run::block_state kernel_run::continue_block(block_run& block) {
  running_ = &block;
  set_block(block);
  block.ready.insert(block.ready.end(), block.polling.begin(), block.polling.end());
  block.polling.clear();
  block.state = block_state::ended;
  bool goes_on = true;
  while (goes_on && !has_faulted_) {
    if (block.next_ready < block.ready.size()) {
      const unsigned thread = block.ready[block.next_ready++];
      set_thread(thread);
      thread_latency_ = block.parked[thread].latency;
      run_fiber(std::move(block.parked[thread].on), fiber_is::parked);
      continue;
    }
    block.ready.clear();
    block.next_ready = 0;
    if (block.next_thread < threads_) {
      begin_threads();
    } else if (!answer_active_queries(block)) {
      block.state = let_wait(block);
      goes_on = !block.ready.empty();
    }
  }
  if (has_faulted_) block.state = block_state::faulted;
  if (block.state == block_state::ended)
    block.work.latency_cycles = block.latency_cycles + block.slowest_thread;
  return block.state;
}

/// No thread of the block can go on by itself: opens its barrier, or says what the block waits for.
kernel_run::block_state kernel_run::let_wait(block_run& block) {
  const bool waits_for_lanes = std::any_of(block.warps.begin(), block.warps.end(),
                                           [](const warp& each) { return each.waiting() != 0; });
  if (!block.polling.empty()) return block_state::polls;
  if (waits_for_lanes || (!block.at_barrier.empty() && !block.at_grid_barrier.empty())) {
    fail(deadlock(block));
  } else if (!block.at_barrier.empty()) {
    release_barrier(block);
  } else if (!block.at_grid_barrier.empty()) {
    return block_state::at_grid_barrier;
  }
  return block_state::ended;
}

void kernel_run::release_barrier(block_run& block) {
  const auto arrivals = std::exchange(block.at_barrier, {});
  const auto& [first_thread, first] = arrivals.front();
  unsigned true_count = 0;
  for (const auto& [thread, arrival] : arrivals) {
    if (std::strcmp(arrival->operation, first->operation) != 0) {
      return fail({cudaErrorLaunchFailure, trace::diagnostic_kind::barrier_mismatch,
                   in_words(block, thread) + " is at " + arrival->operation + "() while " +
                       in_words(block, first_thread) + " is at " + first->operation +
                       "(): all threads of a block have to come to the same barrier",
                   arrival->code});
    }
    true_count += arrival->predicate ? 1 : 0;
  }
  block.latency_cycles += std::exchange(block.slowest_thread, 0);
  for (const auto& [thread, arrival] : arrivals) {
    arrival->true_count = true_count;
    arrival->count = static_cast<unsigned>(arrivals.size());
    let_go_on(block, thread, 0);
  }
}

/// Answers, in each warp, those that ask at the place where the first of them asks. False when nobody asks.
bool kernel_run::answer_active_queries(block_run& block) {
  if (block.active_queries.empty()) return false;
  const auto queries = std::exchange(block.active_queries, {});
  std::map<unsigned, std::pair<address, lane_mask>> groups;  // by warp: the place, and who is there
  for (const active_query& each : queries) {
    auto& [code, lanes] = groups.try_emplace(each.thread / 32, each.code, 0).first->second;
    if (code == each.code) lanes |= 1u << each.thread % 32;
  }
  for (const active_query& each : queries) {
    const auto& [code, lanes] = groups[each.thread / 32];
    if (code == each.code) {
      *each.answer = lanes;
      let_go_on(block, each.thread, block.parked[each.thread].latency);
    } else {
      block.active_queries.push_back(each);
    }
  }
  return true;
}

/// Opens the barrier of the grid when all blocks are at it.
bool kernel_run::release_grid() {
  if (next_block_ < blocks_) return false;
  const auto is_there = [](const block_run& block) { return block.state == block_state::at_grid_barrier; };
  if (!std::all_of(open_.begin(), open_.end(), is_there)) return false;
  if (open_.size() < blocks_) {
    const auto& [thread, code] = open_.front().at_grid_barrier.front();
    fail({cudaErrorLaunchFailure, trace::diagnostic_kind::deadlock,
          in_words(open_.front(), thread) + " waits at the barrier of the grid, but " +
              std::to_string(blocks_ - open_.size()) + " blocks have ended without coming to it",
          code});
    return false;
  }
  double latency = 0;
  for (const block_run& block : open_)
    latency = std::max(latency, block.latency_cycles + block.slowest_thread);
  for (block_run& block : open_) {
    block.latency_cycles = latency;
    block.slowest_thread = 0;
    for (const auto& [thread, code] : std::exchange(block.at_grid_barrier, {})) let_go_on(block, thread, 0);
  }
  return true;
}

/// Runs every block as far as it goes. True when that may have let another one go on.
bool kernel_run::run_blocks() {
  has_progressed_ = false;
  const auto finish_block = [this](block_run& block) {
    done_[block.index] = block.work;
    spare_shared_ = std::move(block.shared_memory);
  };
  for (auto block = open_.begin(); block != open_.end() && !has_faulted_;) {
    if (continue_block(*block) == block_state::ended) {
      finish_block(*block);
      block = open_.erase(block);
    } else {
      ++block;
    }
  }
  while (next_block_ < blocks_ && !has_faulted_) {
    block_run& block = open_.emplace_back();
    block.index = next_block_++;
    block.shared_memory = std::move(spare_shared_);
    if (continue_block(block) == block_state::ended) {
      finish_block(block);
      open_.pop_back();
    }
  }
  running_ = nullptr;
  if (has_faulted_ || open_.empty()) return false;
  return release_grid() || has_progressed_;
}

kernel_state kernel_run::run() {
  kernel_run* const outer = std::exchange(current_, this);
  for (int round = 0; round < rounds_most && run_blocks();) ++round;
  current_ = outer;
  if (has_faulted_) return kernel_state::faulted;
  if (open_.empty()) return kernel_state::finished;
  has_waited_ = true;
  return kernel_state::waiting;
}

device::kernel_work kernel_run::work() const { return {done_, log_.touched_bytes()}; }

void kernel_run::wait_at_barrier(barrier_arrival& arrival) {
  running_->at_barrier.emplace_back(thread_, &arrival);
  park();
}

void kernel_run::wait_for_grid(address code) {
  running_->at_grid_barrier.emplace_back(thread_, code);
  park();
}

bool kernel_run::is_alive(unsigned thread) const {
  const block_run& block = *running_;
  return thread < threads_ && (thread >= block.next_thread || thread == thread_ ||
                               (!block.parked.empty() && block.parked[thread].on));
}

void kernel_run::meet(warp_arrival& arrival) {
  ++counters.basic_blocks;  // a few instructions for the threads of a warp together: what a basic block costs
  std::vector<warp>& warps = running_->warps;
  if (warps.empty()) warps.resize((threads_ + 31) / 32);
  warp& own = warps[thread_ / 32];
  if (const std::optional<std::string> problem = own.arrive(lane(), arrival)) {
    stop({cudaErrorLaunchFailure, trace::diagnostic_kind::warp_mismatch,
          "in the warp of " + in_words(*running_, thread_) + ", " + *problem, arrival.code});
  }
  if (!complete_meeting(own, arrival)) park();
}

/// When all lanes that the arrival waits for are there, lets them go on: those that are parked, and the
/// running one.
bool kernel_run::complete_meeting(warp& of, const warp_arrival& arrival) {
  block_run& block = *running_;
  const unsigned first = static_cast<unsigned>(&of - block.warps.data()) * 32;
  // From the last one on: threads begin in order, so it is the one that most often has not come.
  for (lane_mask missing = arrival.mask & ~of.waiting(); missing != 0;) {
    const unsigned lane = 31 - static_cast<unsigned>(std::countl_zero(missing));
    if (is_alive(first + lane)) return false;
    missing &= ~(1u << lane);
  }
  const lane_mask done = of.complete(arrival, of.waiting());
  if (done == 0) return false;
  has_progressed_ = true;
  const bool is_running_one_there = thread_ - first < 32 && (done >> (thread_ - first) & 1) != 0;
  if (is_running_one_there) account();
  double latency = is_running_one_there ? thread_latency_ : 0;
  for_each_lane(done, [&](unsigned lane) {
    if (first + lane != thread_) latency = std::max(latency, block.parked[first + lane].latency);
  });
  for_each_lane(done, [&](unsigned lane) {
    if (first + lane != thread_) let_go_on(block, first + lane, latency);
  });
  if (is_running_one_there) thread_latency_ = latency;
  return true;
}

lane_mask kernel_run::active_lanes(address code) {
  lane_mask answer = 0;
  running_->active_queries.push_back({thread_, code, &answer});
  park();
  return answer;
}

void kernel_run::poll(address where) {
  if (is_on_stack(where)) return;
  if (std::find(polled_.begin(), polled_.end(), where) == polled_.end()) {
    polls_ = 0;
    std::rotate(polled_.begin(), polled_.end() - 1, polled_.end());
    polled_.front() = where;
  }
  if (++polls_ < polls_most && ++polls_of_many_ < polls_of_many_most) return;
  running_->polling.push_back(thread_);
  park();
}

void kernel_run::fail(kernel_fault why) {
  has_faulted_ = true;
  fault_ = std::move(why);
}

void kernel_run::stop(kernel_fault why) {
  fail(std::move(why));
  fiber::leave();
  std::abort();  // a stopped kernel is never entered again
}

/// The threads of the block wait for each other at different things.
kernel_fault kernel_run::deadlock(const block_run& block) const {
  const auto others = [&block] {
    if (!block.at_barrier.empty()) return std::string(block.at_barrier.front().second->operation) + "()";
    return std::string("the barrier of the grid");
  };
  for (std::size_t number = 0; number < block.warps.size(); ++number) {
    const warp& stuck = block.warps[number];
    if (stuck.waiting() == 0) continue;
    const unsigned lane = static_cast<unsigned>(std::countr_zero(stuck.waiting()));
    const warp_arrival& arrival = stuck.at(lane);
    lane_mask missing = 0;
    for_each_lane(arrival.mask & ~stuck.waiting(), [&](unsigned other) {
      if (is_alive(static_cast<unsigned>(number) * 32 + other)) missing |= 1u << other;
    });
    const std::string where =
        missing != 0 ? ", which went to " + others() : ", which came to other operations";
    return {cudaErrorLaunchFailure, trace::diagnostic_kind::deadlock,
            in_words(block, static_cast<unsigned>(number) * 32 + lane) + " waits at " + arrival.operation +
                "() for " + lanes_in_words(missing != 0 ? missing : arrival.mask & ~(1u << lane)) +
                " of its warp" + where,
            arrival.code};
  }
  const auto& [thread, arrival] = block.at_barrier.front();
  return {cudaErrorLaunchFailure, trace::diagnostic_kind::deadlock,
          in_words(block, thread) + " waits at " + arrival->operation + "() for " +
              in_words(block, block.at_grid_barrier.front().first) +
              ", which waits at the barrier of the grid",
          arrival->code};
}

long long kernel_run::clock() {
  // A loop that waits for the clock would take many rounds of a few cycles: each further read in a row takes
  // longer, by a sixty-fourth of what the thread has waited, so that the error stays below 1.6 %.
  const double waited = counters.spin - mark_.spin;
  counters.spin += std::max(gpu_.basic_block_latency, ++clock_reads_ > 64 ? waited / 64 : 0);
  return static_cast<long long>(running_->latency_cycles + thread_latency_ +
                                cost_of(counters - mark_).latency);
}

void* kernel_run::shared_object(const void* key, std::size_t bytes, std::size_t alignment) {
  block_run& block = *running_;
  if (!block.shared_memory) block.shared_memory = std::make_unique<unsigned char[]>(shared_memory_most);
  for (const auto& [known, offset] : block.shared_objects) {
    if (known == key) return block.shared_memory.get() + offset;
  }
  if (block.shared_bytes == 0) block.shared_bytes = (dynamic_shared_bytes_ + 15) / 16 * 16;
  const std::size_t offset = (block.shared_bytes + alignment - 1) / alignment * alignment;
  if (offset + bytes > shared_bytes_most_) {
    stop({cudaErrorLaunchOutOfResources, trace::diagnostic_kind::too_much_shared_memory,
          "the kernel's shared memory does not fit the device's limit for one block", 0});
  }
  block.shared_objects.emplace_back(key, offset);
  block.shared_bytes = offset + bytes;
  return block.shared_memory.get() + offset;
}

void* kernel_run::dynamic_shared() {
  block_run& block = *running_;
  if (!block.shared_memory) block.shared_memory = std::make_unique<unsigned char[]>(shared_memory_most);
  return block.shared_memory.get();
}

bool kernel_run::owns_address(address where) const {
  if (is_on_stack(where) || is_of_program(where)) return true;
  const auto in = [where](const void* begin, std::size_t bytes) {
    return where - reinterpret_cast<address>(begin) < bytes;
  };
  return in(kernel_.image.closure, kernel_.image.closure_bytes) ||
         (running_->shared_memory && in(running_->shared_memory.get(), shared_memory_most));
}

}  // namespace kernels

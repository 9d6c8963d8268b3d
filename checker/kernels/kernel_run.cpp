#include "kernels/kernel_run.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <map>

#include "include/driver_types.h"
#include "kernels/builtin_variables.h"
#include "kernels/crash.h"

namespace kernels {

uint3 thread_index;
uint3 block_index;
dim3 block_dimensions;
dim3 grid_dimensions;
int warp_width = 32;

kernel_run* kernel_run::current_ = nullptr;

namespace {

}  // namespace

kernel_run::kernel_run(const kernel_launch& launch, std::size_t max_shared_bytes, const device::profile& gpu,
                       const memory& memory, fiber_pool& fibers)
    : kernel_(launch.kernel),
      shape_(launch.shape),
      threads_(shape_.threads()),
      dynamic_shared_bytes_(launch.shared_memory_bytes),
      max_shared_bytes_(std::min(max_shared_bytes, shared_memory::max_bytes)),
      residency_(launch.residency),
      log_(memory),
      fibers_(fibers),
      meter_(gpu) {
  done_.resize(shape_.blocks());
}

kernel_run::~kernel_run() {
  for (block_run& block : open_) {
    for (block_run::parked_thread& thread : block.parked) {
      if (thread.stack) fibers_.give_back(std::move(thread.stack));
    }
  }
}

void kernel_run::set_block(const block_run& block) const {
  block_dimensions = shape_.block;
  grid_dimensions = shape_.grid;
  block_index = shape_.block_index(block.index);
}

void kernel_run::set_thread(unsigned thread) {
  thread_ = thread;
  thread_index = shape_.thread_index(thread);
  polls_.reset();
  last_polled_ = 0;
}

/// Runs threads of the block, one after another, until none is left that has not begun.
void kernel_run::thread_loop(void* self) {
  auto& run = *static_cast<kernel_run*>(self);
  const block_run& block = *run.running_;
  run.meter_.begin_thread(0);
  while (block.next_thread < run.threads_) {
    run.set_thread(run.running_->next_thread++);
    run.kernel_.image.run_thread(run.kernel_.image.closure);
    run.end_thread();
    run.meter_.begin_next_thread();
  }
}

/// The running thread is over: whoever waited only for it may go on.
void kernel_run::end_thread() {
  meter_.account(running_->cost);
  block_run& block = *running_;
  if (block.parked.empty()) return;
  ++progress_;
  const unsigned ended = std::exchange(thread_, threads_);
  if (block.warps.empty()) return;
  warp& own = block.warps[ended / 32];
  for_each_lane(own.waiting(), [&](unsigned lane) {
    if ((own.waiting() >> lane & 1) != 0) complete_meeting(own, own.arrival_of(lane));
  });
}

/// Begins threads of the running block on a fiber of their own.
void kernel_run::begin_threads() {
  std::unique_ptr<fiber> fresh = fibers_.take();
  if (fresh) {
    fiber_ = std::move(fresh);
    stack_ = fiber_->stack();
    fiber_->start(&thread_loop, this);
    return keep_fiber();
  }
  fail({cudaErrorLaunchOutOfResources, trace::diagnostic_kind::not_supported,
        "more than " + std::to_string(fiber_pool::max_fibers) +
            " threads that wait for others at once are not modelled by the virtual GPU; launch fewer",
        0});
}

/// After a fiber was left: it is over, or its thread is parked.
void kernel_run::keep_fiber() {
  if (has_faulted_ || fiber_->has_ended() || std::exchange(is_thread_stopped_, false)) {
    fibers_.give_back(std::move(fiber_));
  } else {
    running_->parked[thread_] = {std::move(fiber_), meter_.latency_cycles()};
  }
}

/// Leaves the running thread's fiber, which resumes when the thread is among the ready ones.
void kernel_run::park() {
  meter_.account(running_->cost);
  if (running_->parked.empty()) running_->parked.resize(threads_);
  fiber::leave();
}

/// Runs the block as far as it goes.
block_state kernel_run::continue_block(block_run& block) {
  const block_state reached = run_threads(block);
  if (varied_place_ != 0 || !varied_copies_.empty()) compare_copies(reached);
  return reached;
}

block_state kernel_run::run_threads(block_run& block) {
  running_ = &block;
  set_block(block);
  for (const block_run::poll_wait& poll : std::exchange(block.polling, {}))
    block.ready.push_back(poll.thread);
  block.state = block_state::ended;
  bool can_continue = true;
  while (can_continue && !has_faulted_) {
    if (block.next_ready < block.ready.size()) {
      const unsigned thread = block.ready[block.next_ready++];
      set_thread(thread);
      meter_.begin_thread(block.parked[thread].latency);
      fiber_ = std::move(block.parked[thread].stack);
      stack_ = fiber_->stack();
      fiber_->enter();
      keep_fiber();
      continue;
    }
    block.ready.clear();
    block.next_ready = 0;
    if (block.next_thread < threads_) {
      begin_threads();
    } else if (!answer_active_queries(block)) {
      block.state = settle_waits(block);
      can_continue = !block.ready.empty();
    }
  }
  if (has_faulted_) block.state = block_state::faulted;
  return block.state;
}

/// No thread of the block can continue by itself: opens its barrier, or says what the block waits for.
block_state kernel_run::settle_waits(block_run& block) {
  const bool waits_for_lanes = std::any_of(block.warps.begin(), block.warps.end(),
                                           [](const warp& warp) { return warp.waiting() != 0; });
  if (!block.polling.empty()) return block_state::polls;
  if (waits_for_lanes || !block.phase_waits.empty() ||
      (!block.at_barrier.empty() && !block.at_grid_barrier.empty())) {
    fail(deadlock(block));
  } else if (!block.at_barrier.empty()) {
    release_barrier(block);
    if (!block.polling.empty()) return block_state::polls;
  } else if (!block.at_grid_barrier.empty()) {
    return block_state::at_grid_barrier;
  }
  return block_state::ended;
}

void kernel_run::release_barrier(block_run& block) {
  const auto arrivals = std::exchange(block.at_barrier, {});
  const auto& [first_thread, first] = arrivals.front();
  if (block.races) block.races->note_barrier();
  unsigned true_count = 0;
  for (const auto& [thread, arrival] : arrivals) {
    if (std::strcmp(arrival->operation, first->operation) != 0) {
      return fail({cudaErrorLaunchFailure, trace::diagnostic_kind::barrier_mismatch,
                   in_words(block, thread) + " is at " + arrival->operation + "() while " +
                       in_words(block, first_thread) + " is at " + first->operation +
                       "(): all threads of a block have to come to the same barrier",
                   arrival->code});
    }
    // @see CUDA C++ Programming Guide, "Synchronization Functions": in a branch only where all threads of the block take it
    if (arrival->line != first->line && is_new_misuse(arrival->code, first->code)) {
      note({0, trace::diagnostic_kind::barrier_mismatch,
            in_words(block, thread) + " is at another " + arrival->operation + "() than " +
                in_words(block, first_thread) +
                ": CUDA does not define what happens unless all threads of a block come to the same one",
            arrival->code, first->code});
    }
    true_count += arrival->predicate ? 1 : 0;
  }
  block.cost.end_phase();
  for (const auto& [thread, arrival] : arrivals) {
    arrival->true_count = true_count;
    arrival->count = static_cast<unsigned>(arrivals.size());
    block.resume(thread, 0);
  }
  if (only_polls(block.polls)) hold(block, block.next_ready);
}

/// Answers, in each warp, those that ask at the place where the first of them asks. False when nobody asks.
bool kernel_run::answer_active_queries(block_run& block) {
  if (block.active_queries.empty()) return false;
  const auto queries = std::exchange(block.active_queries, {});
  std::map<unsigned, std::pair<address, lane_mask>> groups;  // by warp: the place, and who is there
  for (const block_run::active_query& query : queries) {
    auto& [code, lanes] = groups.try_emplace(query.thread / 32, query.code, 0).first->second;
    if (code == query.code) lanes |= 1u << query.thread % 32;
  }
  for (const block_run::active_query& query : queries) {
    const auto& [code, lanes] = groups[query.thread / 32];
    if (code == query.code) {
      *query.answer = lanes;
      block.resume(query.thread, block.parked[query.thread].latency);
    } else {
      block.active_queries.push_back(query);
    }
  }
  return true;
}

/// Opens the barrier of the grid when all blocks are at it.
bool kernel_run::release_grid() {
  if (next_block_ < shape_.blocks()) return false;
  const auto is_there = [](const block_run& block) { return block.state == block_state::at_grid_barrier; };
  if (!std::all_of(open_.begin(), open_.end(), is_there)) return false;
  if (open_.size() < shape_.blocks()) {
    const auto& [thread, code] = open_.front().at_grid_barrier.front();
    fail({cudaErrorLaunchFailure, trace::diagnostic_kind::deadlock,
          in_words(open_.front(), thread) + " waits at the barrier of the grid, but " +
              std::to_string(shape_.blocks() - open_.size()) + " blocks have ended without coming to it",
          code});
    return false;
  }
  double latency = 0;
  for (const block_run& block : open_) latency = std::max(latency, block.cost.latency_cycles());
  for (block_run& block : open_) {
    if (block.races) block.races->note_barrier();
    block.cost.earlier_phases = latency;
    block.cost.slowest_thread = 0;
    for (const auto& [thread, code] : std::exchange(block.at_grid_barrier, {})) block.resume(thread, 0);
  }
  return true;
}

void kernel_run::finish_block(block_run& block) {
  done_[block.index] = {block.cost.warp_cycles, block.cost.latency_cycles()};
  if (block.races) {
    note_races(block);
    block.races->begin_block();
    spare_races_ = std::move(block.races);
  }
  spare_shared_ = block.shared.take_storage();
}

/// Begins the next block. True when it has ended.
bool kernel_run::run_next_block() {
  counters = {};  // the differences of large sums would depend on the blocks before
  block_run& block = open_.emplace_back();
  block.index = next_block_++;
  block.shared.reuse(std::move(spare_shared_));
  block.races = std::move(spare_races_);
  const bool has_ended = continue_block(block) == block_state::ended;
  if (has_ended) {
    finish_block(block);
    open_.pop_back();
  }
  timer_.count_block();
  if (!process_copy::is_copy()) note_progress();
  return has_ended;
}

/// Runs every block as far as it goes. True when another one may now continue.
bool kernel_run::run_blocks() {
  progress_of_round_ = progress_;
  for (auto block = open_.begin(); block != open_.end() && !has_faulted_;) {
    if (continue_block(*block) == block_state::ended) {
      finish_block(*block);
      block = open_.erase(block);
    } else {
      ++block;
    }
  }
  while (next_block_ < shape_.blocks() && !has_faulted_) {
    if (!share_next_blocks()) run_next_block();
  }
  running_ = nullptr;
  if (has_faulted_ || open_.empty()) return false;
  return release_grid() || progress_ != progress_of_round_;
}

void kernel_run::note_progress() const {
  if (watcher_) watcher_(next_block_ - open_.size(), shape_.blocks());
}

kernel_state kernel_run::run(others during) {
  catch_crashes();
  kernel_run* const outer = std::exchange(current_, this);
  const work_counters outer_counters = counters;
  note_progress();
  if (sharing_.processes > 1) timer_.begin(std::chrono::steady_clock::now());
  parked_polls_ = 0;
  for (int round = 0; round < max_rounds && run_blocks();) ++round;
  // With nothing else that can happen, a loop that reads the same for long may still be one that ends by itself.
  for (std::size_t before = 0;
       during == others::are_stuck && before < parked_polls_ && parked_polls_ < max_parked_polls;) {
    before = parked_polls_;
    run_blocks();
    if (has_faulted_ || open_.empty()) break;
  }
  current_ = outer;
  counters = outer_counters;
  if (fault_of_thread_) fail(*fault_of_thread_);
  if (has_faulted_ || open_.empty()) log_sharing();
  if (has_faulted_) return kernel_state::faulted;
  if (open_.empty()) return kernel_state::finished;
  has_waited_ = true;
  return kernel_state::waiting;
}

device::kernel_work kernel_run::work() const { return {done_, log_.traffic()}; }

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
                               (!block.parked.empty() && block.parked[thread].stack));
}

void kernel_run::meet(warp_arrival& arrival) {
  ++counters.basic_blocks;  // a few instructions for the threads of a warp together: what a basic block costs
  std::vector<warp>& warps = running_->warps;
  if (warps.empty()) {
    warps.resize((threads_ + 31) / 32);
    running_->warp_polls.resize(warps.size());
  }
  warp& own = warps[thread_ / 32];
  const std::size_t ready = running_->ready.size();
  if (const std::optional<std::string> problem = own.arrive(lane(), arrival)) {
    stop({cudaErrorLaunchFailure, trace::diagnostic_kind::warp_mismatch,
          "in the warp of " + in_words(*running_, thread_) + ", " + *problem, arrival.code});
  }
  const bool is_complete = complete_meeting(own, arrival);
  const bool is_held = is_complete && only_polls(running_->warp_polls[thread_ / 32]);
  if (is_held) {
    hold(*running_, ready);
    hold_thread(*running_, thread_);
  }
  if (is_held || !is_complete) park();
}

/// @see CUDA C++ Programming Guide, "Warp Shuffle Functions": "If the target thread is inactive, the retrieved value is undefined."
void kernel_run::read_from_lane(const warp_arrival& arrival, unsigned lane) {
  const unsigned count = std::min(threads_ - thread_ / 32 * 32, 32u);
  const lane_mask ended = arrival.mask & ~arrival.all.lanes & (~lane_mask{0} >> (32 - count));
  if ((ended >> lane & 1) == 0 || !is_new_misuse(arrival.code, 0)) return;
  note({0, trace::diagnostic_kind::warp_mismatch,
        running_thread_in_words() + " reads the value of lane " + std::to_string(lane) + " at " +
            arrival.operation + "(), but " + lanes_in_words(ended) + " of its warp, which its mask names, " +
            (std::popcount(ended) == 1 ? "has" : "have") +
            " ended without coming to it: CUDA does not define that value",
        arrival.code});
}

/// When all lanes that the arrival waits for are there, resumes them: those that are parked, and the running one.
bool kernel_run::complete_meeting(warp& warp, const warp_arrival& arrival) {
  block_run& block = *running_;
  const unsigned first = static_cast<unsigned>(&warp - block.warps.data()) * 32;
  // From the last one on: threads begin in order, so it is the one that most often has not come.
  for (lane_mask missing = arrival.mask & ~warp.waiting(); missing != 0;) {
    const unsigned lane = 31 - static_cast<unsigned>(std::countl_zero(missing));
    if (is_alive(first + lane)) return false;
    missing &= ~(1u << lane);
  }
  const lane_mask done = warp.complete(arrival, warp.waiting());
  if (done == 0) return false;
  if (block.races) block.races->note_meeting(first / 32, done);
  const bool is_running_one_there = thread_ - first < 32 && (done >> (thread_ - first) & 1) != 0;
  if (is_running_one_there) meter_.account(block.cost);
  double latency = is_running_one_there ? meter_.latency_cycles() : 0;
  for_each_lane(done, [&](unsigned lane) {
    if (first + lane != thread_) latency = std::max(latency, block.parked[first + lane].latency);
  });
  for_each_lane(done, [&](unsigned lane) {
    if (first + lane != thread_) block.resume(first + lane, latency);
  });
  if (is_running_one_there) meter_.set_latency_cycles(latency);
  return true;
}

lane_mask kernel_run::active_lanes(address code) {
  lane_mask answer = 0;
  running_->active_queries.push_back({thread_, code, &answer});
  park();
  return answer;
}

void kernel_run::add_raised(address where) {
  if (std::find(raised_.begin(), raised_.end(), where) != raised_.end()) return;
  process_copy::end_if_copy("a block raises a flag");
  raised_.push_back(where);
}

bool kernel_run::note_shared(address where, std::size_t bytes, trace::access_mode mode, address code) {
  if (!running_->shared.owns_address(where, dynamic_shared_bytes_)) return false;
  if (!running_->races) running_->races = std::make_unique<shared_races>();
  unsigned char* const storage = running_->shared.begin();
  running_->races->note(thread_, where - address_of(storage), bytes, mode, code, storage);
  return true;
}

/// Whether misuse at those two places, in either order, is to be noted: once, and not without end.
bool kernel_run::is_new_misuse(address code, address earlier_code) const {
  const auto places = std::minmax(code, earlier_code);
  return misuses_.size() < max_misuses &&
         std::none_of(misuses_.begin(), misuses_.end(), [&](const kernel_fault& known) {
           return std::minmax(known.code, known.earlier_code) == places;
         });
}

/// Keeps what does not stop the kernel.
void kernel_run::note(kernel_fault misuse) {
  process_copy::end_if_copy("a thread uses something wrongly");
  misuses_.push_back(std::move(misuse));
}

std::string kernel_run::cure_of(const shared_race& race) const {
  if (codes_of_copies_.contains(race.first.code) || codes_of_copies_.contains(race.second.code)) {
    return "an asynchronous copy is made at any time until the wait for it; use its bytes only behind that wait (cg::wait(), "
           "consumer_wait() or the wait of its barrier), and let all threads come to __syncthreads() before the next copy into them";
  }
  const bool is_one_warp = race.first.thread / 32 == race.second.thread / 32;
  return is_one_warp ? "the threads of a warp are not in step by themselves; call __syncwarp() between, or "
                       "__syncthreads() where other warps use it too"
                     : "call __syncthreads() between";
}

void kernel_run::note_races(block_run& block) {
  for (const shared_race& race : block.races->take()) {
    if (!is_new_misuse(race.second.code, race.first.code)) continue;
    const auto verb = [](const shared_race::access& access) {
      return access.mode == trace::access_mode::read    ? "reads"
             : access.mode == trace::access_mode::write ? "writes"
                                                        : "updates";
    };
    note({0, trace::diagnostic_kind::shared_memory_race,
          in_words(block, race.second.thread) + " " + verb(race.second) + " " + std::to_string(race.bytes) +
              " bytes of shared memory that " + in_words(block, race.first.thread) + ' ' + verb(race.first) +
              ", and nothing orders the two: " + cure_of(race),
          race.second.code, race.first.code});
  }
}

const std::vector<kernel_fault>& kernel_run::misuses_so_far() {
  for (block_run& block : open_) {
    if (block.races) note_races(block);
  }
  return misuses_;
}

void kernel_run::release(void* memory, const char* function, address code) {
  if (memory == nullptr || heap_->release(address_of(memory))) return;
  // @see CUDA C++ Programming Guide, "Dynamic Global Memory Allocation and Operations": not defined
  stop({cudaErrorLaunchFailure, trace::diagnostic_kind::use_after_free,
        running_thread_in_words() + " gave " + function +
            " memory that is not of the heap of kernels, or that has been freed",
        code});
}

void kernel_run::fail(kernel_fault fault) {
  process_copy::end_if_copy("a thread faults");
  has_faulted_ = true;
  fault_ = fault_of_thread_ ? *fault_of_thread_ : std::move(fault);
}

void kernel_run::stop(kernel_fault fault) {
  fail(std::move(fault));
  fiber::leave();
  std::abort();  // a stopped kernel is never entered again
}

void kernel_run::stop_thread(kernel_fault fault) {
  process_copy::end_if_copy("a thread faults");
  if (!fault_of_thread_) fault_of_thread_ = std::move(fault);
  is_thread_stopped_ = true;
  end_thread();
  fiber::leave();
  std::abort();  // its fiber is never entered again
}

/// The threads of the block wait for each other at different things, or for arrivals that nobody can make.
kernel_fault kernel_run::deadlock(const block_run& block) const {
  if (!block.phase_waits.empty()) {
    const auto& [thread, where, code] = block.phase_waits.front();
    return {cudaErrorLaunchFailure, trace::diagnostic_kind::deadlock,
            in_words(block, thread) + " waits at a barrier object for " +
                std::to_string(reinterpret_cast<const phase_barrier*>(where)->pending()) +
                " more arrivals, and every other thread of the block has ended or waits",
            code};
  }
  const auto others = [&block] {
    if (!block.at_barrier.empty()) return std::string(block.at_barrier.front().second->operation) + "()";
    return std::string("the barrier of the grid");
  };
  for (std::size_t number = 0; number < block.warps.size(); ++number) {
    const warp& stuck = block.warps[number];
    if (stuck.waiting() == 0) continue;
    const unsigned lane = static_cast<unsigned>(std::countr_zero(stuck.waiting()));
    const warp_arrival& arrival = stuck.arrival_of(lane);
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

void* kernel_run::shared_object(const void* key, std::size_t bytes, std::size_t alignment) {
  void* const object =
      running_->shared.find_or_add(key, bytes, alignment, dynamic_shared_bytes_, max_shared_bytes_);
  if (object == nullptr) {
    stop({cudaErrorLaunchOutOfResources, trace::diagnostic_kind::too_much_shared_memory,
          "the kernel's shared memory does not fit the device's limit for one block", 0});
  }
  return object;
}

bool kernel_run::owns_address(address where) const {
  const auto closure = reinterpret_cast<address>(kernel_.image.closure);
  return is_on_stack(where) || is_of_program(where) || where - closure < kernel_.image.closure_bytes ||
         running_->shared.owns_address(where, dynamic_shared_bytes_);
}

}  // namespace kernels

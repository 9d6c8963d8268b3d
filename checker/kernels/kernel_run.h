// kernel_run.h: one kernel executed as C++: its blocks one after another, their threads as loops on fibers.
//
// A thread that waits (at a barrier, for its warp, polling memory without progress) leaves its fiber; the next thread
// begins or resumes on another one. A kernel that polls for something outside it is *waiting*: run() is called again when
// memory may have changed. Threads that wait for each other in vain are a fault. Later blocks of a long kernel may be run
// ahead by copies of the process; they count only when they read nothing that earlier blocks wrote meanwhile, so all is as
// if the blocks ran one after another. Not here: what a thread's work costs
// (work_meter.h), when the kernel starts and ends (device/).
//
//     kernel_run run(launch, max_shared_bytes, gpu, memory, fibers);
//     if (run.run() == kernel_state::finished) use(run.work(), run.log().harvest());
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "device/kernel_cost.h"
#include "kernels/access_log.h"
#include "kernels/block_run.h"
#include "kernels/block_timer.h"
#include "kernels/device_heap.h"
#include "kernels/fiber.h"
#include "kernels/kernel_launch.h"
#include "kernels/phase_barrier.h"
#include "kernels/poll_counter.h"
#include "kernels/process_copy.h"
#include "kernels/program_image.h"
#include "kernels/warp.h"
#include "kernels/work_meter.h"
#include "trace/run_control.h"

namespace kernels {

/// Result of run(): all blocks are done; the remaining ones wait for memory to change; a fault ended the kernel.
enum class kernel_state { finished, waiting, faulted };

/// What a thread does after it has arrived at a barrier object: goes on and may wait later, waits in the same call, or
/// does not take part in later phases.
enum class arrival_use { goes_on, waits, drops_out };

/// Why a kernel was stopped, or what it did wrong without being stopped.
struct kernel_fault {
  int error = 0;  ///< the cudaError_t that the hardware gives; 0: the kernel goes on
  trace::diagnostic_kind kind = trace::diagnostic_kind::out_of_bounds;
  std::string message;              ///< one plain sentence
  address code = 0;                 ///< where in the kernel; 0: not known
  address earlier_code = 0;         ///< the other access of a race, or the other barrier; 0: there is none
  trace::allocation_id memory = 0;  ///< that was freed, or not yet there; 0: the fault is another
};

/// A thread that polls.
struct polling_thread {
  std::string in_words;    ///< "thread (3,0,0) of block (0,0,0)"
  address where = 0;       ///< what it read last; 0: not known
  address code = 0;        ///< where in the kernel
  bool is_shared = false;  ///< it is shared memory of the block
};

/// What is known of the launches of a kernel whose blocks were shared.
struct sharing_history {
  const char* why_in_order = nullptr;  ///< why its blocks are not shared any more
  double lost_nanoseconds = 0;         ///< since copies of the process last saved time

  /// A round took `lost` nanoseconds more than its blocks would have taken in this process alone, or less; `why` there should be
  /// no other, if that is known.
  void note(const char* why, double lost, double may_lose);
};

/// One launch, from its first thread to its last. Everything runs on the calling system thread, or in copies of the process.
class kernel_run {
 public:
  /// `max_shared_bytes`: of a block, dynamic and static shared memory together. The other arguments outlive it.
  kernel_run(const kernel_launch& launch, std::size_t max_shared_bytes, const device::profile& gpu,
             const memory& memory, fiber_pool& fibers);
  ~kernel_run();
  kernel_run(const kernel_run&) = delete;
  kernel_run& operator=(const kernel_run&) = delete;

  /// The heap that its threads allocate from, and how much of it they may have at once.
  void use_heap(device_heap& heap, std::size_t limit_bytes) {
    heap_ = &heap;
    heap_limit_bytes_ = limit_bytes;
  }
  /// From the next run() on.
  void share_blocks(const trace::block_sharing& sharing);
  /// Is called at the begin of run() and after each block with the number of blocks that are done, and of all.
  void watch(std::function<void(std::uint64_t done, std::uint64_t blocks)> watcher) {
    watcher_ = std::move(watcher);
  }
  /// Runs until all blocks are done, or all that are left wait for memory to change, or a thread faults.
  kernel_state run(others during = others::can_act);
  /// The first thread that polls; valid when run() has returned `waiting`. Nothing when none polls.
  std::optional<polling_thread> first_polling() const;
  /// Where in memory that others may write its threads read volatile or atomic objects; the first `max_flags`.
  const std::vector<address>& flags() const { return flags_; }
  /// Where in memory that others may read it wrote volatile or atomic objects after a fence; the first `max_flags`.
  const std::vector<address>& raised() const { return raised_; }
  /// True when it has waited for memory to change, so that its writes were visible before its end.
  bool has_waited() const { return has_waited_; }
  /// True when a thread used a fence: a reader of its flag must also get its earlier writes.
  bool shows_writes() const { return shows_writes_; }
  /// The work of the blocks, for the time model; complete when run() has returned `finished`.
  device::kernel_work work() const;
  /// The accesses of its threads.
  kernel_log& log() { return log_; }
  /// The fault; valid when run() has returned `faulted`.
  const kernel_fault& fault() const { return fault_; }
  /// What its threads did wrong without being stopped: different barriers, and races in shared memory of the blocks that have
  /// ended.
  const std::vector<kernel_fault>& misuses() const { return misuses_; }
  /// The same, with the races of the blocks that are underway.
  const std::vector<kernel_fault>& misuses_so_far();
  /// The output of its threads since the last call.
  std::vector<std::string> take_printed() { return std::exchange(printed_, {}); }
  /// As in kernel_image.
  std::string_view name() const { return kernel_.image.name; }
  /// Whether its blocks may wait for each other.
  bool is_cooperative() const { return residency_ == block_residency::all_at_once; }

  /// The kernel that is running now, or nullptr in host code.
  static kernel_run* current() { return current_; }

  // Called on a fiber of the running kernel:
  /// A fence for other kernels or the host: later writes are visible at once.
  void show_writes() { shows_writes_ = true; }
  /// The running thread may know of others of its block by a fence or by what it exchanged.
  void note_synchronization() {
    if (running_->races) running_->races->note_synchronization(thread_);
  }
  /// Notes an access to the shared memory of the block; false when it is none.
  bool note_shared(address where, std::size_t bytes, trace::access_mode mode, address code);
  /// The short way of note_shared() for most reads of four bytes. False: note_shared() has to.
  bool note_shared_read(address where, address code) {
    return running_->races && running_->shared.is_near(where) &&
           running_->races->note_word_read(thread_, where - address_of(running_->shared.begin()), code);
  }
  /// Waits for all threads of the block that have not ended.
  void wait_at_barrier(barrier_arrival& arrival);
  /// Waits for all threads of all blocks.
  void wait_for_grid(address code);
  /// Makes eight bytes of memory a barrier object that expects so many arrivals a phase.
  void make_barrier(address where, std::uint64_t expected, address code);
  /// Counts arrivals at a barrier object; gives the phase in which they count.
  std::uint64_t arrive(address where, std::uint64_t count, arrival_use use, address code);
  /// Whether that phase of a barrier object has ended. A no may be part of a polling loop.
  bool has_phase_ended(address where, std::uint64_t phase, address code);
  /// Waits for the end of that phase.
  void wait_for_phase(address where, std::uint64_t phase, address code);
  /// The barrier's current phase.
  std::uint64_t phase_of(address where, address code) { return barrier_at(where, code).phase(); }
  /// The current phase or the one before, whichever has that parity.
  std::uint64_t phase_of_parity(address where, bool parity, address code) {
    const std::uint64_t phase = phase_of(where, code);
    return (phase & 1) == (parity ? 1 : 0) ? phase : (phase - 1) & phase_barrier::max_count;
  }
  /// The copies of the thread's open batch are made when the current phase of the barrier object ends.
  void copy_until_phase_ends(address where, address code);
  /// Makes copies that the running thread asked for: each is a read and a write.
  void make(const std::vector<async_copy>& copies);
  /// Waits for all lanes of the mask that have not ended.
  void meet(warp_arrival& arrival);
  /// Notes it as misuse when the running thread reads, at an operation of its warp that is complete, the value of a lane that the mask
  /// names and that has ended. Others that do not take part are left alone: what they give often goes unused.
  void read_from_lane(const warp_arrival& arrival, unsigned lane);
  /// What the running thread gets from a lane that takes no part in an operation of its warp. The first time at a place in the
  /// code, in the first launches, a copy of the process goes on with another value: when it leaves other bytes in memory at the
  /// end of the block, the program used the value, and that is noted as misuse.
  std::uint64_t undefined_value(const warp_arrival& arrival, unsigned lane);
  /// The lanes that reached this place together.
  lane_mask active_lanes(address code);
  /// What the running thread has asked for and not waited for.
  async_copies& copies() {
    if (running_->copies.empty()) running_->copies.resize(threads_);
    return running_->copies[thread_];
  }
  /// The running thread's place in its warp, 0 to 31.
  unsigned lane() const { return thread_ % 32; }
  /// A read that may be part of a polling loop; `where` is 0 when it is a pause. `bytes`: of a volatile read, which is then no
  /// access, but a look at a flag; else 0.
  void poll(address where, address code, std::size_t bytes = 0);
  /// A volatile or atomic write that others may wait for.
  void raise(address where) {
    if (shows_writes_ && raised_.size() < max_flags && memory::is_in_arena(where)) add_raised(where);
  }
  /// An action that other threads may wait for.
  void progress() {
    ++progress_;
    polls_.progress();
  }
  /// A write, which is noted before it is made. In a loop that reads the same again, one that leaves another place as it was is no
  /// progress.
  void note_write(address where, std::size_t bytes) {
    if (polls_.has_begun()) return note_write_between_polls(where, bytes);
    ++progress_;
  }
  /// What a thread does now is not in the log, and later blocks may depend on it.
  void depend_on_order(const char* why) {
    process_copy::end_if_copy(why);
    depends_on_order_ = why;
  }
  /// Memory of the heap; nullptr when it has no more.
  void* allocate(std::size_t bytes) {
    depend_on_order("a block allocates memory");
    return heap_->allocate(bytes, heap_limit_bytes_);
  }
  /// Frees memory of the heap; stops the kernel when it is none. Nothing for nullptr.
  void release(void* memory, const char* function, address code);
  void print(std::string text) {
    process_copy::end_if_copy("a block prints");
    printed_.push_back(std::move(text));
  }
  /// "thread (3,0,0) of block (0,0,0)": for messages.
  std::string running_thread_in_words() const { return in_words(*running_, thread_); }
  /// blockIdx
  dim3 running_block_index() const { return shape_.block_index(running_->index); }
  /// threadIdx
  dim3 running_thread_index() const { return shape_.thread_index(thread_); }
  /// Ends the kernel.
  [[noreturn]] void stop(kernel_fault fault);
  /// Ends the running thread; the kernel ends with the first such fault when its other threads have ended or wait.
  [[noreturn]] void stop_thread(kernel_fault fault);
  /// clock64()
  long long clock() { return meter_.clock(running_->cost); }
  void begin_clock_wait(address loop) { meter_.begin_clock_wait(loop); }
  bool end_clock_wait(bool has_same_result) { return meter_.end_clock_wait(has_same_result); }
  /// The block's own copy of a shared variable; `key` tells variables apart. Stops the kernel with
  /// cudaErrorLaunchOutOfResources when a block would need more than it may have.
  void* shared_object(const void* key, std::size_t bytes, std::size_t alignment);
  /// Where `extern __shared__` variables of the block begin.
  void* dynamic_shared() { return running_->shared.dynamic(dynamic_shared_bytes_); }
  /// Whether a thread may use that address outside the arena: its stack, its arguments, shared memory, the
  /// program's constants and variables.
  bool owns_address(address where) const;
  /// Whether it is where the shared memory of the block lies, or just behind.
  bool is_near_shared(address where) const { return running_->shared.is_near(where); }
  /// Whether it is a local variable of the running thread.
  bool is_on_stack(address where) const { return where - stack_ < fiber::stack_bytes; }
  /// Whether it is a constant or a variable of the program.
  static bool is_of_program(address where) { return program_image.holds(where); }

 private:
  static constexpr std::size_t max_flags = 16;
  static constexpr std::size_t max_misuses = shared_races::max_races;
  static constexpr std::size_t max_parked_polls =
      1 << 14;                                       // chosen: 4 M reads, before a kernel counts as endless
  static constexpr int max_rounds = 1024;            // over the blocks that wait, before the host runs

  void set_block(const block_run& block) const;
  void set_thread(unsigned thread);
  bool run_blocks();
  bool run_next_block();
  void finish_block(block_run& block);
  const char* why_alone();
  bool share_next_blocks();
  const char* run_with_copies();
  void log_sharing() const;
  void run_ahead(std::uint64_t begin, std::uint64_t end, process_copy::output& out);
  bool take_over(std::uint64_t begin, std::uint64_t end, process_copy::input stored);
  block_state continue_block(block_run& block);
  block_state run_threads(block_run& block);
  void compare_copies(block_state reached);
  block_state settle_waits(block_run& block);
  void release_barrier(block_run& block);
  bool answer_active_queries(block_run& block);
  bool release_grid();
  phase_barrier& barrier_at(address where, address code);
  void end_phase(address where);
  void know_of_phase(address where, std::uint64_t phase);
  long alive_threads() const;
  bool is_in_shared(address where) const {
    return running_->shared.owns_address(where, dynamic_shared_bytes_);
  }
  void begin_threads();
  void keep_fiber();
  static void thread_loop(void* self);
  void end_thread();
  void park();
  bool complete_meeting(warp& warp, const warp_arrival& arrival);
  bool is_alive(unsigned thread) const;
  void add_raised(address where);
  bool is_new_misuse(address code, address earlier_code) const;
  void note(kernel_fault misuse);
  void note_races(block_run& block);
  std::string cure_of(const shared_race& race) const;
  void note_progress() const;
  void note_write_between_polls(address where, std::size_t bytes);
  bool only_polls(meeting_polls& polls) const;
  void hold(block_run& block, std::size_t first);
  void hold_thread(block_run& block, unsigned thread);
  void fail(kernel_fault fault);
  kernel_fault deadlock(const block_run& block) const;
  std::string in_words(const block_run& block, unsigned thread) const {
    return shape_.thread_in_words(block.index, thread);
  }

  const kernel_copy kernel_;
  const launch_shape shape_;
  const unsigned threads_;
  const std::size_t dynamic_shared_bytes_;
  const std::size_t max_shared_bytes_;
  const block_residency residency_;
  kernel_log log_;
  fiber_pool& fibers_;
  device_heap* heap_ = nullptr;
  std::size_t heap_limit_bytes_ = 0;
  work_meter meter_;
  trace::block_sharing sharing_;
  std::function<void(std::uint64_t, std::uint64_t)> watcher_;
  sharing_history* history_ = nullptr;
  double nanoseconds_alone_ = 0;    // of a block before the first copies
  double nanoseconds_of_part_ = 0;  // for a copy in the next round
  block_timer timer_;
  const char* depends_on_order_ = nullptr;  // why, since the last round of copies began
  const char* why_alone_ = "it is short";   // why the last block was run without copies
  bool has_shared_ = false;
  std::uint64_t next_block_ = 0;
  std::list<block_run> open_;  // begun and not ended; what runs on fibers refers to them
  std::unique_ptr<unsigned char[]> spare_shared_;
  std::unique_ptr<shared_races> spare_races_;
  std::vector<kernel_fault> misuses_;
  std::set<address> codes_of_copies_;  // where asynchronous copies were asked for
  /// A copy that goes on with another undefined value, and what is noted when that makes a difference.
  struct varied_copy {
    std::unique_ptr<process_copy> copy;
    kernel_fault misuse;
  };
  std::vector<varied_copy> varied_copies_;  // of the running block
  std::vector<address> undefined_places_;   // in this launch
  address varied_place_ = 0;                // in such a copy
  block_run* running_ = nullptr;
  unsigned thread_ = 0;
  std::unique_ptr<fiber> fiber_;  // the one that is running
  address stack_ = 0;             // of that one
  // Chosen: so many reads before another thread runs. Those of many addresses also count between writes.
  poll_counter polls_{256, 1 << 16};
  address last_polled_ = 0;  // by the running thread
  address polling_code_ = 0;
  std::vector<address> flags_;
  std::vector<address> raised_;
  std::uint64_t progress_ = 0;           // how often a thread did what others may wait for
  std::uint64_t progress_of_round_ = 0;  // when this round over the blocks began
  std::size_t parked_polls_ = 0;  // threads that were parked because they poll, in this run()
  bool has_waited_ = false;
  bool shows_writes_ = false;
  bool has_faulted_ = false;
  kernel_fault fault_;
  std::optional<kernel_fault> fault_of_thread_;
  bool is_thread_stopped_ = false;  // the one that ran last
  std::vector<std::string> printed_;
  std::vector<device::block_work> done_;  // by block
  static kernel_run* current_;
};

}  // namespace kernels

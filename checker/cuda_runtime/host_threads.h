// host_threads.h: the host's threads in virtual time: each has its own clock, exactly one runs at a time.
//
// The thread that runs has the turn. It gives it away when it must wait, and when another thread's clock is behind
// its own, so that everything happens in the order of virtual time, the same way in every run. Devices take part:
// what they do next comes before what a thread does later. Not here: which functions wait (interposition/, api/).
//
//     threads.wait([&] { return gpu.is_complete(copy); });   // meanwhile other threads and the device run
#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "cuda_runtime/turn.h"
#include "device/schedule.h"
#include "kernels/poll_counter.h"
#include "trace/recording.h"

namespace cuda_runtime {

using trace::nanoseconds;

/// How far each party (kernels::host_position) is known to have come; ascending by party.
using host_knowledge = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

/// The system's id of the thread that holds an object; 0: none.
using holder_of = pid_t(const void* object);

/// One thread of the program, or of the driver when it runs host functions.
struct host_thread {
  /// Whether it may be given the turn: at any time, when what it waits for has come, when no other thread can
  /// continue (it reads an address in a loop), or never again.
  enum class stage { runnable, waiting, polling, ended };

  /// A read that is noted later.
  struct late_read {
    std::uintptr_t code = 0;
    std::uintptr_t where = 0;  ///< 0: none
    std::size_t bytes = 0;
  };

  /// A condition variable that it notified.
  struct notification {
    const void* object = nullptr;         ///< nullptr: it notified none
    std::vector<std::uintptr_t> calls{};  ///< the code that did so, the innermost first
    nanoseconds time{0};
  };

  /// A wait for a condition variable that ends without a notification.
  struct early_return {
    const void* condition = nullptr;  ///< nullptr: none, or what it waits for may have come since
    const void* mutex = nullptr;
    std::vector<std::uintptr_t> calls{};  ///< the code that waits, the innermost first
  };

  trace::thread_id id = 0;       ///< from 1, the thread of main()
  trace::location started_at{};  ///< the code that started it
  nanoseconds now{0};            ///< its clock, since the start of the run
  std::uint32_t device = 0;      ///< the device that is current for it
  trace::call_id open_call = 0;  ///< the last call that it began
  std::uint32_t step = 0;        ///< see trace::host_edge
  bool has_released = false;     ///< released an object, and touched no memory of interest since
  bool has_moved = true;         ///< made a call or passed something on, and touched no plain memory since
  host_knowledge known;          ///< from others, through objects
  std::vector<const void*> relaxed_loads;  ///< atomic objects, until a fence
  bool has_fenced = false;                 ///< by a fence that releases
  int last_error = 0;                      ///< its CUDA error variable
  int not_ready_answers = 0;               ///< queries in a row that said "not ready"
  trace::operation_id host_function = 0;   ///< the host function that it is running; 0: none
  notification last_notification;
  early_return last_early_return;
  bool has_lent_stack = false;             ///< gave a host function the address of a variable on its stack
  std::uintptr_t live_stack = 0;        ///< since then: where its live frames began at its last call of CUDA
  stage state = stage::runnable;        ///< see there
  std::function<bool()> until;          ///< waiting for that; empty: for a wake-up
  const void* waits_on = nullptr;       ///< the mutex, condition variable or thread whose wake-up it awaits
  const char* awaited = "";             ///< the same for people: "a mutex"
  holder_of* holder = nullptr;          ///< of `waits_on`, where one thread holds it
  std::optional<nanoseconds> deadline;  ///< waiting: for no longer than until then
  bool timed_out = false;               ///< how the wait ended: the deadline came first
  /// Its last volatile read of memory that kernels may write, which is noted when it goes on: of a loop that waits only the
  /// last one counts.
  late_read volatile_read;
  kernels::poll_counter polls{256, 4096};  ///< chosen: so many reads before another thread runs
  std::unordered_set<std::uintptr_t>
      places_between_polls;                ///< plain ones; see host_threads::note_plain_access()
  std::uint32_t interruptions = 0;         ///< see runtime::interrupt()
  int rounds = 0;                          ///< of loops that say themselves that they wait
  std::uint64_t polling_since = 0;  ///< polling: its place in the order of all that began to
  pid_t system_id = 0;              ///< 0: has not begun to run
  bool is_parked = false;           ///< has given the turn away, and waits for it
  turn own_turn;

  static constexpr int max_rounds = 256;  ///< chosen: before another thread runs
};

/// All of them, and who is next: the runnable one whose clock is least, ties by id.
class host_threads {
 public:
  /// Makes the calling thread thread 1, which runs. `wake_kernels` lets kernels that poll memory look again;
  /// it says whether one of them ended. `stuck` is called when nothing can ever happen again; it does not return.
  host_threads(device::schedule& devices, std::function<bool(kernels::others)> wake_kernels,
               std::function<void()> stuck);
  /// The calling thread is again what it was before.
  ~host_threads();
  host_threads(const host_threads&) = delete;
  host_threads& operator=(const host_threads&) = delete;

  /// The calling thread, or nullptr when it is none of the program's.
  static host_thread* self() { return self_; }
  /// The calling thread, which is one of the program's.
  host_thread& current() const { return *self(); }

  /// A thread that begins at the creator's time; it runs once adopt() has been called on it.
  host_thread& add(nanoseconds begin);
  /// Makes the calling system thread that host thread; returns when it is its turn.
  static void adopt(host_thread& thread);
  /// The calling thread ends, and gives the turn away.
  void end_current();

  /// Lets all that is earlier than the calling thread's clock happen first.
  void yield();
  /// Waits for a condition; afterwards the clock is at the time when it came true, or later.
  void wait(std::function<bool()> condition);
  /// Waits for wake_all() or wake_one() of that object, or for the deadline. False: the deadline came first.
  /// `awaited` is the object for people, for as long as the program runs: "a mutex".
  /// `holder` says of an object that one thread holds, such as a mutex, which.
  bool wait_on(const void* object, std::optional<nanoseconds> deadline, const char* awaited,
               holder_of* holder = nullptr);
  /// Wakes the threads in wait_on() of that object; says how many.
  std::size_t wake_all(const void* object) { return wake(object, ~std::size_t{0}); }
  /// Wakes one of them, the first that was started; says whether there is one (1 or 0).
  std::size_t wake_one(const void* object) { return wake(object, 1); }
  /// From now on the last that was started comes first.
  void wake_latest_first() { wakes_latest_first_ = true; }
  /// The calling thread reads `where`, perhaps in a loop: after many reads another thread runs first.
  void poll(const void* where);
  /// The calling thread reads or writes plain memory there. A loop that comes to new places is no loop that waits, though it may look at
  /// the same flag at each of them.
  static void note_plain_access(std::uintptr_t where) {
    if (self_ != nullptr && self_->polls.has_begun()) note_place_between_polls(where);
  }
  /// The calling thread gives its time away, or found a lock taken: after many rounds another thread runs first.
  void poll();
  /// Every thread so far, in the order of their ids.
  const std::vector<std::unique_ptr<host_thread>>& all() const { return threads_; }
  /// Calls the function on each other thread that waits for the turn, on its stack.
  void visit_parked(const std::function<void(host_thread&)>& visit);
  /// The one that has the turn; nullptr when it has not begun to run.
  const host_thread* running() const;
  /// Resumes a thread that waits for a wake-up, at that time.
  static void start(host_thread& sleeping, nanoseconds time);

 private:
  // Read at each memory access of host code, so it must not cost a call.
  __attribute__((tls_model("initial-exec"))) static inline thread_local host_thread* self_ = nullptr;

  static void note_place_between_polls(std::uintptr_t where);
  std::size_t wake(const void* object, std::size_t max_threads);
  host_thread* next();
  void resume_polling();
  void begin_polling();
  void give_turn();
  void park();

  device::schedule& devices_;
  std::function<bool(kernels::others)> wake_kernels_;
  std::function<void()> stuck_;
  host_thread* const self_before_;
  std::vector<std::unique_ptr<host_thread>> threads_;  // by id
  std::uint64_t last_polling_ = 0;
  bool wakes_latest_first_ = false;
  const std::function<void(host_thread&)>* visit_ = nullptr;
  host_thread* visitor_ = nullptr;
};

/// Starts a thread of the system that runs `function(argument)`; it is no host thread until it calls adopt(). False when
/// the system has none left.
bool start_system_thread(void* (*function)(void*), void* argument);

}  // namespace cuda_runtime

// schedule.h: one or more GPUs as a discrete-event simulation: start, end and reasons of each operation.
//
// The host enqueues operations with the time at which it issued them; the schedule lets virtual time pass and
// calls back when an operation starts and ends, so that its effects happen in the order of virtual time. Time
// is integer nanoseconds; what happens at the same time happens in order of insertion. Not here: memory, the
// CUDA API, the host's clock. The rules are those of the CUDA programming guide; the numbers are the
// profile's.
//
//     device::schedule gpu({h200}, {.start = ..., .finish = ..., .run_kernel = ...});
//     auto copy = gpu.enqueue({.kind = operation_kind::copy, .stream = 1, .bytes = 4096});
//     gpu.advance_to(1ms);
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory_resource>
#include <optional>
#include <queue>
#include <set>
#include <utility>
#include <vector>

#include "device/block_scheduler.h"
#include "device/copy_engine.h"
#include "device/kernel_cost.h"
#include "device/profile.h"
#include "trace/recording.h"

namespace device {

/// True for the operations of copy engines.
inline bool moves_bytes(trace::operation_kind kind) {
  return kind == trace::operation_kind::copy || kind == trace::operation_kind::memset ||
         kind == trace::operation_kind::prefetch;
}

/// An operation to enqueue.
struct request {
  trace::operation_kind kind = trace::operation_kind::kernel;
  trace::stream_id stream = 0;
  trace::call_id call = 0;  ///< the host call that issues it; only reported back
  nanoseconds issued{0};    ///< host time of issue; visible to the device a launch latency later
  copy_route route = copy_route::host_to_device;  ///< copies and prefetches
  std::uint32_t source_device = 0;                ///< copies between devices
  std::size_t bytes = 0;                          ///< copies, memsets and prefetches
  double host_bandwidth = 0;         ///< copies of staged pageable memory: GB/s limit of the host; 0: none
  std::size_t staged_bytes = 0;      ///< of such a copy, bytes that are staged after its start
  kernel_shape shape;                ///< kernels
  std::optional<int> priority{};     ///< kernels: overrides the stream's; lower is more urgent
  trace::operation_id captured = 0;  ///< event_wait: the event_record it waits for; 0: none
  bool holds_kernels = false;  ///< host_function: kernels of all streams issued while it runs wait for it
  std::size_t nodes = 0;       ///< graph_launch: its nodes, which are enqueued right behind it
  trace::operation_id graph_launch = 0;  ///< graph nodes: their launch, in the same stream
  /// Graph nodes: their dependencies; none: starts with the launch. Launches: the last launch of that graph.
  std::vector<trace::operation_id> after{};
  std::uint32_t branch = 0;  ///< graph nodes: branches of one graph go through different hardware queues
  bool has_timing = true;    ///< event_record: takes a time stamp, which costs device time
};

/// Deviations from the profile, for runs under other legal schedules.
struct stress {
  double copies = 1;   ///< factor on the duration of copies
  double kernels = 1;  ///< factor on the duration of kernels
  double kernel_spread = 0;  ///< ratio: up to so much longer still, each kernel by another share
};

/// The deviations of a run under that schedule.
stress stress_of(trace::schedule_kind schedule);

/// Callbacks for the effects of operations.
struct effects {
  std::function<void(trace::operation_id)> start;  ///< copies, memsets and prefetches: at their start
  /// Every operation: at its end, before anything that waits for it starts.
  std::function<void(trace::operation_id)> finish;
  /// Runs a kernel at its start and returns its work; nothing when it waits for memory to change (resume_kernel).
  std::function<std::optional<kernel_work>(trace::operation_id)> run_kernel;
  /// Runs a host function at its start. It ends when end_host_function is called.
  std::function<void(trace::operation_id)> run_host_function{};
  /// Blocks have ended: where they were, and since when.
  std::function<void(const trace::residency&)> end_blocks{};
};

/// Start, end and reasons of an operation, as far as known.
struct times {
  nanoseconds issued{0};  ///< when it became visible to the device
  nanoseconds start{0};   ///< on an engine
  nanoseconds end{0};
  std::vector<trace::constraint> waited_for;     ///< the decisive one first
  std::vector<trace::block_time> block_times{};  ///< kernels
};

/// GPUs in simulated time.
class schedule {
 public:
  /// `connections` is CUDA_DEVICE_MAX_CONNECTIONS: the number of work queues, as far as the GPU has them; 0:
  /// the profile's default.
  schedule(std::vector<profile> gpus, effects effects, stress deviation = {}, std::uint32_t connections = 0);

  /// Adds a stream. Ids are the caller's and never repeat. Legacy default streams order blocking streams. Its hardware queue
  /// follows from its ordinal, which it gets with its first work: the lowest that no stream has that lived when it was created, or
  /// that still works. So a function that makes and destroys its streams finds the same queues whenever it is called. (Assumed; but
  /// measured on an H100, driver 580, 2026-11-26: eight streams, each destroyed with its work pending, work at the same time.)
  void add_stream(const trace::stream& added);
  /// That call destroys the stream. What is queued in it goes on. For streams that were added with `destroyed_by` it is known.
  void destroy_stream(trace::stream_id id, trace::call_id by);

  /// Appends an operation to its stream. Operations get the ids 1, 2, 3, ...
  trace::operation_id enqueue(const request& request);
  /// Later operations wait for all earlier ones in all streams: what some host calls do on GPUs with
  /// profile::implicit_synchronization.
  void implicit_sync(std::uint32_t device);

  /// The simulated time.
  nanoseconds now() const { return now_; }
  /// Handles all events up to and including `time`. Times in the past do nothing.
  void advance_to(nanoseconds time);
  /// The time of the next event; nothing when there is none.
  std::optional<nanoseconds> next_time() const;
  /// Handles the next event; false when there is none.
  bool step();
  /// Sets the work of a kernel whose run_kernel returned nothing; it runs for that long from now.
  void resume_kernel(trace::operation_id kernel, const kernel_work& work);

  /// During effects::start of a prefetch: the number of its bytes that have to move.
  void set_bytes(trace::operation_id prefetch, std::size_t bytes) {
    entry_of(prefetch).request.bytes = bytes;
  }

  /// Ends a running host function at that time (now or later).
  void end_host_function(trace::operation_id id, nanoseconds time);

  bool is_complete(trace::operation_id id) const;
  /// Whether the host has had the time to learn that all work of the stream has ended.
  bool is_known_idle(trace::stream_id stream) const;
  /// Pageable copies: the host has staged the last byte. True once complete.
  bool is_staged(trace::operation_id id) const;
  /// Kernels that have not ended. With profile::launch_queue of them a launch blocks the host.
  std::size_t pending_launches(std::uint32_t device) const;
  /// Operations of the device that are not complete, in blocking streams, the legacy default stream included.
  std::size_t unfinished_in_blocking_streams(std::uint32_t device) const;
  /// The last operation enqueued into the stream, complete or not, but for waits that have nothing to do; 0: none.
  trace::operation_id last_in(trace::stream_id stream) const;
  /// Right after enqueue(): it is a wait that nothing behind it waits for, neither the host nor the device.
  bool has_nothing_to_do(trace::operation_id id) const { return entry_of(id).has_nothing_to_do; }
  /// Valid from effects::start (start, reasons) and effects::finish (end) of that operation until finish returns, which may move
  /// from it.
  times& times_of(trace::operation_id id);

 private:
  /// withheld: ended, but its signal is still to come.
  enum class stage { waiting, ready, running, withheld, done };
  /// Memsets and copies inside the device count as compute: they are kernels of the driver.
  enum class side : std::uint8_t { none, compute, copies_in, copies_out };
  static constexpr std::size_t side_count = 4;

  struct dependent {
    trace::operation_id id = 0;
    trace::constraint_kind why = trace::constraint_kind::stream_order;
  };

  /// An operation that is not complete, or newer than one that is not.
  struct entry {
    device::request request;
    device::times times;
    stage state = stage::waiting;
    bool awaits_turn = false;    ///< compute: nothing but other launches holds it up
    bool has_nothing_to_do = false;  ///< a wait for which nobody waits
    bool takes_turn = false;  ///< a time stamp behind a copy, which has its turn at the engine of that copy
    bool is_pushed = false;      ///< a copy to the device that comes with the commands of its stream
    side works_on = side::none;  ///< markers: that of the operation before them in their stream
    /// Event records and waits: when work of each side may start behind them.
    std::array<nanoseconds, side_count> open_from{};
    std::uint32_t device = 0;
    std::uint64_t burst = 0;  ///< kernels: number of their kernel_burst
    int unresolved = 0;       ///< number of constraints that still hold
    nanoseconds ready{0};     ///< when the last constraint was released
    bool is_staged = false;
    std::uint32_t generation = 0;           ///< outdates scheduled ends of transfers
    trace::operation_id queued_behind = 0;  ///< when ready: the head of its hardware queue, if another
    std::vector<dependent> dependents;
    std::vector<trace::operation_id> roots{};  ///< graph launches: nodes that start with it
    std::size_t unfinished_nodes = 0;          ///< graph launches
  };

  enum class event_kind { visible, ready, transfer, staged, end, signal, batch_end, dispatch };
  struct event {
    nanoseconds time{0};
    std::uint64_t sequence = 0;
    event_kind kind = event_kind::visible;
    trace::operation_id operation = 0;
    std::uint32_t detail = 0;  ///< generation, or device
    std::uint32_t batch = 0;
    bool operator>(const event& other) const {
      return time != other.time ? time > other.time : sequence > other.sequence;
    }
  };

  /// An engine and its hardware queues.
  struct engine {
    /// The device's own, which its streams share; for copies between devices, behind them one for what each device pulls.
    std::vector<std::deque<trace::operation_id>> queues{};
    std::size_t own_queues = 0;
    std::size_t served = 0;  ///< the queue whose work it took last
    /// Copy engines, by the ordinal of a stream: the next queue in turn, with the first copy there.
    std::map<std::uint32_t, std::size_t> queue_of_ordinal{};
    /// Kernels: the queues that it launched from last, profile::queues_at_hand of them.
    std::deque<const std::deque<trace::operation_id>*> at_hand{};
    trace::operation_id running = 0;
    trace::operation_id last = 0;
  };

  /// Kernels that were issued to the device with nothing in between.
  struct kernel_burst {
    std::uint64_t running = 0;                  ///< issued and not ended
    std::vector<trace::operation_id> withheld;  ///< ended, but signalled with the last of the burst
  };

  struct gpu {
    device::profile profile;
    block_scheduler blocks;
    std::vector<engine> copy_engines;
    engine compute{};                ///< `running` is not used: kernels run concurrently
    nanoseconds dispatcher_free{0};  ///< launches, and time stamps behind kernels, take turns
    bool will_dispatch = false;      ///< an event_kind::dispatch is pending
    host_link link;
    engine host_functions{};  ///< run by one thread of the driver
    trace::operation_id legacy_tail = 0;
    trace::stream_id legacy_stream = 0;
    std::vector<trace::stream_id> blocking_streams{};  ///< including the legacy default stream
    std::uint32_t ordinals = 0;                        ///< given out so far
    std::set<std::pair<trace::call_id, trace::stream_id>>
        leaving_streams{};  ///< that have an ordinal, by the call that destroys them
    std::size_t pending_launches = 0;
    std::size_t unfinished_in_blocking_streams = 0;  ///< legacy default stream included
    std::uint64_t burst = 0;                         ///< of the next kernel
    std::map<std::uint64_t, kernel_burst> bursts{};
    std::vector<trace::operation_id>
        barrier{};  ///< implicit synchronization: later operations wait for these
  };

  /// Its kernels go through the last queue, which it shares only where other streams need all.
  static constexpr std::uint32_t ordinal_of_legacy_stream = ~std::uint32_t{0};

  struct stream_state {
    trace::stream stream;
    trace::operation_id tail = 0;
    nanoseconds last_end{0};  ///< of any operation
    side last_side = side::none;
    copy_route last_route{};                 ///< when that is a side of copies
    std::optional<std::uint32_t> ordinal{};  ///< selects the hardware queue
  };

  entry& entry_of(trace::operation_id id) { return entries_[id - first_id_]; }
  const entry& entry_of(trace::operation_id id) const { return entries_[id - first_id_]; }
  std::uint32_t take_ordinal(gpu& gpu, const trace::stream& stream) const;
  void push(nanoseconds time, event_kind kind, trace::operation_id operation, std::uint32_t detail = 0,
            std::uint32_t batch = 0);
  static bool are_in_one_burst(const entry& first, const entry& second);
  void synchronize_implicitly(entry& added, trace::operation_id id);
  void follow_stream(entry& added, trace::operation_id id, stream_state& stream);
  void follow_graph(entry& added, trace::operation_id id);
  void start_graph(trace::operation_id id);
  void depend(entry& waiting, trace::operation_id id, trace::operation_id dependency,
              trace::constraint_kind why);
  void release(trace::operation_id id, const trace::constraint& by);
  static side side_of(const request& request);
  bool is_pushed(const request& request, const stream_state& stream) const;
  bool takes_turn(const request& request, const stream_state& stream) const;
  bool is_overtaken(trace::operation_id stamp);
  void run_marker(trace::operation_id id, trace::constraint_kind late_because,
                  trace::operation_id waited_for);
  bool has_nothing_to_do(const request& request, const stream_state& stream) const;
  bool counts_as_unfinished(const entry& entry) const;
  static bool is_pulled(const entry& entry);
  nanoseconds gap(side first, side next, const profile& gpu, bool is_edge) const;
  nanoseconds open_from(const entry& done, side next, bool is_edge) const;
  nanoseconds queue_load(trace::operation_id id);
  void become_ready(trace::operation_id id);
  engine& engine_for(entry& entry);
  std::deque<trace::operation_id>& queue_for(entry& entry);
  std::optional<std::size_t> next_queue(const engine& engine) const;
  void start_copies(std::uint32_t device, engine& engine);
  void start_copy(std::uint32_t device, engine& engine, trace::operation_id id, double queue_change_ns);
  void start_host_functions(std::uint32_t device);
  void begin_transfer(trace::operation_id id);
  void retime_link(std::uint32_t device);
  static void have_at_hand(gpu& gpu, const std::deque<trace::operation_id>& queue);
  void dispatch_kernels(std::uint32_t device);
  void place_blocks(std::uint32_t device);
  void begin(trace::operation_id id, trace::constraint_kind late_because, trace::operation_id waited_for);
  std::vector<nanoseconds> durations_of(trace::operation_id id, const kernel_work& work);
  driver_kernel driver_kernel_of(const entry& entry) const;
  void complete(trace::operation_id id);
  void finish(trace::operation_id id, stage next);
  void signal(trace::operation_id id, trace::operation_id withheld_by = 0);
  trace::constraint end_of(const entry& done, trace::operation_id id, const dependent& waits);
  void end_kernel(trace::operation_id id);
  void handle(const event& event);

  std::vector<gpu> gpus_;
  effects effects_;
  stress stress_;
  nanoseconds now_{0};
  std::uint64_t sequence_ = 0;
  std::priority_queue<event, std::vector<event>, std::greater<>> events_;
  std::map<trace::stream_id, stream_state> streams_;
  std::pmr::unsynchronized_pool_resource
      entry_memory_;  // entries come and go, and are larger than what malloc is fast with
  std::pmr::deque<entry> entries_{&entry_memory_};
  trace::operation_id first_id_ = 1;  ///< id of entries_.front()
};

}  // namespace device

// recording.h: one run of a CUDA program as plain data.
//
// A backend turns a run into a `recording`; everything else works on recordings and does not ask which backend made
// them. What a backend cannot know is absent (std::nullopt). Streams, events, threads, calls, operations and
// allocations have ids that start at 1 and never repeat within a recording; 0 means "none". Memory is an allocation and
// an offset, never an address. Times are nanoseconds since the start of the run. Not here: the stored form
// (recording_json.h).
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trace/api_functions.h"
#include "trace/boxed.h"
#include "trace/byte_set.h"
#include "trace/diagnostic_kind.h"

namespace trace {

/// Time since the start of the run.
using nanoseconds = std::chrono::nanoseconds;

using stream_id = std::uint32_t;      ///< in the order of creation
using event_id = std::uint32_t;       ///< in the order of creation
using thread_id = std::uint32_t;      ///< 1 is the thread that entered main()
using call_id = std::uint32_t;        ///< in the order in which the calls began
using operation_id = std::uint32_t;   ///< in the order of issue
using allocation_id = std::uint32_t;  ///< in the order in which the backend met them

/// A line of the program.
struct location {
  std::uint32_t file = 0;  ///< index into recording::files; 0: not known
  std::uint32_t line = 0;  ///< from 1; 0: not known
  bool in_callee = false;  ///< the code is not the user's: it is in a function that this line of theirs calls
  std::uint32_t callers = 0;  ///< number from 1 in recording::callers; 0: no calls around it are known
  bool is_known() const { return file != 0; }
  bool is_same_line(const location& other) const { return file == other.file && line == other.line; }
  bool operator==(const location&) const = default;
};

/// What was done with the bytes.
enum class access_mode : std::uint8_t { read, write, atomic };

/// Bytes of one allocation that were read, written or updated atomically.
struct access {
  allocation_id allocation = 0;          ///< whose bytes
  access_mode mode = access_mode::read;  ///< what was done with them
  byte_set bytes{};                      ///< which bytes, counted from the begin of the allocation
  location where{};                      ///< host functions: the line of the statement, where it is known
  std::uint32_t step = 0;                ///< of its operation: see host_edge
  bool operator==(const access&) const = default;
};

/// A source file of the program.
struct source_file {
  std::string path{};  ///< as on the compiler's command line; "" for the unknown file
  /// True for code that the user did not write: the half of a program that a lesson brings, or a library's header.
  /// Reports name no line of it.
  bool is_external = false;
  bool operator==(const source_file&) const = default;
};

/// The lines of the user's that were in a call when a line was reached, the innermost first.
struct caller_lines {
  std::vector<location> lines{};
  bool operator==(const caller_lines&) const = default;
};

/// Kinds of memory that copies distinguish.
enum class memory_kind : std::uint8_t {
  pageable,  ///< malloc, new, stack, globals
  pinned,    ///< cudaMallocHost, cudaHostAlloc, or a range passed to cudaHostRegister
  device,    ///< cudaMalloc
  managed,   ///< cudaMallocManaged
};

/// Kinds of work in a stream or a graph.
enum class operation_kind {
  kernel,
  copy,
  memset,
  event_record,
  event_wait,
  host_function,
  /// From the start of a graph's first node to the end of its last. The nodes are operations of their own, with the ids
  /// that follow; only their edges (operation::after) order them.
  graph_launch,
  allocate,  ///< cudaMallocAsync
  release,   ///< cudaFreeAsync
  prefetch,  ///< cudaMemPrefetchAsync: reads its range, moves the pages that are elsewhere
  attach,    ///< cudaStreamAttachMemAsync
};

/// Why an operation could not start earlier. For a call, why it could not return earlier: completion, staging,
/// work_queue (no room for another launch) or implicit_synchronization (it releases memory).
enum class constraint_kind {
  host_issue,      ///< the host had not issued it yet (`call`: the call that issued it)
  stream_order,    ///< the previous operation of its stream (`operation`) had not completed
  event,           ///< the work captured by an event (`operation`: the record) had not completed
  legacy_default,  ///< the legacy default stream: `operation` is on the other side of that barrier
  engine_busy,     ///< its copy engine was busy with `operation`
  work_queue,      ///< `operation`, ahead of it in the same hardware work queue, had not been dispatched
  no_room,         ///< no multiprocessor had room for a block (`operation`: a kernel that held the room)
  staging,         ///< pageable memory was still being staged by the host (`call`)
  /// The operation it waited for had ended, but its completion signal was withheld until `operation`, the last kernel
  /// of the same burst, had ended (Fermi).
  withheld_signal,
  /// A memset, an allocation or a copy inside the device, for which all streams of old GPUs wait: `operation` is on the
  /// other side of it.
  implicit_synchronization,
  graph_edge,  ///< `operation`, on which it depends in its graph, had not completed
  completion,  ///< host calls: `operation`, for which the call waits, had not completed
};

/// A constraint on the start of an operation or on the return of a call.
struct constraint {
  constraint_kind kind = constraint_kind::host_issue;
  operation_id operation = 0;  ///< the other operation, or 0
  call_id call = 0;            ///< the call that it is about, or 0
  nanoseconds until{0};        ///< when it ended
  bool operator==(const constraint&) const = default;
};

/// Consecutive blocks of a kernel that were resident on a multiprocessor for the same time.
struct block_time {
  std::uint64_t blocks = 0;
  nanoseconds duration{0};  ///< of one block
  bool operator==(const block_time&) const = default;
};

/// Work enqueued into a stream.
struct operation {
  operation_id id = 0;
  operation_kind kind = operation_kind::kernel;
  stream_id stream = 0;
  std::uint32_t device = 0;                  ///< ordinal of the device, from 0
  std::string name{};                        ///< kernel name; "" for other kinds
  call_id issued_by = 0;                     ///< the host call
  nanoseconds issued{0};                     ///< when the device could see it
  nanoseconds start{0};                      ///< when an engine began with it
  nanoseconds end{0};                        ///< when its effects were visible; 0: see has_ended()
  std::size_t bytes = 0;                     ///< copies and memsets; prefetches: what moved
  std::optional<memory_kind> source{};       ///< copies; prefetches: managed or pinned (host)
  std::optional<memory_kind> destination{};  ///< copies and memsets; prefetches as `source`
  std::array<std::uint32_t, 3> grid{};       ///< kernels: blocks
  std::array<std::uint32_t, 3> block{};      ///< kernels: threads a block
  boxed<std::vector<std::int64_t>> integers{};  ///< kernels: arguments of integer types; absent: not known
  std::size_t shared_memory_bytes = 0;  ///< kernels: dynamic shared memory a block
  boxed<std::vector<block_time>> block_times{};          ///< kernels; absent: not known
  bool prints = false;                                   ///< kernels: with printf()
  int priority = 0;                                      ///< its own or its stream's; lower is more urgent
  event_id event = 0;                                    ///< event_record, event_wait
  operation_id captured = 0;      ///< event_wait: the record it waits for; 0: that event was never recorded
  operation_id graph_launch = 0;  ///< graph nodes: the launch that they are part of; 0: no node of a graph
  call_id defined_by = 0;         ///< graph nodes: the call that captured the node or added it to its graph
  /// Graph nodes: the nodes of the same launch on which it depends. Graph launches: the previous launch of the same
  /// executable graph.
  std::vector<operation_id> after{};
  std::optional<std::vector<constraint>> waited_for{};  ///< the deciding one first; absent: not known
  std::optional<std::vector<access>> accesses{};        ///< absent: not known
  bool operator==(const operation&) const = default;
};

/// False for what was still to be done when the run was ended.
inline bool has_ended(const operation& operation) { return operation.end.count() != 0; }
/// A wait for an event that was never recorded, issued by the host: it orders nothing, not even in the legacy default stream.
inline bool waits_for_nothing(const operation& operation) {
  return operation.kind == operation_kind::event_wait && operation.captured == 0 &&
         operation.graph_launch == 0;
}

/// cudaErrorNotReady: the answer of a query, not a failure.
inline constexpr int not_ready = 600;
/// cudaErrorMemoryAllocation.
inline constexpr int out_of_memory = 2;
/// cudaErrorNotSupported.
inline constexpr int not_supported = 801;

/// One call of the CUDA API by the host (or of host_work()).
struct host_call {
  call_id id = 0;
  api_function function = api_function::other;
  boxed<std::string> other_name{};  ///< of a function without a row in the table: "cudaBindTexture"
  thread_id thread = 0;
  nanoseconds start{0};
  nanoseconds end{0};
  int error_code = 0;        ///< the returned cudaError_t; launches: what cudaGetLastError would say
  boxed<std::string> error_name{};  ///< "cudaErrorInvalidValue"; absent for cudaSuccess
  bool is_result_unused = false;  ///< of a failed call, as far as it is known: nothing takes its result
  location where{};
  stream_id stream = 0;  ///< the stream named by the call; synchronous copies: the default stream they use
  event_id event = 0;    ///< the event named by the call
  operation_id operation = 0;    ///< the operation it issued; cudaGraphLaunch: the launch, not its nodes
  operation_id captured = 0;     ///< event synchronize and query: the record of the event; 0: never recorded
  allocation_id allocation = 0;  ///< the allocation it made, registered or freed
  std::uint32_t device = 0;      ///< the device that was current for the thread at the call
  std::optional<std::uint32_t>
      asked_device{};  ///< asks_about_device: the device it asks about; absent: not known
  /// What the host waited for, the last to end first. Calls whose purpose is to wait have an entry even when the work
  /// was complete: then `until` is not after `start`. Absent: not known.
  std::optional<std::vector<constraint>> waited_for{};
  nanoseconds staging{0};  ///< how long the host copied pageable memory; not known without waited_for
  bool operator==(const host_call&) const = default;
};

/// The name of the function that was called: "cudaMemcpyAsync".
inline std::string_view name_of(const host_call& call) {
  if (call.function != api_function::other) return name_of(call.function);
  return call.other_name ? std::string_view(*call.other_name) : "";
}

/// "cudaErrorInvalidValue"; "" for a call that succeeded.
inline std::string_view error_name_of(const host_call& call) {
  return call.error_name ? std::string_view(*call.error_name) : "";
}

/// What a successful call of that function does.
inline call_effect effect_of(const host_call& call) { return traits_of(call.function).effect; }

/// Where a stream comes from.
enum class stream_kind { legacy_default, per_thread_default, created };
/// Whether a stream and the legacy default stream wait for each other.
enum class stream_blocking { blocking, non_blocking };

/// A queue of operations.
struct stream {
  stream_id id = 0;
  std::uint32_t device = 0;  ///< ordinal
  stream_kind kind = stream_kind::created;
  stream_blocking blocking = stream_blocking::blocking;
  int priority = 0;          ///< lower is more urgent
  call_id created_by = 0;    ///< 0: it always exists (default streams)
  call_id destroyed_by = 0;  ///< 0: never destroyed
  /// The first call that put another stream into the variable that still held this live one; 0: none that is known.
  call_id overwritten_by = 0;
  std::string name{};        ///< from recorder::name_stream, or ""
  bool operator==(const stream&) const = default;
};

/// A mark that is recorded in streams.
struct event {
  event_id id = 0;
  std::uint32_t device = 0;  ///< ordinal
  bool has_timing = true;    ///< false: cudaEventDisableTiming
  call_id created_by = 0;
  call_id destroyed_by = 0;  ///< 0: never destroyed
  /// The first call that put another event into the variable that still held this live one; 0: none that is known.
  call_id overwritten_by = 0;
  bool operator==(const event&) const = default;
};

/// Memory that operations of the run used or could have used.
struct allocation {
  allocation_id id = 0;
  memory_kind kind = memory_kind::device;
  std::uint32_t device = 0;  ///< device and managed memory
  std::size_t bytes = 0;
  /// cudaMalloc..., cudaHostRegister; 0: pageable memory that an operation used, or that two of the host's threads and
  /// host functions touched.
  call_id allocated_by = 0;
  call_id freed_by = 0;  ///< 0: never freed
  std::string name{};    ///< of a device variable, or from recorder::name_memory; or ""
  location declared{};   ///< variables of the device: where it is defined
  bool operator==(const allocation&) const = default;
};

/// Bytes that host code itself read or wrote between two calls.
struct host_access {
  thread_id thread = 0;
  call_id after = 0;  ///< the last call that this thread had made; 0: none yet
  location where{};
  trace::access access{};
  std::uint32_t step = 0;  ///< of its thread: see host_edge
  bool operator==(const host_access&) const = default;
};

/// A happens-before edge to a host thread or to a host function in a stream, from a thread or a host function: thread
/// creation, join, mutex, atomic.
struct host_edge {
  operation_id from_operation = 0;  ///< the host function; 0: a thread
  thread_id from = 0;               ///< 0: a host function
  call_id from_after = 0;           ///< the last call of `from` before the edge
  operation_id to_operation = 0;    ///< the host function that went on; 0: a thread did
  thread_id to = 0;                 ///< 0 when a host function did
  call_id to_after = 0;             ///< the last call of `to` before the edge
  /// Edges divide the work of a thread or of a host function into steps, numbered through the run. All steps of `from` up to
  /// `from_step` come before the edge; the steps of `to` from `to_step` on come after it.
  std::uint32_t from_step = 0;
  std::uint32_t to_step = 0;
  bool is_join = false;  ///< `from` had ended, and `to` waited for that
  location where{};      ///< the line that started or joined a thread, where it is known
  bool operator==(const host_edge&) const = default;
};

/// What a host thread did in a parallel region of OpenMP that has several threads.
struct region_thread {
  std::uint32_t region = 0;  ///< number of the region in the run, from 1
  std::uint32_t number = 0;  ///< of the thread in the region: omp_get_thread_num()
  thread_id thread = 0;
  call_id after = 0;             ///< the last call of any thread before it began
  call_id until = 0;             ///< the last call before it ended; 0: it did not end
  std::uint32_t first_step = 0;  ///< of its host accesses: see host_edge
  std::uint32_t last_step = 0;   ///< 0: it did not end
  location where{};              ///< of the region
  bool operator==(const region_thread&) const = default;
};

/// Misuse, or a remark about the run, that no error code reports.
struct diagnostic {
  diagnostic_kind kind = diagnostic_kind::not_supported;
  std::string message{};  ///< one plain sentence
  call_id call = 0;       ///< the call that it is about, or 0
  location where{};
  location
      earlier{};  ///< the other access of a race in shared memory; where the memory comes from that a refused call is about;
      ///< of freed_while_registered: the registration, where that reached into other memory
  bool operator==(const diagnostic&) const = default;
};

/// A named point in time. The exercise marks where the learner's part begins ("begin:learner") and ends
/// ("end:learner").
struct mark {
  std::string name{};
  nanoseconds time{0};
  call_id after = 0;                 ///< the last host call before the mark
  operation_id after_operation = 0;  ///< the last operation issued before the mark
  location where{};                  ///< the line that called the driver, where it is known
  bool operator==(const mark&) const = default;
};

/// A stretch of host code that the program named with NVTX, or a point in time (start equals end).
struct named_range {
  std::string name{};
  std::string domain{};  ///< "": the default domain
  thread_id thread = 0;  ///< that began it
  nanoseconds start{0};
  nanoseconds end{0};
  std::string category{};    ///< its name, or its number; "": none
  std::uint32_t colour = 0;  ///< 0xAARRGGBB; 0: none
  std::string payload{};     ///< a number; "": none
  location where{};          ///< where it began
  bool operator==(const named_range&) const = default;
};

/// Blocks of a kernel that were resident together, as many on each of some neighbouring multiprocessors. A memset or a copy
/// inside the device is a kernel of the driver.
struct residency {
  operation_id operation = 0;
  std::uint32_t multiprocessor = 0;   ///< the first, from 0
  std::uint32_t multiprocessors = 1;  ///< how many
  std::uint32_t blocks = 0;           ///< on each
  nanoseconds start{0};
  nanoseconds end{0};
  bool operator==(const residency&) const = default;
};

/// A GPU of the run.
struct device {
  std::uint32_t ordinal = 0;         ///< its number in CUDA
  std::string name{};                ///< "NVIDIA H200"
  std::string compute_capability{};  ///< "9.0"
  std::uint32_t multiprocessors = 0;
  std::uint32_t copy_engines = 0;
  bool operator==(const device&) const = default;
};

/// The legal schedules under which a program can run. All but the first exist to reveal missing waits.
enum class schedule_kind {
  as_is,
  slow_copies,    ///< copies take ten times as long
  slow_kernels,   ///< kernels take ten times as long, and each by another share up to 5 % longer still
  late_pageable,  ///< asynchronous copies of pageable memory read and write it as late as they may
};

/// The names of parameters of a kernel whose arguments are recorded.
struct kernel_parameters {
  std::string kernel{};                 ///< its name
  std::vector<std::string> integers{};  ///< those of `operation::integers`
  bool operator==(const kernel_parameters&) const = default;
};

/// Everything that happened in one run.
struct recording {
  std::string backend{};  ///< "virtual" or "cupti"
  std::string profile{};  ///< virtual GPU: the profile's short name, "h200"; "" on hardware
  schedule_kind schedule = schedule_kind::as_is;
  std::vector<source_file> files{{}};                       ///< see location
  std::vector<caller_lines> callers{};                      ///< see location
  std::vector<device> devices{};                            ///< by ordinal
  std::vector<kernel_parameters> kernels{};  ///< in the order of their first use; those that are known
  std::vector<stream> streams{};                            ///< by id
  std::vector<event> events{};                              ///< by id
  std::vector<allocation> allocations{};                    ///< by id
  std::vector<host_call> calls{};                           ///< by id
  std::vector<operation> operations{};                      ///< by id
  std::optional<std::vector<host_access>> host_accesses{};  ///< absent if the backend cannot know
  std::vector<host_edge> host_edges{};                      ///< as they came
  std::vector<region_thread> region_threads{};              ///< as they began
  std::vector<diagnostic> diagnostics{};                    ///< as they came
  std::vector<mark> marks{};                                ///< as they came
  std::vector<named_range> ranges{};                        ///< in the order of their begin
  std::vector<residency> residencies{};                     ///< in the order of their end; none: not known
  nanoseconds end{0};                                       ///< of the last call or operation

  bool operator==(const recording&) const = default;

  /// The entry with that id; throws std::out_of_range when there is none.
  const operation& operation_at(operation_id id) const { return operations.at(id - 1); }
  const host_call& call_at(call_id id) const { return calls.at(id - 1); }
  const stream& stream_at(stream_id id) const { return streams.at(id - 1); }
  const event& event_at(event_id id) const { return events.at(id - 1); }
  const allocation& allocation_at(allocation_id id) const { return allocations.at(id - 1); }
  /// True for code that the user did not write, although a line of theirs may have called it; false for the unknown place.
  bool is_external(const location& where) const {
    return where.in_callee || files.at(where.file).is_external;
  }
  /// True for code that the user wrote; false for the unknown place.
  bool is_own(const location& where) const { return where.is_known() && !is_external(where); }
  /// True when a line of the user's is known, if only of a call of the code.
  bool leads_to_line(const location& where) const {
    return where.is_known() && !files.at(where.file).is_external;
  }
  /// The lines that led to that place by calls, the innermost first; empty where none are known.
  const std::vector<location>& callers_of(const location& where) const;
  /// "async_copy.cu:41" (last part of the path); "" where no line of the user's is known.
  std::string describe(const location& where) const;
};

/// The direction of a copy, from the kinds of memory on both sides. Managed memory counts as device memory.
enum class copy_direction { host_to_device, device_to_host, device_to_device, host_to_host };

/// Throws std::logic_error unless both memory kinds are known.
copy_direction direction_of(const operation& copy);

}  // namespace trace

// recording.h: what happened in one run of a CUDA program, as plain data. The waist of the whole design.
//
// A backend (virtual_gpu, real_gpu) turns one run into a `recording`; analysis, pictures and verdicts work on
// recordings and never ask which backend made them. What a backend cannot know is absent (std::nullopt),
// never guessed. Not here: how it is stored (recording_json.h), what it means (analysis/). Streams, events,
// threads, calls, operations and allocations are keyed by ids that start at 1 and never repeat within a
// recording; 0 means "none". No address appears: memory is an allocation and an offset. Times are nanoseconds
// since the start of the run.
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
#include "trace/byte_set.h"
#include "trace/diagnostic_kind.h"

namespace trace {

/// Time since the start of the run.
using nanoseconds = std::chrono::nanoseconds;

/// Streams, in the order in which they came into being.
using stream_id = std::uint32_t;
/// Events, in the order in which they were created.
using event_id = std::uint32_t;
using thread_id = std::uint32_t;     ///< 1 is the thread that entered main()
using call_id = std::uint32_t;       ///< host calls, in the order in which they began
using operation_id = std::uint32_t;  ///< operations, in the order in which they were issued
/// Allocations, in the order in which they were seen.
using allocation_id = std::uint32_t;

/// A place in the program. `file` indexes recording::files, where entry 0 is "" (not known). `line` is 1-based.
struct location {
  std::uint32_t file = 0;  ///< index into recording::files
  std::uint32_t line = 0;  ///< from 1; 0: not known
  bool is_known() const { return file != 0; }
  bool operator==(const location&) const = default;
};

/// What was done with the bytes.
enum class access_mode { read, write, atomic };

/// Bytes of one allocation that were read, written or updated atomically.
struct access {
  allocation_id allocation = 0;          ///< whose bytes
  access_mode mode = access_mode::read;  ///< what was done with them
  byte_set bytes{};                      ///< which bytes, counted from the begin of the allocation
  location where{};                      ///< host functions: the line of the statement, where it is known
  bool operator==(const access&) const = default;
};

/// A source file of the program.
struct source_file {
  std::string path{};  ///< as the compiler was given it; "" for the unknown one
  /// True for code that the user did not write: the half of a program that a lesson brings, or a library's header.
  /// Reports name no line of it.
  bool is_external = false;
  bool operator==(const source_file&) const = default;
};

/// Kinds of memory, as copies know them.
enum class memory_kind {
  pageable,  ///< malloc, new, stack, globals
  pinned,    ///< cudaMallocHost, cudaHostAlloc, or a range given to cudaHostRegister
  device,    ///< cudaMalloc
  managed,   ///< cudaMallocManaged
};

/// What can be enqueued into a stream, and what a graph launch makes.
enum class operation_kind {
  kernel,
  copy,
  memset,
  event_record,
  event_wait,
  host_function,
  graph_launch,  ///< from the start of a graph's first node to the end of its last. The nodes are operations
                 ///< of their own, with the ids that follow; among each other only their edges order them
                 ///< (operation::after)
  allocate,      ///< stream-ordered memory comes into being (cudaMallocAsync)
  release,       ///< stream-ordered memory ends (cudaFreeAsync)
  prefetch,      ///< cudaMemPrefetchAsync: reads what it names, moves what of it is elsewhere
  attach,        ///< cudaStreamAttachMemAsync
};


/// Why an operation could not start earlier, or why a call could not return earlier: completion, staging,
/// work_queue (no room for another launch), or implicit_synchronization (it releases memory).
enum class constraint_kind {
  host_issue,       ///< the host had not issued it yet (`call`: the call that issued it)
  stream_order,     ///< the previous operation of its stream (`operation`) had not completed
  event,            ///< the work captured by an event (`operation`: the record) had not completed
  legacy_default,   ///< the legacy default stream: `operation` is on the other side of that barrier
  engine_busy,      ///< its copy engine was busy with `operation`
  work_queue,       ///< `operation`, ahead of it in the same hardware work queue, had not been dispatched
  no_room,          ///< no multiprocessor had room for a block (`operation`: a kernel that held the room)
  staging,          ///< pageable memory was still being staged by the host (`call`)
  withheld_signal,  ///< what it waited for had ended, but its completion signal was withheld until
                    ///< `operation`, the last kernel issued in the same row, had ended (Fermi)
  implicit_synchronization,  ///< a memset, an allocation or a copy inside the device came in between, which
                             ///< on old GPUs all streams wait for: `operation` is on the other side of it
  graph_edge,                ///< `operation`, on which it depends in its graph, had not completed
  completion,                ///< host calls: `operation`, for which the call waits, had not completed
};

/// One constraint on the start of an operation or on the return of a call, and the time at which it let go.
struct constraint {
  constraint_kind kind = constraint_kind::host_issue;  ///< what held the operation up
  operation_id operation = 0;                          ///< the other operation that it speaks of, or 0
  call_id call = 0;                                    ///< the call that it speaks of, or 0
  nanoseconds until{0};                                ///< when it let go
  bool operator==(const constraint&) const = default;
};

/// Consecutive blocks of a kernel, in their order, that each held their multiprocessor for the same time.
struct block_time {
  std::uint64_t blocks = 0;
  nanoseconds duration{0};  ///< of one block
  bool operator==(const block_time&) const = default;
};

/// Anything enqueued into a stream.
struct operation {
  operation_id id = 0;                                   ///< its place in recording::operations, from 1
  operation_kind kind = operation_kind::kernel;          ///< what the device did
  stream_id stream = 0;                                  ///< the stream it was enqueued into
  std::uint32_t device = 0;                              ///< ordinal of the device, from 0
  std::string name{};                                    ///< kernel name; "" for other kinds
  call_id issued_by = 0;                                 ///< the host call that issued it
  nanoseconds issued{0};                                 ///< when the device could see it
  nanoseconds start{0};                                  ///< when an engine began with it
  nanoseconds end{0};                                    ///< when its effects were visible
  std::size_t bytes = 0;                                 ///< copies and memsets; prefetches: what moved
  std::optional<memory_kind> source{};                   ///< copies; prefetches: managed or pinned (host)
  std::optional<memory_kind> destination{};              ///< copies and memsets; prefetches as `source`
  std::array<std::uint32_t, 3> grid{};                   ///< kernels: blocks
  std::array<std::uint32_t, 3> block{};                  ///< kernels: threads a block
  std::size_t shared_memory_bytes = 0;                   ///< kernels: dynamic shared memory a block
  std::optional<std::vector<block_time>> block_times{};  ///< kernels; absent: not known
  int priority = 0;                                      ///< its own or its stream's; lower is more urgent
  event_id event = 0;                                    ///< event_record, event_wait
  operation_id captured = 0;      ///< event_wait: the record it waits for; 0: that event was never recorded
  operation_id graph_launch = 0;  ///< graph nodes: the launch that they are part of; 0: no node of a graph
  call_id defined_by = 0;         ///< graph nodes: the call that captured the node or added it to its graph
  std::vector<operation_id> after{};  ///< graph nodes: the nodes of the same launch on which it depends;
                                      ///< graph launches: the one before of the same executable graph
  std::optional<std::vector<constraint>> waited_for{};  ///< the deciding one first; absent: not known
  std::optional<std::vector<access>> accesses{};        ///< absent: not known
  bool operator==(const operation&) const = default;
};

/// The code of cudaErrorNotReady: a query's answer, not a failure.
inline constexpr int not_ready = 600;

/// One call of the CUDA API by the host (or of host_work()).
struct host_call {
  call_id id = 0;                               ///< its place in recording::calls, from 1
  api_function function = api_function::other;  ///< which function it is
  std::string other_name{};  ///< of a function without a row in the table: "cudaBindTexture"
  thread_id thread = 0;      ///< the host thread that made it
  nanoseconds start{0};      ///< when the host entered it
  nanoseconds end{0};        ///< when it returned
  int error_code = 0;        ///< the returned cudaError_t; launches: what cudaGetLastError would say
  std::string error_name{};  ///< "cudaErrorInvalidValue"; "" for cudaSuccess
  location where{};          ///< the line of the program
  stream_id stream = 0;  ///< the stream named by the call; synchronous copies: the default stream they use
  event_id event = 0;    ///< the event named by the call
  operation_id operation = 0;    ///< the operation it issued; cudaGraphLaunch: the launch, not its nodes
  operation_id captured = 0;     ///< event synchronize and query: the record they speak of; 0: never recorded
  allocation_id allocation = 0;  ///< the allocation it made, registered or freed
  std::uint32_t device = 0;      ///< the device that was current for the thread at the call
  /// What the host waited for in the call, the last to let go first. A call that is there to wait has an
  /// entry also when nothing was left to wait for: then `until` is not after its start. Absent: not known.
  std::optional<std::vector<constraint>> waited_for{};
  nanoseconds staging{0};  ///< how long the host copied pageable memory; not known without waited_for
  bool operator==(const host_call&) const = default;
};

/// The name of the function that was called: "cudaMemcpyAsync".
inline std::string_view name_of(const host_call& call) {
  return call.function == api_function::other ? std::string_view(call.other_name) : name_of(call.function);
}

/// What a successful call of that function does.
inline call_effect effect_of(const host_call& call) { return traits_of(call.function).effect; }

/// Where a stream comes from.
enum class stream_kind { legacy_default, per_thread_default, created };
/// Whether a stream and the legacy default stream wait for each other.
enum class stream_blocking { blocking, non_blocking };  ///< towards the legacy default stream

/// A queue of operations.
struct stream {
  stream_id id = 0;                         ///< its place in recording::streams, from 1
  std::uint32_t device = 0;                 ///< ordinal of its device
  stream_kind kind = stream_kind::created;  ///< where it comes from
  stream_blocking blocking =
      stream_blocking::blocking;  ///< whether it takes part in the barrier of the legacy default stream
  int priority = 0;               ///< lower is more urgent
  call_id created_by = 0;         ///< 0: it always exists (default streams)
  call_id destroyed_by = 0;       ///< 0: never destroyed
  std::string name{};             ///< given by the program (recorder::name_stream), or ""
  bool operator==(const stream&) const = default;
};

/// A mark that is recorded in streams.
struct event {
  event_id id = 0;           ///< its place in recording::events, from 1
  std::uint32_t device = 0;  ///< ordinal of its device
  bool has_timing = true;    ///< false: made with cudaEventDisableTiming
  call_id created_by = 0;    ///< the call that made it
  call_id destroyed_by = 0;  ///< 0: never destroyed
  bool operator==(const event&) const = default;
};

/// Memory that operations of the run used or could have used.
struct allocation {
  allocation_id id = 0;                    ///< its place in recording::allocations, from 1
  memory_kind kind = memory_kind::device;  ///< what memory it is
  std::uint32_t device = 0;                ///< device and managed memory
  std::size_t bytes = 0;                   ///< its size
  /// cudaMalloc..., cudaHostRegister; 0: pageable memory that an operation used, or that two of the host's threads and
  /// host functions touched.
  call_id allocated_by = 0;
  call_id freed_by = 0;  ///< 0: never freed
  std::string
      name{};  ///< of a variable of the device, or given by the program (recorder::name_memory); or ""
  location declared{};  ///< variables of the device: where it is defined
  bool operator==(const allocation&) const = default;
};

/// Bytes that host code itself read or wrote between two calls.
struct host_access {
  thread_id thread = 0;    ///< whose code
  call_id after = 0;       ///< the last call that this thread had made; 0: none yet
  location where{};        ///< the line of the program
  trace::access access{};  ///< which bytes, and what was done with them
  std::uint32_t step = 0;  ///< of its thread: see host_edge
  bool operator==(const host_access&) const = default;
};

/// What one host thread (or a host function in a stream) did before another thread (or host function) went on: thread
/// creation, join, mutex, atomic.
struct host_edge {
  operation_id from_operation = 0;  ///< the host function that let the thread go on; 0: a thread did
  thread_id from = 0;               ///< 0 when a host function did
  call_id from_after = 0;           ///< the last call of `from` before the edge
  operation_id to_operation = 0;  ///< the host function that went on; 0: a thread did
  thread_id to = 0;               ///< 0 when a host function did
  call_id to_after = 0;           ///< the last call of `to` before the edge
  /// Edges divide what a thread does into steps, numbered through the run: `from` had done all its steps up
  /// to `from_step` when it let the other go on; what comes after the edge in `to` has at least step `to_step`.
  std::uint32_t from_step = 0;
  std::uint32_t to_step = 0;  ///< see from_step
  bool operator==(const host_edge&) const = default;
};

/// Misuse, or a remark about the run, that no error code tells.
struct diagnostic {
  diagnostic_kind kind = diagnostic_kind::not_supported;
  std::string message{};  ///< one plain sentence
  call_id call = 0;       ///< the call that it is about, or 0
  location where{};       ///< the line of the program
  bool operator==(const diagnostic&) const = default;
};

/// A named point in time. The exercise marks where the learner's part begins ("begin:learner") and ends ("end:learner").
struct mark {
  std::string name{};                ///< "begin:learner"
  nanoseconds time{0};               ///< when
  call_id after = 0;                 ///< the last host call before the mark
  operation_id after_operation = 0;  ///< the last operation issued before the mark
  bool operator==(const mark&) const = default;
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

/// Under which of the legal schedules a program ran. All but the first are there to show missing waits.
enum class schedule_kind {
  as_is,
  slow_copies,    ///< copies take ten times as long
  slow_kernels,   ///< kernels take ten times as long
  late_pageable,  ///< asynchronous copies of pageable memory read and write it as late as they may
};

/// Everything that happened in one run.
struct recording {
  std::string backend{};  ///< "virtual" or "cupti"
  std::string profile{};  ///< virtual GPU: the profile's short name, "h200"; "" on hardware
  schedule_kind schedule = schedule_kind::as_is;
  std::vector<source_file> files{{}};                       ///< see location
  std::vector<device> devices{};                            ///< by ordinal
  std::vector<stream> streams{};                            ///< by id
  std::vector<event> events{};                              ///< by id
  std::vector<allocation> allocations{};                    ///< by id
  std::vector<host_call> calls{};                           ///< by id
  std::vector<operation> operations{};                      ///< by id
  std::optional<std::vector<host_access>> host_accesses{};  ///< absent if the backend cannot know
  std::vector<host_edge> host_edges{};                      ///< as they came
  std::vector<diagnostic> diagnostics{};                    ///< as they came
  std::vector<mark> marks{};                                ///< as they came
  nanoseconds end{0};                                       ///< when the last thing ended

  bool operator==(const recording&) const = default;

  /// The entry with that id; throws std::out_of_range when there is none.
  const operation& operation_at(operation_id id) const { return operations.at(id - 1); }
  const host_call& call_at(call_id id) const { return calls.at(id - 1); }
  const stream& stream_at(stream_id id) const { return streams.at(id - 1); }
  const event& event_at(event_id id) const { return events.at(id - 1); }
  const allocation& allocation_at(allocation_id id) const { return allocations.at(id - 1); }
  /// Whether that is a line of a file that the reader was given. The unknown place is not.
  bool is_external(const location& where) const { return files.at(where.file).is_external; }
  /// Whether that is a line of the reader's. The unknown place is not.
  bool is_own(const location& where) const { return where.is_known() && !is_external(where); }
  /// "async_copy.cu:41" (last part of the path), or "" when not known or given.
  std::string describe(const location& where) const;
};

/// The four ways a copy can go, from the kinds of memory on both sides. Managed memory counts as device memory.
enum class copy_direction { host_to_device, device_to_host, device_to_device, host_to_host };

/// The direction of a copy operation. Both memory kinds must be known; throws std::logic_error otherwise.
copy_direction direction_of(const operation& copy);

}  // namespace trace

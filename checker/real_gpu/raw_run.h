// raw_run.h: what the recorder of a real GPU collects while a program runs, as it comes: calls in the order
// in which they began, and activity records in any order.
//
// Handles are numbers here and may repeat; make_recording.h turns them into ids that do not. Times are
// nanoseconds since the recorder began. Not here: where the numbers come from (cupti_recorder.cpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "trace/recording.h"

namespace real_gpu {

using trace::nanoseconds;
using handle = std::uint64_t;  ///< a stream, an event or an address, as a number

inline constexpr handle legacy_stream = 0;      ///< no stream that the program made has it
inline constexpr handle per_thread_stream = 2;  ///< the value of cudaStreamPerThread

/// What a successful call did to the things that a recording keeps track of.
enum class effect {
  none,
  creates_stream,
  destroys_stream,
  creates_event,
  destroys_event,
  records_event,
  waits_for_event,
  queues_host_function,
  allocates,
  frees,
  launches_graph,
};

/// One call of the runtime API (or of host_work()).
struct raw_call {
  std::string name{};           ///< without the suffixes that tell versions and default streams apart
  trace::thread_id thread = 1;  ///< that made it; from 1, in the order of their first call
  nanoseconds start{0};         ///< by the clock of the host, as is `end`
  nanoseconds end{0};
  int error_code = 0;                ///< the cudaError_t that it returned; 0: success
  std::uint64_t code_address = 0;    ///< where the program goes on after it; 0: not known
  std::uint32_t device = 0;          ///< that was current
  std::uint32_t correlation = 0;     ///< of the activity records that it caused; 0: none
  bool is_in_host_function = false;  ///< a function given to a stream made it

  effect did = effect::none;       ///< none also when it failed
  std::optional<handle> stream{};  ///< the one that it names or uses
  handle event = 0;                ///< the one that it names, records, creates or destroys
  bool has_timing = true;          ///< creates_event
  trace::stream_blocking blocking = trace::stream_blocking::blocking;  ///< creates_stream
  int priority = 0;                                                    ///< creates_stream
  handle memory = 0;                                                   ///< allocates, frees
  std::size_t bytes = 0;                                               ///< allocates
  trace::memory_kind memory_kind = trace::memory_kind::device;         ///< allocates
  std::size_t host_function = 0;  ///< queues_host_function: place in raw_run::host_functions
};

/// A kernel, copy or memset that the device executed.
struct raw_activity {
  trace::operation_kind kind = trace::operation_kind::kernel;  ///< kernel, copy or memset
  std::uint32_t correlation = 0;                               ///< that of the call that caused it
  std::uint32_t device = 0;                                    ///< that executed it
  std::string name{};    ///< kernels, as the compiler wrote it (mangled)
  nanoseconds start{0};  ///< by the clock of the device, converted by CUPTI, as is `end`
  nanoseconds end{0};
  std::size_t bytes = 0;                            ///< copies and memsets
  std::optional<trace::memory_kind> source{};       ///< copies: the kind that CUPTI tells
  std::optional<trace::memory_kind> destination{};  ///< copies and memsets: the kind that CUPTI tells
  std::array<std::uint32_t, 3> grid{};              ///< kernels: blocks
  std::array<std::uint32_t, 3> block{};             ///< kernels: threads of a block
  std::size_t shared_memory_bytes = 0;              ///< kernels: dynamic, of a block
};

/// When a function given to a stream ran; not at all while end is absent.
struct raw_host_function {
  nanoseconds start{0};  ///< by the clock of the host, as is `end`
  std::optional<nanoseconds> end{};
};

/// A moment that was named: where a part of the program begins and ends.
struct raw_mark {
  std::string name{};            ///< as trace::recorder::mark() got it
  nanoseconds time{0};           ///< by the clock of the host
  std::size_t calls_before = 0;  ///< how many calls had begun
};

/// What the program has a name for.
enum class named { stream, memory };

/// A name that the program gave to what this handle meant at that moment.
struct raw_name {
  named kind = named::stream;    ///< what has the name
  handle object = 0;             ///< the stream, or any address of the memory
  std::string name{};            ///< for reports
  std::size_t calls_before = 0;  ///< how many calls had been made
};

/// All that was collected in one run.
struct raw_run {
  std::vector<trace::device> devices{};    ///< by ordinal
  int least_urgent_priority = 0;           ///< what the first device allows
  int most_urgent_priority = 0;            ///< the same; not above the other, for small numbers are urgent
  std::vector<raw_call> calls{};           ///< in the order in which they began
  std::vector<raw_activity> activities{};  ///< in any order
  std::vector<raw_host_function> host_functions{};  ///< in the order in which they were queued
  std::vector<raw_mark> marks{};                    ///< in their order
  std::vector<raw_name> names{};                    ///< in their order
  std::map<int, std::string> error_names{};         ///< of the codes that calls returned
  std::size_t lost_records = 0;            ///< activity records that did not fit into CUPTI's buffers
  std::string refusal{};                   ///< why nothing could be recorded; "": it could
  std::vector<trace::diagnostic> notes{};  ///< about the machine: other work on the GPU
};

}  // namespace real_gpu

// raw_run.h: the unprocessed data that the recorder of a real GPU collects: calls in the order in which they
// began, and activity records in any order.
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

/// The effect of a successful call on the objects of a recording.
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
  begins_capture,
  ends_capture,
};

/// One call of the runtime API (or of host_work()).
struct raw_call {
  std::string name{};           ///< without the suffixes that tell versions and default streams apart
  trace::thread_id thread = 1;  ///< from 1, in the order of their first call
  nanoseconds start{0};         ///< host clock, as is `end`
  nanoseconds end{0};
  int error_code = 0;                ///< cudaError_t; 0: success
  std::uint64_t code_address = 0;    ///< return address; 0: unknown
  std::uint32_t device = 0;          ///< the current device
  std::uint32_t correlation = 0;     ///< of the activity records that it caused; 0: none
  bool is_in_host_function = false;  ///< made by a function given to a stream

  effect did = effect::none;       ///< none for a failed call
  std::optional<handle> stream{};  ///< that it names or uses
  handle event = 0;                ///< that it names, records, creates or destroys
  bool has_timing = true;          ///< creates_event
  trace::stream_blocking blocking = trace::stream_blocking::blocking;  ///< creates_stream
  int priority = 0;                                                    ///< creates_stream
  handle memory = 0;                                                   ///< allocates, frees
  std::size_t bytes = 0;                                               ///< allocates
  trace::memory_kind memory_kind = trace::memory_kind::device;         ///< allocates
  std::size_t host_function = 0;  ///< queues_host_function: index into raw_run::host_functions
  std::optional<trace::copy_direction>
      direction{};    ///< of a copy, as its kind says; cudaMemcpyDefault: absent
  handle source = 0;  ///< of a copy, as is `destination`
  handle destination = 0;
};

/// A kernel, copy or memset that the device executed.
struct raw_activity {
  trace::operation_kind kind = trace::operation_kind::kernel;  ///< kernel, copy or memset
  std::uint32_t correlation = 0;                               ///< of the call that caused it
  std::uint32_t device = 0;
  std::string name{};    ///< kernels: mangled
  nanoseconds start{0};  ///< device clock, converted by CUPTI, as is `end`; negative: CUPTI has lost it
  nanoseconds end{0};
  std::size_t bytes = 0;                            ///< copies and memsets
  std::optional<trace::memory_kind> source{};       ///< copies: as CUPTI reports
  std::optional<trace::memory_kind> destination{};  ///< copies and memsets: as CUPTI reports
  std::array<std::uint32_t, 3> grid{};              ///< kernels: blocks
  std::array<std::uint32_t, 3> block{};             ///< kernels: threads of a block
  std::size_t shared_memory_bytes = 0;              ///< kernels: dynamic, of a block
};

/// The run of a function given to a stream; it has not run while `end` is absent.
struct raw_host_function {
  nanoseconds start{0};  ///< host clock, as is `end`
  std::optional<nanoseconds> end{};
};

/// A named time: a part of the program begins or ends.
struct raw_mark {
  std::string name{};            ///< as given to trace::recorder::mark()
  nanoseconds time{0};           ///< host clock
  std::size_t calls_before = 0;  ///< number of calls that had begun
};

/// The kinds of objects that a program can name.
enum class named { stream, memory };

/// A name that the program gave to the object that the handle meant at that time.
struct raw_name {
  named kind = named::stream;
  handle object = 0;  ///< the stream, or any address of the memory
  std::string name{};
  std::size_t calls_before = 0;  ///< number of calls that had been made
};

/// The data of one run.
struct raw_run {
  std::vector<trace::device> devices{};    ///< by ordinal
  int least_urgent_priority = 0;           ///< of the first device
  int most_urgent_priority = 0;            ///< of the first device; not above the other: small is urgent
  std::vector<raw_call> calls{};           ///< in the order in which they began
  std::vector<raw_activity> activities{};  ///< in any order
  std::vector<raw_host_function> host_functions{};  ///< in the order in which they were queued
  std::vector<raw_mark> marks{};
  std::vector<raw_name> names{};
  std::map<int, std::string> error_names{};  ///< of the codes that calls returned
  std::size_t lost_records = 0;              ///< activity records lost because CUPTI's buffers were full
  std::string refusal{};                     ///< why nothing could be recorded, or ""
  std::vector<trace::diagnostic> notes{};    ///< about the machine: other work on the GPU
};

}  // namespace real_gpu

// part.h: a slice of a recording: the learner's part, or the serial one, or all of it.
#pragma once

#include <string_view>
#include <vector>

#include "trace/recording.h"

namespace analysis {

/// What lies between two marks. Ids are ascending.
struct part {
  const trace::recording* recording = nullptr;  ///< the recording that it is a part of
  std::vector<trace::operation_id> operations;  ///< issued inside the part
  std::vector<trace::call_id> calls;            ///< begun inside the part
  trace::nanoseconds begin{0};                  ///< time of the mark "begin:..."
  trace::nanoseconds end{0};                    ///< time of the mark "end:..."
  trace::location ended_at{};                   ///< of the mark "end:...": the line that called the driver

  /// From the start of the part to the end of the last thing it did (its operations may outlast the mark).
  trace::nanoseconds duration() const;
};

/// The part between the marks "begin:NAME" and "end:NAME"; "" gives the whole run. Throws std::out_of_range
/// when the recording has no such marks.
part part_of(const trace::recording& recording, std::string_view name);

/// Kernels, copies, memsets and prefetches: what a part is measured by. Markers take no time, and a host function that
/// the device does not wait for may as well end later.
inline bool is_device_work(trace::operation_kind kind) {
  return kind == trace::operation_kind::kernel || kind == trace::operation_kind::copy ||
         kind == trace::operation_kind::memset || kind == trace::operation_kind::prefetch;
}

/// Events and waits for them: they order work and are none.
inline bool is_marker(trace::operation_kind kind) {
  return kind == trace::operation_kind::event_record || kind == trace::operation_kind::event_wait;
}

/// When that first call began, and how long the part really took from there to the end of its device work.
trace::nanoseconds begin_of_work(const part& part);
/// From the first call that issued work to the end of the last device work of the part.
trace::nanoseconds duration_of_work(const part& part);

}  // namespace analysis

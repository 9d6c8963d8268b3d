// overwritten_handles.h: handles of events and streams that a call overwrote in their variable while they were alive.
//
//     const auto found = overwriting_behind(recording, call);   // of `cudaEventRecord(event, stream)`: where `event` lost another
#pragma once

#include <optional>
#include <string>

#include "trace/recording.h"

namespace matchers {

/// A call of the learner's that put a handle into a variable, and the one of another line that had made what the variable held.
struct overwriting {
  const trace::host_call* by = nullptr;
  const trace::host_call* lost = nullptr;
};

/// That by which the handle of the event was lost. Of one line in a loop nothing: mostly it puts each handle elsewhere before the
/// next round.
std::optional<overwriting> overwriting_of(const trace::recording& recording, const trace::event& lost);
/// That by which the handle of the stream was lost.
std::optional<overwriting> overwriting_of(const trace::recording& recording, const trace::stream& lost);

/// That by the call which made what this call names: an event, or a stream that has been destroyed.
std::optional<overwriting> overwriting_behind(const trace::recording& recording, const trace::host_call& use);

/// " cudaEventCreate (a.cu:30) put this event into the variable that still held the one of cudaEventCreate (a.cu:13)."
std::string in_words(const trace::recording& recording, const overwriting& found);

}  // namespace matchers

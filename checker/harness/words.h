// words.h: how operations, calls and shares of a recording read in a sentence.
//
// Not here: durations and layout (report/words.h).
//
//     harness::in_words(seen, seen.operation_at(3));   // "the copy of 1.0 MB to the device in stream 2"
#pragma once

#include <string>

#include "trace/recording.h"

namespace harness {

/// "62 %", rounded down, so that "60 %" is never said of less.
std::string percent(double fraction);

/// "the kernel transform in stream 2"; the legacy default stream is called "the default stream".
std::string in_words(const trace::recording& seen, const trace::operation& what);

/// "cudaMemcpy (async_copy.cu:18)"; launches read "the launch". The place is left out when not known.
std::string in_words(const trace::recording& seen, const trace::host_call& what);

/// "async_copy.cu:18" of the call that issued the operation, or "" when not known.
std::string place_of(const trace::recording& seen, const trace::operation& what);

/// One sentence on what held the operation back until it started, or "" when the recording does not know.
std::string reason_to_wait(const trace::recording& seen, const trace::operation& what);

}  // namespace harness

// recording_json.h: recordings as JSON Lines, written and read as a stream.
//
// Line 1 is the header {"streamlings_recording": 3, ...}; each further line is one object with a "type". The reader
// refuses unknown content and names the line.
//
//     trace::write_json(out, recording);
//     trace::recording again = trace::read_json(input);   // equal to `recording`
#pragma once

#include <iosfwd>

#include "trace/recording.h"

namespace trace {

/// Version of the stored form. A reader refuses other versions.
inline constexpr int recording_format_version = 3;

/// Writes one line an entry; fields with their default value are left out. Byte sets are lists of
/// [offset, length, stride, count], or {"first": byte, "bitmap": "..."} with 16 hexadecimal digits a word.
/// Text that is not UTF-8 is replaced. Throws std::logic_error on a value outside its enum.
void write_json(std::ostream& out, const recording& recording);

/// Throws std::runtime_error "line N: reason" on anything that write_json does not write: a missing last line
/// {"type":"end"} of a cut-off file, ids that name nothing, times that are negative or above 2^53.
recording read_json(std::istream& input);

}  // namespace trace

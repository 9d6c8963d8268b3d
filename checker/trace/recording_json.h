// recording_json.h: recordings as JSON Lines, written and read as a stream.
//
// Line 1 is the header {"streamlings_recording": 3, ...}; each further line is one object with a "type". The
// reader refuses what it does not know, with the line number. Not here: the recording itself (recording.h).
//
//     trace::write_json(out, recording);
//     trace::recording again = trace::read_json(in);   // equal to `recording`
#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <string_view>

#include "trace/recording.h"

namespace trace {

/// Version of the stored form. A reader refuses other versions.
inline constexpr int recording_format_version = 3;

/// Writes one line an entry; fields with their default value are left out. Byte sets are lists of
/// [offset, length, stride, count], or {"first": byte, "bitmap": "..."} with 16 hexadecimal digits a word.
/// Text that is not UTF-8 is replaced. Throws std::logic_error on a value outside its enum.
void write_json(std::ostream& out, const recording& recording);

/// Reads what write_json wrote. Throws std::runtime_error "line N: reason" on anything else, including a
/// missing trailer (the last line is {"type":"end"}), so that a cut-off file is noticed, ids that name
/// nothing, and times that are negative or above 2^53.
recording read_json(std::istream& input);

/// The same for bytes that arrive piece by piece, of which no more than a line is kept.
class recording_reader {
 public:
  /// Takes the next bytes. Throws as read_json does; the reader is of no use after that.
  void feed(std::string_view bytes);
  /// The recording, once, when all bytes were taken. Throws as read_json does.
  recording finish();

 private:
  void take_line(std::string_view text);
  [[noreturn]] void refuse(const std::string& reason) const;

  recording result_ = {.files = {}};
  std::string unfinished_;  // a line of which the end has not arrived
  std::size_t lines_ = 0;
  bool is_whole_ = false;
};

}  // namespace trace

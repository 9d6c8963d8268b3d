// stored_values.h: what both readers of recordings demand, whether they read JSON or bytes.
//
// All functions throw `refused`. Not here: the ids inside a recording (references.h).
//
//     into.start = trace::stored_time(number);
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trace/recording.h"
#include "trace/recording_fields.h"

namespace trace {

/// Something is not as the writer would have written it.
struct refused {
  std::string reason;
};

/// Times above this many nanoseconds (104 days) are refused: up to here sums do not overflow and JavaScript
/// is exact.
inline constexpr std::uint64_t latest_time = std::uint64_t{1} << 53;

/// The time of that many nanoseconds; refuses a later one.
inline nanoseconds stored_time(std::uint64_t count) {
  if (count > latest_time) throw refused{"a time of more than 104 days"};
  return nanoseconds(count);
}

/// The set with those runs; refuses a list that is not the stored form of a set.
byte_set stored_runs(std::span<const byte_run> runs);
/// The same for a bitmap.
byte_set stored_bitmap(std::uint64_t first_byte, const std::vector<std::uint64_t>& words);

/// The text with replacements for what is not UTF-8, as JSON holds it.
std::string as_utf8(std::string_view text);

/// Begins a recording: takes over the header, and makes room on its word, within limits.
void begin_recording(recording& into, const recording_header& header);

/// The id of an entry behind `count` others.
void expect_next_id(std::uint32_t id, std::size_t count);

/// When all entries are there: the files, and the ids inside.
void expect_sound(const recording& whole);

}  // namespace trace

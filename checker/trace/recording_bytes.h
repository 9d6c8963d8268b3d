// recording_bytes.h: recordings as bytes, for the channel between an exercise program and the checker only.
//
// Nothing is stored in this form: both sides are of the same build. Stored recordings are JSON (recording_json.h).
//
//     trace::write_bytes(out, recording);
//     trace::bytes_reader reader;
//     reader.feed(bytes);                                // as they arrive
//     trace::recording again = reader.finish();          // equal to `recording`
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>

#include "trace/recording.h"

namespace trace {

/// Begins the bytes of a recording.
inline constexpr std::string_view bytes_format_word = "streamlings recording 1\n";

/// Ahead of each block: what it holds and how many bytes follow.
struct block_header {
  static constexpr std::uint64_t
      header = 0,
      end = 255;  ///< the others: entries of the list of that number in each_list, from 1
  std::uint64_t contents = header;
  std::uint64_t length = 0;
};

/// Writes the header, the lists and the end as blocks of whole entries. Of an entry there is a word with a bit for each field
/// that has not its default value, and those fields, as numbers of the machine; ahead of a text or list is its length.
void write_bytes(std::ostream& out, const recording& recording);

/// Reads bytes that arrive piece by piece and keeps no more than a block of them. Believes no length before the bytes are there,
/// and refuses what read_json() refuses.
class bytes_reader {
 public:
  /// Takes the next bytes. Throws std::runtime_error on anything that write_bytes does not write; the reader is of no use
  /// after that.
  void feed(std::string_view bytes);
  /// The recording, once, when all bytes were taken. Throws as feed() does.
  recording finish();

 private:
  /// How many of the bytes were the next block; 0: it is not whole yet.
  std::size_t take_block(std::string_view bytes);

  recording result_ = {.files = {}};
  std::string unfinished_;  // a block of which the end has not arrived
  enum class stage { format_word, header, lists, whole } stage_ = stage::format_word;
};

}  // namespace trace

// channel.h: frames over the one private descriptor between checker and exercise program.
//
// A part (request, answer, recording, ...) travels as frames of at most max_payload_bytes; the last one says
// so. Each frame has a magic word, a sequence number, its length and a checksum, so that foreign bytes are
// noticed and not believed. Not here: what the parts mean (message.h, incoming.h) and whose descriptor it is
// (launch.h, exercise_child.h).
//
//     exercise::frame_writer writer(descriptor);
//     writer.write_part(exercise::part::answer, answer.encode());
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <stdexcept>
#include <streambuf>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "exercise/byte_pieces.h"

namespace exercise {

/// Of the descriptor in a program that begins, where settings wait to be read.
inline constexpr int channel_number = 3;

/// Of a frame.
inline constexpr std::size_t max_payload_bytes = 256 << 10;

/// What a frame is a piece of.
enum class part : std::uint16_t {
  request = 1,  ///< to the program: a message
  answer,       ///< from the program: a message
  recording,    ///< from the program: JSON Lines
  failure,      ///< from the program: a kind, '\n', a sentence; nothing follows
  done,         ///< from the program: empty; everything was sent, nothing follows
  settings,     ///< to the program, before the request: a message with the backend's settings
  begun,        ///< from the program: empty; the library has started, and nothing of the learner has run
  progress,     ///< from the program, before answers and recording: a message
};

/// One piece of what goes through the channel.
struct frame {
  part kind = part::request;
  /// The part ends with this frame.
  bool is_last = false;
  std::string payload;
};

/// Bytes arrived that no frame_writer wrote.
class damaged_channel : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Encodes and sends frames over a blocking socket. Throws std::system_error when the other side is gone.
class frame_writer {
 public:
  explicit frame_writer(int descriptor) : descriptor_(descriptor) {}

  /// Sends one frame; at most max_payload_bytes.
  void write(part kind, std::string_view payload, bool is_last);
  /// Sends `bytes` as a whole part, in as many frames as that takes.
  void write_part(part kind, byte_pieces bytes);
  /// @copydoc write_part(part, byte_pieces)
  void write_part(part kind, std::string_view bytes) { write_part(kind, byte_pieces(bytes)); }

 private:
  int descriptor_;
  std::uint32_t next_sequence_ = 0;
};

/// Sends parts over a socket without waiting for its reader. No more than a frame is copied at a time.
class frame_queue {
 public:
  void add(part kind, byte_pieces bytes) { parts_.push_back({kind, std::move(bytes)}); }
  bool is_empty() const { return parts_.empty() && sent_ == frame_.size(); }
  /// At most a frame, as far as the other side takes it now. When that is gone, nothing is left.
  void send_some(int descriptor);

 private:
  struct waiting_part {
    part kind;
    byte_pieces bytes;
  };
  void take_frame();

  std::deque<waiting_part> parts_;
  std::string frame_;
  std::size_t sent_ = 0;
  std::uint32_t next_sequence_ = 0;
};

/// Adds one frame; at most max_payload_bytes.
void append_frame(std::string& bytes, part kind, std::string_view payload, bool is_last,
                  std::uint32_t sequence);

/// The frames of one whole part as bytes. Numbered from `sequence`.
std::string frames_of(part kind, std::string_view bytes, std::uint32_t sequence = 0);

/// True when the bytes can be the beginning of a frame, and are enough to tell.
bool begins_a_frame(std::string_view bytes);

/// Finds frames in bytes that arrive piece by piece.
class frame_reader {
 public:
  /// Adds bytes; throws damaged_channel as soon as what is there cannot be the beginning of a frame.
  void feed(std::string_view bytes);
  /// The next whole frame, or nothing yet. Throws damaged_channel.
  std::optional<frame> next();

 private:
  std::string buffer_;
  std::size_t used_ = 0;
  std::uint32_t next_sequence_ = 0;
};

/// A stream buffer whose characters travel as one part.
class part_streambuf : public std::streambuf {
 public:
  part_streambuf(frame_writer& writer, part kind);
  /// Sends the rest and ends the part.
  void close();

 protected:
  /// Takes a character for which the buffer has no room.
  int_type overflow(int_type character) override;

 private:
  std::string_view pending() const { return {pbase(), static_cast<std::size_t>(pptr() - pbase())}; }

  frame_writer& writer_;
  part kind_;
  std::vector<char> space_;
};

}  // namespace exercise

// channel.h: frames over the one private descriptor on which an exercise program tells the checker of its run.
//
// A part (recording, failure, ...) travels as frames of at most max_payload_bytes; the last one says
// so. Each frame has a magic word, a sequence number, its length and a checksum, so that foreign bytes are
// noticed and not believed. Requests and answers are megabytes and lie in sealed memory (sealed_bytes.h). Not here: what the
// parts mean (incoming.h) and whose descriptor it is (launch.h, exercise_child.h).
//
//     exercise::frame_writer writer(descriptor);
//     writer.write_part(exercise::part::failure, "fault\nThe program read memory that is not its own.");
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <streambuf>
#include <string>
#include <string_view>
#include <vector>

namespace exercise {

/// Of the descriptors in a program that begins: the channel, and sealed memory of messages.
inline constexpr int channel_number = 3;
inline constexpr int settings_number = 4;  ///< of one: the backend's settings
inline constexpr int requests_number = 5;  ///< of a request for each call

/// Of a frame.
inline constexpr std::size_t max_payload_bytes = 256 << 10;

/// What a frame is a piece of.
enum class part : std::uint16_t {
  begun = 1,  ///< empty; the library has started, and nothing of the learner has run
  progress,   ///< before answers and recording: a message
  answer,     ///< empty; the descriptor of sealed memory with a message for each call comes with it
  recording,  ///< as trace::write_bytes() writes it
  failure,    ///< a kind, '\n', a sentence; nothing follows
  done,       ///< empty; everything was sent, nothing follows
};

/// One piece of what goes through the channel.
struct frame {
  part kind = part::begun;
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

  /// Sends one frame; at most max_payload_bytes. A descriptor travels with it, unless it is -1.
  void write(part kind, std::string_view payload, bool is_last, int descriptor = -1);
  /// Sends `bytes` as a whole part, in as many frames as that takes.
  void write_part(part kind, std::string_view bytes);

 private:
  int descriptor_;
  std::uint32_t next_sequence_ = 0;
};

/// Adds one frame; at most max_payload_bytes.
void append_frame(std::string& bytes, part kind, std::string_view payload, bool is_last,
                  std::uint32_t sequence);

/// The frames of one whole part as bytes. Numbered from `sequence`.
std::string frames_of(part kind, std::string_view bytes, std::uint32_t sequence = 0);

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

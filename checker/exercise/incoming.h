// incoming.h: what the checker has received from an exercise program so far.
//
// Here: the parts in their order, put together from the bytes of the channel. Not here: reading the
// descriptors (launch.cpp).
//
//     exercise::incoming received;
//     received.feed(bytes);                      // throws damaged_channel
//     if (received.is_done()) use(received.answers(), received.recording());
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "exercise/channel.h"
#include "exercise/message.h"
#include "exercise/sealed_bytes.h"
#include "trace/recording.h"
#include "trace/recording_bytes.h"
#include "trace/run_control.h"

namespace exercise {

/// Why a program could not go on, in its own words.
struct failure {
  std::string kind;      ///< a stable word
  std::string sentence;  ///< for people
};

/// What has arrived from a program so far, checked before it is believed.
class incoming {
 public:
  /// More than this of a recording is not believed.
  static constexpr std::size_t max_recording_bytes = std::size_t{4} << 30;
  /// The same of an answer, which holds what a lesson's function made.
  static constexpr std::size_t max_answer_bytes = std::size_t{1} << 30;
  /// The same of a failure: a few sentences.
  static constexpr std::size_t max_failure_bytes = std::size_t{1} << 20;

  /// Takes bytes as they arrive. Throws damaged_channel on foreign bytes and on parts that are out of order.
  void feed(std::string_view bytes);
  /// Takes the memory whose descriptor came with the bytes that are fed next; the caller closes it. Throws damaged_channel when
  /// it is none that nobody can change, or not the first.
  void take_answers(int descriptor);

  /// The program's half of the channel has started.
  bool has_begun() const { return has_begun_; }
  /// The latest that the program has told.
  const std::optional<trace::progress>& progress() const { return progress_; }
  /// The program sent everything it had to send.
  bool is_done() const { return is_done_; }
  /// The program said why it could not go on.
  const std::optional<failure>& reason() const { return reason_; }
  /// The answers, in the order of the calls; none when none were sent (programs with their own main). Throws damaged_channel
  /// when they are no messages.
  std::vector<message> answers() const;
  /// The recording, once; nothing when it did not arrive whole. Throws damaged_channel when it is none.
  std::optional<trace::recording> recording();

 private:
  void accept(frame next);
  void read_recording(std::string_view bytes);

  frame_reader reader_;
  bool has_begun_ = false;
  std::optional<trace::progress> progress_;
  std::unique_ptr<const sealed_bytes> answers_;
  bool has_answers_ = false;
  trace::bytes_reader recording_;  // reads while bytes arrive: large recordings are never here twice
  std::optional<std::string> why_no_recording_;
  std::size_t recording_bytes_ = 0;
  bool has_recording_ = false;
  std::string failure_;
  std::optional<failure> reason_;
  bool is_done_ = false;
};

}  // namespace exercise

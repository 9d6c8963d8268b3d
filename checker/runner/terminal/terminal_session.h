// terminal_session.h: for tests: the program on a terminal of its own (a pseudo-terminal), and what a person
// would see there.
//
//     runner::terminal_session watch(toy.root(), {.rows = 24, .columns = 80});
//     watch.wait_for("no overlap");
//     watch.press("h");
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/terminal/screen.h"

namespace runner {

/// The small part of a terminal that our screens use: the cursor to the corner, clearing, the two screens,
/// and frames that become visible when they are complete.
class terminal_picture {
 public:
  explicit terminal_picture(screen_size size);
  void take(std::string_view bytes);
  void resize(screen_size size);
  /// The rows without spaces at their ends, each ended by a line break.
  std::string text() const;
  bool is_alternate() const { return is_alternate_; }

 private:
  using rows = std::vector<std::vector<std::string>>;  ///< a character a cell
  rows empty() const;
  void take_sequence(std::string_view sequence);
  void put(std::string_view character);
  void line_feed();

  screen_size size_;
  rows cells_;
  rows main_cells_;  ///< what the alternate screen hides
  int main_row_ = 0;
  int main_column_ = 0;
  rows visible_;
  int row_ = 0;
  int column_ = 0;
  bool is_alternate_ = false;
  bool is_in_frame_ = false;
  std::string pending_;  ///< the beginning of a character or sequence
};

class terminal_session {
 public:
  /// Starts the program on the checkout with this root; `environment` is added to a clean one ("NO_COLOR=1"),
  /// `script` says how a shell starts it.
  explicit terminal_session(const std::filesystem::path& root, screen_size size = {24, 80},
                            const std::vector<std::string>& environment = {},
                            const std::string& script = std::string("exec ") + STREAMLINGS_PROGRAM);
  ~terminal_session();
  terminal_session(const terminal_session&) = delete;
  terminal_session& operator=(const terminal_session&) = delete;

  void press(std::string_view bytes) const;
  void resize(screen_size size);
  void send(int signal) const;

  /// Returns when a complete frame shows the text; a failure of the test when it does not come.
  void wait_for(std::string_view text);
  void wait_until_gone(std::string_view text);
  void wait_until(const std::function<bool()>& holds, std::string_view awaited);
  /// Returns the wait status when the program has ended.
  int wait_for_end();

  std::string text() const { return picture_.text(); }
  bool is_alternate() const { return picture_.is_alternate(); }
  /// All bytes that the program has written.
  const std::string& bytes() const { return bytes_; }
  /// Whether the terminal echoes and waits for whole lines, as a shell expects it.
  bool is_as_before() const;

 private:
  bool pump(int timeout_milliseconds);

  terminal_picture picture_;
  std::string bytes_;
  int terminal_ = -1;
  pid_t program_ = 0;
};

}  // namespace runner

// screen.h: full-screen use of the terminal, restored at the end.
//
// A thin layer over termios and common escape sequences. A library would bring its own event loop; ours must
// also wait for files, checks and signals. Not here: the content (watch_view.h).
//
//     runner::screen screen;
//     screen.show({"first line", "second line"});
//     if (readable(screen.input())) for (const runner::key& pressed : screen.take_keys()) ...
#pragma once

#include <string>
#include <vector>

#include "runner/terminal/key.h"

namespace runner {

/// Size of a terminal; 24 x 80 when unknown.
struct screen_size {
  int rows = 24;
  int columns = 80;
  bool operator==(const screen_size&) const = default;
};

/// Standard input and output, which must be terminals. At most one object at a time. A crash of this program
/// restores the terminal too.
class screen {
 public:
  screen();
  ~screen();
  screen(const screen&) = delete;
  screen& operator=(const screen&) = delete;

  /// Restores the terminal for another program (a shell, an editor).
  void leave();
  /// Switches to the alternate screen, single keys, no echo.
  void enter();

  /// Queried at each call.
  screen_size size() const;
  /// Replaces the content; writes nothing when it is the same. Lines beyond the last row are cut.
  void show(const std::vector<std::string>& lines);

  /// Becomes readable when a key is pressed.
  int input() const;
  /// The keys pressed since the last call. Throws cannot_do when the terminal is gone.
  std::vector<key> take_keys();

 private:
  std::string frame_;
};

}  // namespace runner

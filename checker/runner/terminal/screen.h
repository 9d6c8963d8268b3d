// screen.h: the whole terminal as a place for lines and single keys, given back as it was.
//
// A thin layer over termios and the sequences that all terminals share; a library would bring its own loop,
// and the one here must also wait for files, checks and signals. Not here: what is shown (watch_view.h).
//
//     runner::screen screen;
//     screen.show({"first line", "second line"});
//     if (readable(screen.input())) for (const runner::key& pressed : screen.take_keys()) ...
#pragma once

#include <string>
#include <vector>

#include "runner/terminal/key.h"

namespace runner {

/// Cells of a terminal; 24 x 80 where nobody tells.
struct screen_size {
  int rows = 24;     ///< lines
  int columns = 80;  ///< characters of a line
  bool operator==(const screen_size&) const = default;
};

/// Standard input and output, which are terminals. There is one at a time. A crash of this program gives the
/// terminal back too.
class screen {
 public:
  screen();
  ~screen();
  screen(const screen&) = delete;
  screen& operator=(const screen&) = delete;

  /// Gives the terminal to others (a shell, an editor) as it was before.
  void leave();
  /// Takes it back: the other screen, single keys, no echo.
  void enter();

  /// Asked of the terminal each time.
  screen_size size() const;
  /// Replaces what is shown; writes nothing when it is shown already. Lines beyond the last row are left out.
  void show(const std::vector<std::string>& lines);

  /// The descriptor that becomes readable when a key is pressed.
  int input() const;
  /// The keys that were pressed. Throws cannot_do when the terminal is gone.
  std::vector<key> take_keys();

 private:
  std::string frame_;
};

}  // namespace runner

#include "runner/terminal/screen.h"

#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <string_view>
#include <utility>

#include "processes/cannot_do.h"

namespace runner {
namespace {

// Alternate screen, no cursor, no wrapping at the right border; and back.
constexpr std::string_view enter_sequence = "\x1b[?1049h\x1b[?25l\x1b[?7l";
constexpr std::string_view leave_sequence = "\x1b[0m\x1b[?7h\x1b[?25h\x1b[?1049l";
// A terminal that knows "synchronized update" shows a frame at once; others ignore it.
constexpr std::string_view begin_frame = "\x1b[?2026h\x1b[H";
constexpr std::string_view end_frame = "\x1b[?2026l";

// Globals, because signal handlers use them.
termios settings_before;
volatile std::sig_atomic_t is_entered = 0;

void write_all(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(STDOUT_FILENO, text.data(), text.size());
    if (written < 0 && errno != EINTR) return;  // a terminal that is gone: the next read says so
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
  }
}

/// Async-signal-safe.
void give_back() {
  if (is_entered == 0) return;
  is_entered = 0;
  write_all(leave_sequence);
  tcsetattr(STDIN_FILENO, TCSADRAIN, &settings_before);
}

void give_back_and_die(int signal) {
  give_back();
  std::raise(signal);  // its action is the default again (SA_RESETHAND)
}

constexpr std::array crashes{SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGQUIT};

}  // namespace

screen::screen() {
  if (tcgetattr(STDIN_FILENO, &settings_before) != 0)
    throw processes::cannot_do("standard input is no terminal.");
  struct sigaction action {};
  action.sa_handler = give_back_and_die;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_NODEFER);
  for (const int signal : crashes) sigaction(signal, &action, nullptr);
  enter();
}

screen::~screen() {
  leave();
  for (const int signal : crashes) std::signal(signal, SIG_DFL);
}

void screen::leave() { give_back(); }

void screen::enter() {
  termios settings = settings_before;
  settings.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  settings.c_cc[VMIN] = 1;
  settings.c_cc[VTIME] = 0;
  is_entered = 1;
  tcsetattr(STDIN_FILENO, TCSADRAIN, &settings);
  write_all(enter_sequence);
  frame_.clear();
}

screen_size screen::size() const {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) return {};
  return {size.ws_row, size.ws_col};
}

void screen::show(const std::vector<std::string>& lines) {
  const std::size_t rows = std::min(lines.size(), static_cast<std::size_t>(size().rows));
  std::string frame(begin_frame);
  for (std::size_t row = 0; row < rows; ++row) {
    if (row > 0) frame += "\r\n";
    // The rest is cleared first: behind a full line it would be the last column.
    frame += (row + 1 == rows ? "\x1b[J" : "\x1b[K") + lines[row];
  }
  if (rows == 0) frame += "\x1b[J";
  frame += end_frame;
  if (frame == frame_) return;
  write_all(frame);
  frame_ = std::move(frame);
}

int screen::input() const { return STDIN_FILENO; }

std::vector<key> screen::take_keys() {
  std::array<char, 256> space;
  const ssize_t length = read(STDIN_FILENO, space.data(), space.size());
  if (length < 0 && (errno == EINTR || errno == EAGAIN)) return {};
  if (length <= 0) throw processes::cannot_do("the terminal is gone.");
  return keys_in({space.data(), static_cast<std::size_t>(length)});
}

}  // namespace runner

#include "runner/terminal/terminal_session.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <utility>

namespace runner {
namespace {

/// Long enough for a machine under any load; only a failing test waits so long.
constexpr std::chrono::seconds patience{120};

/// Bytes of the first character or sequence; 0 when it is not complete.
std::size_t unit_length(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  if (lead != 0x1b) {
    const std::size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    return text.size() < length ? 0 : length;
  }
  if (text.size() < 2) return 0;
  if (text[1] == ']') {
    const std::size_t end = text.find("\x1b\\", 1);
    return end == std::string_view::npos ? 0 : end + 2;
  }
  if (text[1] != '[') return 2;
  const auto last =
      std::find_if(text.begin() + 2, text.end(), [](char byte) { return byte >= '@' && byte <= '~'; });
  return last == text.end() ? 0 : static_cast<std::size_t>(last - text.begin()) + 1;
}

}  // namespace

terminal_picture::terminal_picture(screen_size size)
    : size_(size), cells_(empty()), main_cells_(empty()), visible_(empty()) {}

terminal_picture::rows terminal_picture::empty() const {
  return rows(size_.rows, std::vector<std::string>(size_.columns, " "));
}

void terminal_picture::resize(screen_size size) {
  size_ = size;
  for (rows* rows : {&cells_, &main_cells_, &visible_}) {
    rows->resize(size.rows, std::vector<std::string>(size.columns, " "));
    for (auto& row : *rows) row.resize(size.columns, " ");
  }
  row_ = std::min(row_, size.rows - 1);
}

void terminal_picture::take(std::string_view bytes) {
  pending_ += bytes;
  while (!pending_.empty()) {
    const std::size_t length = unit_length(pending_);
    if (length == 0) break;
    const std::string unit = pending_.substr(0, length);
    pending_.erase(0, length);
    if (unit[0] == '\x1b') {
      take_sequence(unit);
    } else if (unit == "\r") {
      column_ = 0;
    } else if (unit == "\n") {
      line_feed();
    } else {
      put(unit);
    }
    if (!is_in_frame_) visible_ = cells_;
  }
}

void terminal_picture::take_sequence(std::string_view sequence) {
  const int first_cleared =
      std::min(column_, size_.columns - 1);  // behind a full line the cursor is on its last column
  if (sequence == "\x1b[H") {
    row_ = column_ = 0;
  } else if (sequence == "\x1b[K") {
    for (int column = first_cleared; column < size_.columns; ++column) cells_[row_][column] = " ";
  } else if (sequence == "\x1b[J") {
    for (int column = first_cleared; column < size_.columns; ++column) cells_[row_][column] = " ";
    for (int row = row_ + 1; row < size_.rows; ++row) cells_[row].assign(size_.columns, " ");
  } else if (sequence == "\x1b[?2026h") {
    is_in_frame_ = true;
  } else if (sequence == "\x1b[?2026l") {
    is_in_frame_ = false;
  } else if (sequence == "\x1b[?1049h") {
    is_alternate_ = true;
    main_cells_ = std::exchange(cells_, empty());
    main_row_ = row_;
    main_column_ = column_;
  } else if (sequence == "\x1b[?1049l") {
    is_alternate_ = false;
    cells_ = main_cells_;
    row_ = std::min(main_row_, size_.rows - 1);
    column_ = main_column_;
  }
}

void terminal_picture::put(std::string_view character) {
  if (column_ >= size_.columns) return;  // wrapping is off
  cells_[row_][column_] = character;
  ++column_;
}

void terminal_picture::line_feed() {
  if (row_ + 1 < size_.rows) {
    ++row_;
    return;
  }
  cells_.erase(cells_.begin());
  cells_.emplace_back(size_.columns, " ");
}

std::string terminal_picture::text() const {
  std::string text;
  for (const auto& row : visible_) {
    std::string line;
    for (const std::string& cell : row) line += cell;
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

terminal_session::terminal_session(const std::filesystem::path& root, screen_size size,
                                   const std::vector<std::string>& environment, const std::string& script)
    : picture_(size) {
  winsize window{};
  window.ws_row = static_cast<unsigned short>(size.rows);
  window.ws_col = static_cast<unsigned short>(size.columns);
  program_ = forkpty(&terminal_, nullptr, nullptr, &window);
  if (program_ == 0) {
    for (const char* name : {"NO_COLOR", "EDITOR", "VISUAL", "TERM_PROGRAM", "BROWSER", "DISPLAY",
                             "WAYLAND_DISPLAY", "WSL_DISTRO_NAME"})
      unsetenv(name);
    signal(SIGINT, SIG_DFL);  // a script that is run in the background ignores it
    setenv("TERM", "xterm", 1);
    setenv("STREAMLINGS_ROOT", root.c_str(), 1);
    for (const std::string& variable : environment) putenv(const_cast<char*>(variable.c_str()));
    execl("/bin/bash", "bash", "-c", script.c_str(), nullptr);
    _exit(127);
  }
}

terminal_session::~terminal_session() {
  if (program_ > 0) {
    kill(program_, SIGTERM);  // so that it ends its checks
    wait_for_end();
  }
  close(terminal_);
}

void terminal_session::press(std::string_view bytes) const {
  EXPECT_EQ(write(terminal_, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
}

void terminal_session::resize(screen_size size) {
  picture_.resize(size);
  winsize window{};
  window.ws_row = static_cast<unsigned short>(size.rows);
  window.ws_col = static_cast<unsigned short>(size.columns);
  ioctl(terminal_, TIOCSWINSZ, &window);
}

void terminal_session::send(int signal) const { kill(program_, signal); }

/// Takes what the program writes; false when it has closed the terminal.
bool terminal_session::pump(int timeout_milliseconds) {
  pollfd waiting{terminal_, POLLIN, 0};
  if (poll(&waiting, 1, timeout_milliseconds) <= 0) return true;
  std::array<char, 4096> space;
  const ssize_t length = read(terminal_, space.data(), space.size());
  if (length <= 0) return false;
  const std::string_view read_now(space.data(), static_cast<std::size_t>(length));
  bytes_ += read_now;
  picture_.take(read_now);
  return true;
}

void terminal_session::wait_until(const std::function<bool()>& holds, std::string_view awaited) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (!holds()) {
    if (!pump(20) || std::chrono::steady_clock::now() > deadline) {
      if (!holds()) ADD_FAILURE() << "waited in vain for: " << awaited << "\nThe screen:\n" << text();
      return;
    }
  }
}

void terminal_session::wait_for(std::string_view wanted) {
  wait_until([&] { return text().find(wanted) != std::string::npos; }, wanted);
}

void terminal_session::wait_until_gone(std::string_view unwanted) {
  wait_until([&] { return text().find(unwanted) == std::string::npos; },
             "the end of " + std::string(unwanted));
}

int terminal_session::wait_for_end() {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  // The end of the program hangs up the terminal.
  while (pump(20)) {
    if (std::chrono::steady_clock::now() < deadline) continue;
    ADD_FAILURE() << "the program does not end. The screen:\n" << text();
    kill(program_, SIGKILL);
  }
  int status = 0;
  waitpid(program_, &status, 0);
  program_ = 0;
  return status;
}

bool terminal_session::is_as_before() const {
  termios settings{};
  tcgetattr(terminal_, &settings);
  constexpr tcflag_t usual = ICANON | ECHO;
  return (settings.c_lflag & usual) == usual;
}

}  // namespace runner

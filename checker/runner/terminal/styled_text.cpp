#include "runner/terminal/styled_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace runner {
namespace {

constexpr std::string_view style_end = "\x1b[0m";

/// The first column of the text, or the sequence before it.
struct piece {
  std::string_view bytes;
  bool is_sequence = false;
};

piece first_piece(std::string_view text) {
  std::size_t length = 1;
  if (text.front() != '\x1b') {
    while (length < text.size() && (static_cast<unsigned char>(text[length]) & 0xC0) == 0x80) ++length;
    return {text.substr(0, length), false};
  }
  if (text.size() > 1 && text[1] == ']') {
    const std::size_t end = text.find("\x1b\\", 1);
    return {end == std::string_view::npos ? text : text.substr(0, end + 2), true};
  }
  const std::size_t end = text.find_first_of("mK", 1);
  return {end == std::string_view::npos ? text : text.substr(0, end + 1), true};
}

/// Folds text into lines of one width, at spaces that leave no line half empty.
class folding {
 public:
  folding(int width, std::vector<std::string>& lines) : width_(width), lines_(lines) {}

  void add(const piece& next) {
    if (next.is_sequence) {
      style_ = next.bytes == style_end ? "" : std::string(next.bytes);
    } else if (column_ == width_) {
      break_line();
    }
    current_ += next.bytes;
    if (next.is_sequence) return;
    ++column_;
    if (next.bytes == " ") space_ = {current_.size(), column_, style_};
  }
  void end() { lines_.push_back(current_); }

 private:
  struct place {
    std::size_t bytes = 0;
    int column = 0;
    std::string style;
  };

  void break_line() {
    const place break_point = space_.column > width_ / 2 ? space_ : place{current_.size(), column_, style_};
    const std::string rest = current_.substr(break_point.bytes);
    current_.resize(break_point.bytes);
    lines_.push_back(break_point.style.empty() ? current_ : current_ + std::string(style_end));
    current_ = break_point.style + rest;
    column_ -= break_point.column;
    space_ = {};
  }

  int width_;
  std::vector<std::string>& lines_;
  std::string current_;
  std::string style_;
  int column_ = 0;
  place space_;  ///< behind the last space of the line
};

void fold_line(std::string_view line, int width, std::vector<std::string>& lines) {
  folding fold(width, lines);
  while (!line.empty()) {
    const piece next = first_piece(line);
    line.remove_prefix(next.bytes.size());
    fold.add(next);
  }
  fold.end();
}

}  // namespace

std::string styles::styled(std::string_view code, std::string_view text) const {
  return colour == report::colour::on ? fmt::format("\x1b[{}m{}{}", code, text, style_end)
                                      : std::string(text);
}

std::string styles::link(std::string_view target, std::string_view text) const {
  if (colour == report::colour::off || target.empty()) return std::string(text);
  return fmt::format("\x1b]8;;{}\x1b\\{}\x1b]8;;\x1b\\", target, text);
}

int styled_width(std::string_view text) {
  int width = 0;
  while (!text.empty()) {
    const piece next = first_piece(text);
    text.remove_prefix(next.bytes.size());
    if (!next.is_sequence) ++width;
  }
  return width;
}

std::vector<std::string> folded(std::string_view text, int width) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t line_break = text.find('\n');
    fold_line(text.substr(0, line_break), std::max(width, 1), lines);
    if (line_break == std::string_view::npos) break;
    text.remove_prefix(line_break + 1);
  }
  return lines;
}

std::string clipped(std::string_view line, int width) {
  std::string kept;
  int column = 0;
  while (!line.empty()) {
    const piece next = first_piece(line);
    line.remove_prefix(next.bytes.size());
    if (!next.is_sequence && ++column > width) continue;  // sequences after the cut still reset colours
    kept += next.bytes;
  }
  return kept;
}

}  // namespace runner

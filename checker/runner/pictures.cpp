#include "runner/pictures.h"

#include <fmt/format.h>

#include <regex>
#include <sstream>
#include <stdexcept>

namespace runner {
namespace {

constexpr std::string_view end_mark = "<!-- end -->";

}  // namespace

std::string with_pictures(std::string_view page, const draw_function& draw) {
  static const std::regex begin_mark(R"(<!-- timeline: (.+) -->)");
  std::istringstream in{std::string(page)};
  std::string text;
  std::string old_picture;
  std::string name;
  int number = 0;
  int begun_in = 0;  // the line where the open picture begins, 0 outside
  for (std::string line; std::getline(in, line);) {
    ++number;
    std::smatch match;
    const bool begins = std::regex_match(line, match, begin_mark);
    if (begins && begun_in != 0) break;
    if (begun_in != 0 && line == end_mark) {
      const std::optional<std::string> drawing = draw(name);
      text += drawing ? "```text\n" + *drawing + "```\n" : old_picture;
      begun_in = 0;
    }
    if (begins) {
      begun_in = number;
      name = match[1];
      old_picture.clear();
    }
    const bool is_last_without_end = in.eof();
    (begun_in != 0 && !begins ? old_picture : text) += line + (is_last_without_end ? "" : "\n");
  }
  if (begun_in != 0)
    throw std::runtime_error(fmt::format("line {}: the picture '{}' has no {}", begun_in, name, end_mark));
  return text;
}

std::optional<line_difference> first_difference(std::string_view left, std::string_view right) {
  if (left == right) return std::nullopt;
  std::istringstream left_lines{std::string(left)};
  std::istringstream right_lines{std::string(right)};
  line_difference found;
  do {
    ++found.line;
    found.left.clear();
    found.right.clear();
    std::getline(left_lines, found.left);
    std::getline(right_lines, found.right);
  } while (found.left == found.right && (left_lines || right_lines));
  return found;
}

}  // namespace runner

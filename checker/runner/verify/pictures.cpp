#include "runner/verify/pictures.h"

#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <cmath>
#include <sstream>
#include <stdexcept>

#include "parsing/pattern.h"

namespace runner {
namespace {

constexpr std::string_view end_mark = "<!-- end -->";

/// Takes the number with which the text begins off it.
double take_number(std::string_view& text) {
  double value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

}  // namespace

std::string with_pictures(std::string_view page, const draw_function& draw) {
  static const parsing::pattern begin_mark(R"(<!-- (timeline|drawing): (.+) -->)");
  std::istringstream lines{std::string(page)};
  std::string text;
  std::string old_picture;
  std::string name;
  picture_form form = picture_form::text;
  int number = 0;
  int begun_in = 0;  // the line where the open picture begins, 0 outside
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const auto begins = begin_mark.match(line);
    if (begins && begun_in != 0) break;
    if (begun_in != 0 && line == end_mark) {
      const std::optional<std::string> drawing = draw(name, form);
      if (!drawing) {
        text += old_picture;
      } else {
        text += form == picture_form::text ? "```text\n" + *drawing + "```\n" : *drawing + "\n";
      }
      begun_in = 0;
    }
    if (begins) {
      begun_in = number;
      form = begins->at(1) == "timeline" ? picture_form::text : picture_form::image;
      name = begins->at(2);
      old_picture.clear();
    }
    const bool is_last_without_end = lines.eof();
    (begun_in != 0 && !begins ? old_picture : text) += line + (is_last_without_end ? "" : "\n");
  }
  if (begun_in != 0)
    throw std::runtime_error(fmt::format("line {}: the picture '{}' has no {}", begun_in, name, end_mark));
  return text;
}

bool is_same_drawing(std::string_view left, std::string_view right) {
  while (!left.empty() && !right.empty()) {
    if (std::isdigit(static_cast<unsigned char>(left[0])) &&
        std::isdigit(static_cast<unsigned char>(right[0]))) {
      if (std::abs(take_number(left) - take_number(right)) > 1) return false;
    } else if (left[0] != right[0]) {
      return false;
    } else {
      left.remove_prefix(1);
      right.remove_prefix(1);
    }
  }
  return left.empty() && right.empty();
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

#include "checking/todo_regions.h"

#include <fmt/core.h>

#include <sstream>
#include <stdexcept>
#include <vector>

#include "parsing/pattern.h"

namespace checking {

namespace {

struct outside_line {
  int number = 0;    // in its file, from 1
  std::string text;  // a whole region is one line, "TODO n"
};

// Throws std::runtime_error with the line when a region is not closed, or closed without having been opened.
std::vector<outside_line> outside(std::string_view source) {
  static const parsing::pattern begins(R"(\s*// TODO (\d+)(, done)?: .*)");
  static const parsing::pattern ends(R"(\s*// end of TODO (\d+))");
  std::vector<outside_line> lines;
  std::istringstream input{std::string(source)};
  std::string open;
  int number = 0;
  for (std::string line; std::getline(input, line);) {
    ++number;
    if (const auto end = ends.match(line)) {
      if (end->at(1) != open)
        throw std::runtime_error(
            fmt::format("line {}: ends TODO {} inside TODO '{}'", number, end->at(1), open));
      open.clear();
    } else if (const auto begin = begins.match(line)) {
      if (!open.empty())
        throw std::runtime_error(fmt::format("line {}: TODO {} begins inside another", number, begin->at(1)));
      open = begin->at(1);
      lines.push_back({number, "TODO " + open});
    } else if (open.empty()) {
      lines.push_back({number, line});
    }
  }
  if (!open.empty()) throw std::runtime_error("TODO " + open + " has no end");
  return lines;
}

bool has_region(const std::vector<outside_line>& lines) {
  for (const outside_line& line : lines) {
    if (line.text.rfind("TODO ", 0) == 0) return true;
  }
  return false;
}

}  // namespace

std::string difference_outside_todos(std::string_view skeleton, std::string_view solution) {
  try {
    const std::vector<outside_line> left = outside(skeleton);
    const std::vector<outside_line> right = outside(solution);
    if (!has_region(left)) return "the skeleton has no TODO";
    for (std::size_t i = 0; i < left.size() && i < right.size(); ++i) {
      if (left[i].text != right[i].text) {
        return fmt::format(
            "line {} of the skeleton and line {} of the solution differ outside a TODO:\n  {}\n  {}",
            left[i].number, right[i].number, left[i].text, right[i].text);
      }
    }
    if (left.size() != right.size()) return "one of the files goes on where the other ends";
    return "";
  } catch (const std::runtime_error& mistake) {
    return mistake.what();
  }
}

}  // namespace checking

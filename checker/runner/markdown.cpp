#include "runner/markdown.h"

#include <regex>
#include <sstream>

namespace runner {
namespace {

struct numbered_line {
  int number = 0;
  std::string text;
};

/// The lines outside of fenced blocks, with `code` in them blanked out.
std::vector<numbered_line> prose_of(std::string_view markdown) {
  static const std::regex fence("^ *```");
  static const std::regex code("(`+)[^`]+\\1");
  std::vector<numbered_line> lines;
  std::istringstream in{std::string(markdown)};
  bool is_inside_fence = false;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (std::regex_search(line, fence)) {
      is_inside_fence = !is_inside_fence;
    } else if (!is_inside_fence) {
      lines.push_back({number, std::regex_replace(line, code, "code")});
    }
  }
  return lines;
}

}  // namespace

std::vector<markdown_link> links_in(std::string_view markdown) {
  static const std::regex link(
      R"(\]\(\s*<?([^)\s>]+)[^)]*\)|^\s*\[[^\]]+\]:\s*<?([^\s>]+)|(https?://[^\s<>)\]]+))");
  std::vector<markdown_link> links;
  for (const numbered_line& line : prose_of(markdown)) {
    for (std::sregex_iterator each(line.text.begin(), line.text.end(), link), end; each != end; ++each) {
      for (const std::size_t group : {1, 2, 3}) {
        if ((*each)[group].matched) links.push_back({line.number, (*each)[group]});
      }
    }
  }
  return links;
}

std::vector<std::string> headings_in(std::string_view markdown) {
  static const std::regex heading("#{1,6} .*");
  std::vector<std::string> headings;
  for (const numbered_line& line : prose_of(markdown)) {
    if (std::regex_match(line.text, heading)) headings.push_back(line.text);
  }
  return headings;
}

}  // namespace runner

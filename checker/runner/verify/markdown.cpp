#include "runner/verify/markdown.h"

#include <sstream>

#include "parsing/pattern.h"

namespace runner {
namespace {

struct numbered_line {
  int number = 0;
  std::string text;
};

/// The lines outside of fenced blocks, with `code` in them blanked out.
std::vector<numbered_line> prose_of(std::string_view markdown) {
  static const parsing::pattern fence("^ *```");
  static const parsing::pattern code("(`+)[^`]+\\1");
  std::vector<numbered_line> lines;
  std::istringstream input{std::string(markdown)};
  bool is_inside_fence = false;
  int number = 0;
  for (std::string line; std::getline(input, line);) {
    ++number;
    if (fence.search(line)) {
      is_inside_fence = !is_inside_fence;
    } else if (!is_inside_fence) {
      lines.push_back({number, code.replaced(line, "code")});
    }
  }
  return lines;
}

}  // namespace

std::vector<markdown_link> links_in(std::string_view markdown) {
  static const parsing::pattern link(
      R"(\]\(\s*<?([^)\s>]+)[^)]*\)|^\s*\[[^\]]+\]:\s*<?([^\s>]+)|(https?://[^\s<>)\]]+))");
  std::vector<markdown_link> links;
  for (const numbered_line& line : prose_of(markdown)) {
    for (const parsing::groups& found : link.all_in(line.text)) {
      for (const std::size_t group : {1, 2, 3}) {
        if (!found[group].empty()) links.push_back({line.number, found[group]});
      }
    }
  }
  return links;
}

std::vector<std::string> headings_in(std::string_view markdown) {
  static const parsing::pattern heading("#{1,6} .*");
  std::vector<std::string> headings;
  for (const numbered_line& line : prose_of(markdown)) {
    if (heading.match(line.text)) headings.push_back(line.text);
  }
  return headings;
}

}  // namespace runner

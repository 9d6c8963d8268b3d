#include "runner/hints.h"

#include <algorithm>
#include <sstream>

namespace runner {
namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

std::vector<std::string> names_in(std::string_view list) {
  std::vector<std::string> names;
  std::istringstream in{std::string(list)};
  for (std::string name; std::getline(in, name, ',');) {
    if (!trimmed(name).empty()) names.emplace_back(trimmed(name));
  }
  return names;
}

}  // namespace

std::vector<hint> parse_hints(std::string_view markdown) {
  std::vector<hint> hints;
  bool is_inside_fence = false;
  std::istringstream in{std::string(markdown)};
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("```", 0) == 0) is_inside_fence = !is_inside_fence;
    if (!is_inside_fence && line.rfind("## ", 0) == 0) {
      hints.push_back({static_cast<int>(hints.size()) + 1, std::string(trimmed(line.substr(3))), {}, ""});
    } else if (!hints.empty()) {
      hint& current = hints.back();
      if (current.text.empty() && line.rfind("for:", 0) == 0) {
        current.helps_with = names_in(line.substr(4));
      } else {
        current.text += line + "\n";
      }
    }
  }
  for (hint& each : hints) each.text = trimmed(each.text);
  return hints;
}

chosen_hint next_hint(const std::vector<hint>& hints, const std::set<int>& seen,
                      const std::vector<std::string>& topics) {
  const auto is_new = [&](const hint& each) { return seen.count(each.level) == 0; };
  for (const std::string& topic : topics) {
    const auto next = std::find_if(hints.begin(), hints.end(), [&](const hint& each) {
      return is_new(each) &&
             std::find(each.helps_with.begin(), each.helps_with.end(), topic) != each.helps_with.end();
    });
    if (next != hints.end()) return {next->level, topic};
  }
  const auto next = std::find_if(hints.begin(), hints.end(), is_new);
  return {next == hints.end() ? 0 : next->level, ""};
}

}  // namespace runner

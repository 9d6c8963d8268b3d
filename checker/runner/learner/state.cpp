#include "runner/learner/state.h"

#include <fmt/format.h>

#include <sstream>

#include "processes/files.h"

namespace runner {
namespace {

/// Reads a line into the state; false for an unknown one.
bool understand(const std::string& line, state& into) {
  std::istringstream words(line);
  std::string fact;
  std::string slug;
  if (!(words >> fact >> slug)) return false;
  std::string rest;
  if (fact == "current") {
    if (words >> rest) return false;
    into.current = slug;
    return true;
  }
  if (fact == "done") {
    passed_file passed;
    if (!(words >> passed.source_hash)) return false;
    words >> passed.lesson_hash;
    if (words >> rest) return false;
    into.done[slug] = passed;
    return true;
  }
  if (fact == "hints") {
    std::set<int> levels;
    for (int level = 0; words >> level;) levels.insert(level);
    if (!words.eof() || levels.empty()) return false;
    into.hints_seen[slug] = levels;
    return true;
  }
  return false;
}

}  // namespace

state load_state(const std::filesystem::path& file) {
  state loaded;
  std::istringstream lines(processes::content_of(file).value_or(""));
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line.front() == '#') continue;
    if (!understand(line, loaded)) loaded.unknown_lines.push_back(line);
  }
  return loaded;
}

void save_state(const std::filesystem::path& file, const state& state) {
  std::string text =
      "# Where you are in the course. Written by streamlings; lines it does not know are kept.\n";
  if (!state.current.empty()) text += fmt::format("current {}\n", state.current);
  for (const auto& [slug, passed] : state.done) {
    text += fmt::format("done {} {}{}{}\n", slug, passed.source_hash, passed.lesson_hash.empty() ? "" : " ",
                        passed.lesson_hash);
  }
  for (const auto& [slug, levels] : state.hints_seen)
    text += fmt::format("hints {} {}\n", slug, fmt::join(levels, " "));
  for (const std::string& line : state.unknown_lines) text += line + "\n";
  processes::write_whole(file, text);
}

}  // namespace runner

// state.h: what the learner has done, kept in .streamlings/state.txt.
//
// A text file, one fact a line, by lesson slug, so that it survives renumbered lessons and can be carried to
// another machine. Lines and lessons that this version does not know are kept. Not here: what follows from it
// (progress.h).
//
//     runner::state state = runner::load_state(file);
//     state.current = "async_copy";
//     runner::save_state(file, state);
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace runner {

/// A file that has passed, and the lesson as it was then.
struct passed_file {
  std::string source_hash;  ///< processes::content_hash() of the file
  std::string lesson_hash;  ///< course::lesson::hash(); "" from a version that did not keep it
  bool operator==(const passed_file&) const = default;
};

/// The content of the file.
struct state {
  std::string current;                      ///< slug of the current lesson; "" before the first choice
  std::map<std::string, passed_file> done;  ///< slug to what passed
  std::map<std::string, std::set<int>> hints_seen;  ///< slug to the levels of hints that were shown, from 1
  std::vector<std::string> unknown_lines;           ///< kept as they are
  bool operator==(const state&) const = default;
};

/// The state in that file; the empty state when there is no file.
state load_state(const std::filesystem::path& file);

/// Replaces the file in one step. Throws cannot_do.
void save_state(const std::filesystem::path& file, const state& state);

}  // namespace runner

// state.h: the learner's state, kept in .streamlings/state.txt.
//
// A text file, one fact a line, by lesson slug, so that it survives renumbered lessons and moves to other
// machines. Unknown lines and lessons are kept. Not here: progress (progress.h).
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

/// The hashes of a file that has passed and of its lesson at that time.
struct passed_file {
  std::string source_hash;  ///< processes::content_hash() of the file
  std::string lesson_hash;  ///< course::lesson::hash(); "" from an old version
  bool operator==(const passed_file&) const = default;
};

/// The content of the file.
struct state {
  std::string current;                      ///< slug of the current lesson; "" before the first choice
  std::map<std::string, passed_file> done;  ///< by slug
  std::map<std::string, std::set<int>> hints_seen;  ///< by slug; levels start at 1
  std::vector<std::string> unknown_lines;
  bool operator==(const state&) const = default;
};

/// The state in that file; empty without a file.
state load_state(const std::filesystem::path& file);

/// Replaces the file in one step. Throws cannot_do.
void save_state(const std::filesystem::path& file, const state& state);

}  // namespace runner

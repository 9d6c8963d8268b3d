// submissions.h: who has handed in what: the entries of a folder or of a table, and the roster of the class.
//
//     for (const runner::submission& one : runner::submissions_in("handed_in", "class.csv")) ...
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "runner/grade/hand_in.h"

namespace runner {

/// What one student has handed in.
struct submission {
  std::string student;  ///< bytes as they are; printable() for people
  std::filesystem::path path;
  std::string date = {};  ///< as the table has it; "" when it has none
  hand_in_problem problem = hand_in_problem::none;
  bool is_on_roster = true;
};

/// The submissions in the order of the roster, then the others by name. `source` is a folder with an entry for each student
/// (hidden ones are passed over) or a CSV file with the columns student and path, and perhaps date. `roster`: a CSV file whose
/// column student (or SIS Login ID, username, id, email, name; else the first) names the class; "" for none. Throws cannot_do.
std::vector<submission> submissions_in(const std::filesystem::path& source,
                                       const std::filesystem::path& roster);

}  // namespace runner
